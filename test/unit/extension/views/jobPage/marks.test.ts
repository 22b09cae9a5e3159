import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { Entry } from '../../../../../src/extension/views/jobPage/model';
import { layOut } from '../../../../../src/extension/views/jobPage/page/timeline/layout';
import { stackMarks, stripsOf } from '../../../../../src/extension/views/jobPage/page/timeline/marks';

const entry = (index: number, at = index): Entry => ({
  ...{ id: String(index), at, kind: 'followUp', tone: 'plain', title: 'Follow-up' },
});
const places = fc.array(fc.double({ min: 0, max: 800, noNaN: true }), { maxLength: 300 });

describe('the marks of a job’s time line', () => {
  it('stack where they stand near, and are one with a number where the stack is full', () => {
    const marks = stackMarks(
      [0, 5, 10, 15, 100].map((x, index) => ({ x, what: entry(index) })),
      20,
    );
    deepStrictEqual(
      marks.map(({ x, lane, all }) => [x, lane, all.length]),
      [
        [0, 0, 1],
        [5, 1, 1],
        [10, 2, 2],
        [100, 0, 1],
      ],
    );
  });

  it('never lie on each other, and none is lost', () => {
    fc.assert(
      fc.property(places, (all) => {
        const marks = stackMarks(
          all.map((x, index) => ({ x, what: entry(index) })),
          20,
        );
        strictEqual(
          marks.reduce((count, mark) => count + mark.all.length, 0),
          all.length,
        );
        for (const lane of [0, 1, 2]) {
          const inLane = marks.filter((mark) => mark.lane === lane).map(({ x }) => x);
          inLane.slice(1).forEach((x, index) => ok(x - (inLane[index] ?? 0) >= 20));
        }
        ok(marks.every(({ lane }) => lane < 3));
      }),
    );
  });

  it('join polls that can’t be told apart into strips, and count each', () => {
    fc.assert(
      fc.property(places, (all) => {
        const strips = stripsOf(all, 3);
        strictEqual(
          strips.reduce((sum, { count }) => sum + count, 0),
          all.length,
        );
        strips.slice(1).forEach(({ from }, index) => ok(from - (strips[index]?.to ?? 0) >= 3));
      }),
    );
  });

  it('stay inside the drawing with 200 failed polls and 30 follow-ups, however narrow it is', () => {
    const polls = Array.from({ length: 200 }, (_, index) => ({
      ...entry(index, index * 1000),
      kind: 'pollFailed' as const,
    }));
    const prompts = Array.from({ length: 30 }, (_, index) => entry(1000 + index, index * 6000));
    const entries = [...polls, ...prompts].toSorted((a, b) => a.at - b.at);
    for (const width of [230, 800, 1400]) {
      const layout = layOut(
        { from: 0, to: 200_000, spans: [{ kind: 'running', from: 0, text: '' }], entries },
        0,
        width,
      );
      ok(layout.marks.every(({ x }) => x >= 10 && x <= width - 10));
      ok(layout.bars.every((bar) => bar.x >= 0 && bar.x + bar.width <= width + 1e-6));
      ok(layout.marks.length <= (width / 20) * 3 + 3 && layout.strips.length <= width / 3 + 1);
    }
  });
});
