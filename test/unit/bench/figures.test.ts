import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { figure } from '../../bench/figures';

const many = { name: 'first rows', unit: 'ms' } as const;

describe('the figures of benchmarks', () => {
  it('hold best, median, worst and the middle half, and the same of the peer', () => {
    const { ours, peer } = figure({
      ...many,
      ours: [50, 10, 40, 20, 30],
      peer: { name: 'floor', measured: [5, 5, 10] },
    });
    deepStrictEqual(ours, { best: 10, median: 30, worst: 50, spread: [20, 40], count: 5 });
    deepStrictEqual(peer, { name: 'floor', best: 5, median: 5, worst: 10, spread: [5, 7.5], count: 3 });
  });

  it('divide the medians, or what they are told to, with the spread of all pairs', () => {
    const told = { ...many, ours: [10, 20, 30], peer: { name: 'floor', measured: [10, 10] } };
    deepStrictEqual(figure(told).ratio, { of: 'median', value: 2, spread: [1.25, 2.75] });
    deepStrictEqual(figure({ ...told, by: 'best' }).ratio, { of: 'best', value: 1, spread: [1.25, 2.75] });
  });

  it('tell no ratio to nothing, and that something is too much where nothing was wanted', () => {
    const told = { ...many, ours: [0, 1, 1], peer: { name: 'floor', measured: [0, 0, 1] } };
    const { ratio, met } = figure({ ...told, wanted: { of: 'ratio', most: 1 } });
    deepStrictEqual([ratio, met], [undefined, false]);
    strictEqual(figure({ ...told, ours: [0, 0, 0], wanted: { of: 'ratio', most: 1 } }).met, true);
  });

  it('say whether they are as wanted', () => {
    const told = { ...many, ours: [10, 20, 30], peer: { name: 'floor', measured: 10 } };
    strictEqual(figure(told).met, undefined);
    strictEqual(figure({ ...told, wanted: { of: 'ratio', most: 2 } }).met, true);
    strictEqual(figure({ ...told, wanted: { of: 'ratio', most: 1.9 } }).met, false);
    strictEqual(figure({ ...told, wanted: { of: 'worst', most: 29 } }).met, false);
    strictEqual(figure({ ...many, ours: 10, wanted: { of: 'best', most: 10 } }).met, true);
    strictEqual(figure({ ...many, ours: 10, wanted: { of: 'ratio', most: 10 } }).met, false, 'there is no ratio');
    strictEqual(figure({ ...many, ours: [], wanted: { of: 'best', most: 10 } }).met, false, 'nothing was measured');
  });
});
