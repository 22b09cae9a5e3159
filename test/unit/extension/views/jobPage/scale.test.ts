import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { Entry, Span, Timeline } from '../../../../../src/extension/views/jobPage/model';
import { reachOf, scaleOf } from '../../../../../src/extension/views/jobPage/page/timeline/scale';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 19, 14);

const span = (kind: Span['kind'], from: number, to?: number): Span => ({ kind, from, to, text: kind });

const entryAt = (at: number, kind: Entry['kind'] = 'followUp'): Entry => ({
  ...{ id: `${kind} ${at}`, at, kind, tone: 'plain', title: kind },
});

/** Runs and pauses, one after the other, in minutes. */
function timelineOf(lengths: readonly (readonly [run: number, pause: number])[]): Timeline {
  const spans: Span[] = [];
  const entries: Entry[] = [];
  let at = START;
  for (const [run, pause] of lengths) {
    entries.push(entryAt(at));
    spans.push(span('running', at, at + run * MINUTE));
    at += run * MINUTE;
    spans.push(span('idle', at, at + pause * MINUTE));
    at += pause * MINUTE;
  }
  return { from: START, to: at, spans, entries };
}

const minutes = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 100_000 }));
const timelines = fc.array(fc.tuple(minutes, minutes), { minLength: 1, maxLength: 40 }).map(timelineOf);

describe('the scale of a job’s time line', () => {
  it('is one scale from end to end where nothing has to be cut short', () => {
    const { stretches, at } = scaleOf(timelineOf([[20, 5]]), START);
    deepStrictEqual(
      stretches.map(({ isBroken }) => isBroken),
      [false, false],
    );
    strictEqual(at(START + 20 * MINUTE), 0.8);
  });

  it('is broken where a follow-up came two days later, so that both runs are seen', () => {
    const timeline = timelineOf([
      [10, 48 * 60],
      [10, 1],
    ]);
    const { stretches, at } = scaleOf(timeline, START);
    deepStrictEqual(
      stretches.filter(({ isBroken }) => isBroken).map(({ from, to }) => to - from),
      [48 * HOUR],
    );
    ok(at(START + 10 * MINUTE) > 0.4);
  });

  it('draws a wait of a minute to scale beside a run of two seconds', () => {
    const went = START + 49_000;
    const spans = [span('waiting', START, went), span('running', went, went + 2000)];
    const { stretches, at } = scaleOf({ from: START, to: went + 2000, spans, entries: [] }, START);
    ok(stretches.every(({ isBroken }) => !isBroken));
    ok(Math.abs(at(went) - 49 / 51) < 1e-9);
  });

  it('cuts nothing short where the runs are seen well without that', () => {
    const { stretches } = scaleOf(
      timelineOf([
        [10, 30],
        [10, 1],
      ]),
      START,
    );
    ok(stretches.every(({ isBroken }) => !isBroken));
  });

  it('leaves no room to a wait of less than a second, but to the one that goes on', () => {
    const went = START + 900;
    const waited = span('waiting', START, went);
    const began = { from: START, spans: [waited, span('running', went)], entries: [entryAt(START, 'prompt')] };
    const { stretches, at } = scaleOf(began, went + 1500);
    strictEqual(at(went), 0);
    strictEqual(at(went + 750), 0.5);
    ok(stretches.every(({ isBroken }) => !isBroken));
    strictEqual(scaleOf({ from: START, spans: [span('waiting', START)], entries: [] }, went).at(went), 0.9);
    strictEqual(scaleOf({ from: START, to: went, spans: [waited], entries: [] }, 0).at(went), 0.9);
  });

  it('never breaks a run that was watched, but hours in which nobody could look', () => {
    const from = START + 10 * MINUTE;
    const watched = span('running', START, from + 60 * HOUR);
    const long = { from: START, to: from + 60 * HOUR, spans: [watched], entries: [] };
    ok(scaleOf(long, 0).stretches.every(({ isBroken }) => !isBroken));
    const away = { ...long, spans: [watched, span('unchecked', from, from + 59 * HOUR)] };
    deepStrictEqual(
      scaleOf(away, 0)
        .stretches.filter(({ isBroken }) => isBroken)
        .map(({ to }) => to - from),
      [59 * HOUR],
    );
  });

  it('has a width before anything has happened', () => {
    const { stretches, at } = scaleOf({ from: START, spans: [], entries: [] }, START);
    strictEqual(stretches.length, 1);
    strictEqual(at(START), 0);
    strictEqual(at(START + HOUR), 1);
  });

  it('holds what lies outside of its own borders', () => {
    const timeline = {
      from: START,
      to: START + HOUR,
      spans: [],
      entries: [entryAt(START - HOUR), entryAt(START + 2 * HOUR)],
    };
    deepStrictEqual(reachOf(timeline, 0), { from: START - HOUR, to: START + 2 * HOUR });
  });

  it('covers all the width in order, each stretch next to the other', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const { stretches } = scaleOf(timeline, 0);
        strictEqual(stretches[0]?.start, 0);
        strictEqual(stretches.at(-1)?.end, 1);
        stretches.slice(1).forEach((stretch, index) => {
          strictEqual(stretch.start, stretches[index]?.end);
          strictEqual(stretch.from, stretches[index]?.to);
          ok(stretch.end >= stretch.start);
        });
      }),
    );
  });

  it('never goes backwards and stays inside', () => {
    fc.assert(
      fc.property(
        timelines,
        fc.array(fc.integer({ min: -1000, max: 400_000 }), { maxLength: 30 }),
        (timeline, times) => {
          const { at } = scaleOf(timeline, 0);
          const places = times.toSorted((a, b) => a - b).map((minute) => at(START + minute * MINUTE));
          ok(places.every((place) => place >= 0 && place <= 1));
          deepStrictEqual(
            places,
            places.toSorted((a, b) => a - b),
          );
        },
      ),
    );
  });

  it('draws all that is not broken to the same scale, and every break shorter than that', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const { stretches, perMillisecond } = scaleOf(timeline, 0);
        for (const { from, to, start, end, isBroken } of stretches) {
          const toScale = (to - from) * perMillisecond;
          ok(
            isBroken ? end - start < toScale : Math.abs(end - start - toScale) < 1e-6,
            `${end - start} and ${toScale}`,
          );
        }
      }),
    );
  });

  it('leaves a third of the width to the runs wherever the pauses can be cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 5, max: 60 }), fc.integer({ min: 3000, max: 9000 })), {
          minLength: 2,
          maxLength: 12,
        }),
        (lengths) => {
          const { stretches } = scaleOf(timelineOf(lengths), 0);
          const runs = stretches.filter((_, index) => index % 2 === 0);
          ok(runs.reduce((sum, { start, end }) => sum + end - start, 0) > 1 / 3);
        },
      ),
      // Of many equal pauses none is long by itself.
      { examples: [[Array.from({ length: 12 }, () => [5, 3000] as [number, number])]] },
    );
  });
});
