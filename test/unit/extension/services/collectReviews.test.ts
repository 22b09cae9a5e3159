import { deepStrictEqual } from 'node:assert/strict';
import { collectReviews } from '../../../../src/extension/platform/localReviews';
import type { WireJob } from '../../../../src/protocol/job';

const timeOf = (day: number): number => Date.UTC(2026, 0, day);

/** Ten jobs, one per day, newest first. */
async function* listed(read: string[], change: Record<string, object> = {}): AsyncGenerator<WireJob> {
  for (let day = 10; day > 0; day--) {
    await Promise.resolve();
    const id = `j${day}`;
    read.push(id);
    yield { id, status: 'completed', createdAt: new Date(timeOf(day)).toISOString(), ...change[id] };
  }
}

describe('collectReviews', () => {
  it('reads until it has found all wanted jobs', async () => {
    const read: string[] = [];
    const change = { j9: { review: 'merged' }, j8: { review: 'new', status: 'completed' } };
    const found = await collectReviews(listed(read, change), { ids: new Set(['j9', 'j8']), since: timeOf(8) });
    deepStrictEqual([[...found], read.at(-1)], [[...Object.entries({ j9: 'merged', j8: 'open' })], 'j8']);
  });

  it('stops at jobs older than all wanted ones if a wanted job is missing', async () => {
    const read: string[] = [];
    const found = await collectReviews(listed(read), { ids: new Set(['gone', 'j9']), since: timeOf(9) });
    deepStrictEqual([[...found], read], [[['j9', 'open']], ['j10', 'j9', 'j8']]);
  });

  it('reads to the end if no age is known, and omits a job that is active again', async () => {
    const read: string[] = [];
    const wanted = { ids: new Set(['gone', 'j9']), since: -Infinity };
    const found = await collectReviews(listed(read, { j9: { status: 'active' } }), wanted);
    deepStrictEqual([found.size, read.length], [0, 10]);
  });
});
