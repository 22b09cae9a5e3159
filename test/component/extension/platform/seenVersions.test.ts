import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitsByPrompt } from '../../../../src/extension/platform/jobRepository';
import { SeenVersions } from '../../../../src/extension/platform/seenVersions';
import type { OutgoingPrompt, TrackedJob } from '../../../../src/jobs/trackedJob';
import { temporaryFolder } from '../../../support/temporaryRepository';

const nothing = (): undefined => undefined;
const log = { info: nothing, warn: nothing, error: nothing };
const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

describe('seen versions of a job', () => {
  const job = (endedAt: number, key = 'j'): TrackedJob =>
    ({ key, endedAt, snapshot: { status: 'completed', ref: 'docs-agent/x' } }) as unknown as TrackedJob;
  let file: string;
  let seen: SeenVersions;

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'seen.json');
    seen = new SeenVersions(file, log);
  });

  it('are those whose changes were all opened, even in another window', async () => {
    strictEqual(seen.hasNew(job(1)), false);
    await seen.noteReviewed(job(1), A);
    deepStrictEqual([seen.hasNew(job(1)), seen.hasNew(job(2))], [false, true]);
    const other = new SeenVersions(file, log);
    strictEqual(await other.reviewedCommit('j'), A);
    strictEqual(other.hasNew(job(2)), true);
    await other.noteReviewed(job(2), B);
    strictEqual(await seen.reviewedCommit('j'), B);
    strictEqual(seen.hasNew(job(2)), false);
  });

  it('include the version that the page showed, once it shows the next one', async () => {
    await seen.noteShown(job(1), A);
    await seen.noteShown(job(1), A);
    strictEqual(await seen.reviewedCommit('j'), undefined);
    await seen.noteShown(job(2), B);
    strictEqual(await seen.reviewedCommit('j'), A);
    strictEqual(seen.hasNew(job(2)), true);
    await seen.noteShown(job(3), C);
    strictEqual(await seen.reviewedCommit('j'), B);
    await seen.noteReviewed(job(3), C);
    await seen.noteShown(job(3), C);
    strictEqual(await seen.reviewedCommit('j'), C);
  });

  it('are kept for a limited number of jobs, and ignored if they are not commits', async () => {
    await seen.noteReviewed(job(1, 'bad'), '--output=x');
    for (let number = 0; number < 501; number += 1) {
      await seen.noteReviewed(job(1, `j${number}`), A);
    }
    strictEqual((JSON.parse(await readFile(file, 'utf8')) as unknown[]).length, 500);
    const other = new SeenVersions(file, log);
    deepStrictEqual(
      [await other.reviewedCommit('bad'), await other.reviewedCommit('j0'), await other.reviewedCommit('j500')],
      [undefined, undefined, A],
    );
  });
});

describe('the commits of a job’s prompts', () => {
  const send = (id: string, text: string, state = 'created'): OutgoingPrompt =>
    ({ id, text, state }) as unknown as OutgoingPrompt;

  it('are found by the text of the prompts, even if other prompts were sent elsewhere', () => {
    const long = 'x'.repeat(5000);
    const rounds = [
      { prompt: 'Write', commit: A },
      { prompt: 'Elsewhere', commit: C },
      { prompt: long.slice(0, 200), commit: B },
      { prompt: 'Again', commit: null },
      { prompt: 'Again', commit: C },
    ];
    const prompts = [
      send('1', 'Write'),
      send('2', long),
      send('3', 'Again'),
      send('4', 'Again'),
      send('5', 'Write', 'queued'),
    ];
    deepStrictEqual([...commitsByPrompt(prompts, rounds)].toSorted(), [
      ['1', A],
      ['2', B],
      ['4', C],
    ]);
    deepStrictEqual([...commitsByPrompt(prompts, undefined)], []);
  });
});
