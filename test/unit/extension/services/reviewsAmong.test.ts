import { deepStrictEqual } from 'node:assert/strict';
import { reviewsAmong } from '../../../../src/extension/platform/localAccess';
import type { WireJob } from '../../../../src/protocol/job';

const timeOf = (day: number): number => Date.UTC(2026, 0, day);

/** Ten jobs, one a day, the newest first. */
async function* listed(read: string[], change: Record<string, object> = {}): AsyncGenerator<WireJob> {
  for (let day = 10; day > 0; day--) {
    await Promise.resolve();
    const id = `j${day}`;
    read.push(id);
    yield { id, status: 'completed', createdAt: new Date(timeOf(day)).toISOString(), ...change[id] };
  }
}

describe('what the user did on the review pages of jobs', () => {
  it('is read until all that are wanted were there', async () => {
    const read: string[] = [];
    const change = { j9: { review: 'merged' }, j8: { review: 'new', status: 'completed' } };
    const found = await reviewsAmong(listed(read, change), { ids: new Set(['j9', 'j8']), since: timeOf(8) });
    deepStrictEqual([[...found], read.at(-1)], [[...Object.entries({ j9: 'merged', j8: 'open' })], 'j8']);
  });

  it('is read no further than to jobs that are older than all that are wanted, where one is gone', async () => {
    const read: string[] = [];
    const found = await reviewsAmong(listed(read), { ids: new Set(['gone', 'j9']), since: timeOf(9) });
    deepStrictEqual([[...found], read], [[['j9', 'open']], ['j10', 'j9', 'j8']]);
  });

  it('is read to the end where no age is known, and says nothing of a job that is worked on again', async () => {
    const read: string[] = [];
    const wanted = { ids: new Set(['gone', 'j9']), since: -Infinity };
    const found = await reviewsAmong(listed(read, { j9: { status: 'active' } }), wanted);
    deepStrictEqual([found.size, read.length], [0, 10]);
  });
});
