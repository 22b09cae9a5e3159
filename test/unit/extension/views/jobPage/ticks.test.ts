import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { scaleOf } from '../../../../../src/extension/views/jobPage/page/timeline/scale';
import { ticksOf } from '../../../../../src/extension/views/jobPage/page/timeline/ticks';

const MINUTE = 60_000;
const GAP = 84;

/** Half-hour zones and both kinds of clock change. */
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'];

const idle = (from: number, to: number) => ({ from, to, spans: [], entries: [] });

describe('the ticks of a job’s time line', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) {
      delete process.env['TZ'];
    } else {
      process.env['TZ'] = zone;
    }
  });

  it('stand at round local times, after the beginning', () => {
    const from = new Date(2026, 10, 19, 14, 2, 10).getTime();
    const ticks = ticksOf(scaleOf(idle(from, from + 60 * MINUTE), 0), 800, GAP);
    deepStrictEqual(
      ticks.map(({ time }) => new Date(time).getHours() * 100 + new Date(time).getMinutes()),
      [1402, 1410, 1420, 1430, 1440, 1450, 1500],
    );
    deepStrictEqual(
      ticks.map(({ isNewDay }) => isNewDay),
      [true, false, false, false, false, false, false],
    );
  });

  it('tell where the line goes on after a break, and of which day', () => {
    const from = new Date(2026, 10, 19, 14, 0).getTime();
    const later = from + 48 * 60 * MINUTE;
    const run = (start: number) => ({ kind: 'running' as const, from: start, to: start + 10 * MINUTE, text: '' });
    const timeline = { from, to: later + 10 * MINUTE, spans: [run(from), run(later)], entries: [] };
    const ticks = ticksOf(scaleOf(timeline, 0), 800, GAP);
    ok(ticks.some(({ time, isNewDay }) => time === later && isNewDay));
  });

  for (const each of ZONES) {
    it(`are round, in order and apart on every scale: ${each}`, () => {
      process.env['TZ'] = each;
      fc.assert(
        fc.property(
          // Spring and autumn of one year have both changes of the clock.
          fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 1) }),
          fc.oneof(...[2_000, 600_000, 40_000_000, 3_000_000_000].map((max) => fc.integer({ min: 1000, max }))),
          fc.integer({ min: 200, max: 1500 }),
          (from, length, width) => {
            const ticks = ticksOf(scaleOf(idle(from, from + length), 0), width, GAP);
            deepStrictEqual(ticks[0]?.time, from);
            ticks.slice(1).forEach(({ time, x, tells }, index) => {
              ok(x - (ticks[index]?.x ?? 0) >= GAP - 1e-6);
              const date = new Date(time);
              const rest =
                tells === 'day' ? date.getHours() + date.getMinutes() : tells === 'minutes' ? date.getSeconds() : 0;
              deepStrictEqual([rest, date.getMilliseconds()], [0, 0]);
            });
            ok(ticks.length <= width / GAP + 1);
          },
        ),
      );
    });
  }
});
