import { deepStrictEqual } from 'node:assert/strict';
import type { Span } from '../../../../../src/extension/views/jobPage/model';
import { layOut } from '../../../../../src/extension/views/jobPage/page/timeline/layout';

const START = Date.UTC(2026, 10, 19, 14);
const WIDTH = 600;

const span = (kind: Span['kind'], from: number, to?: number): Span => ({ kind, from, to, text: kind });

const kindsOf = (spans: Span[], now: number): [string, number][] =>
  layOut({ from: START, spans, entries: [] }, now, WIDTH).bars.map(({ span: { kind }, width }) => [kind, width]);

describe('the bars of a job’s time line', () => {
  it('leave out a pause that would be told as of 0 seconds, and no run', () => {
    const went = START + 400;
    const runs = [span('running', went, went + 300), span('idle', went + 300, went + 700), span('running', went + 700)];
    deepStrictEqual(kindsOf([span('waiting', START, went), ...runs], went + 6700), [
      ['running', (300 / 6300) * WIDTH],
      ['running', (6000 / 6300) * WIDTH],
    ]);
  });

  it('show a wait that has just begun', () => {
    deepStrictEqual(kindsOf([span('waiting', START)], START + 500), [['waiting', WIDTH / 2]]);
  });
});
