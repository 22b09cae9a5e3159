import assert from 'node:assert/strict';
import { CommitPages, MAX_COMMITS } from '../../../../../src/extension/features/prompt/changes/commitPicker';
import type { GitCommit, GitRepository } from '../../../../../src/extension/platform/gitExtension';

type Log = GitRepository['log'];

function pagesOf(log: Log): CommitPages {
  const state = { HEAD: { commit: 'c0' } } as GitRepository['state'];
  return new CommitPages({ log, state });
}

/** A log with this many commits. */
function logOf(count: number): Log {
  return ({ maxEntries, skip = 0 }) =>
    Promise.resolve(
      Array.from({ length: Math.max(0, Math.min(maxEntries, count - skip)) }, (_, index): GitCommit => {
        return { hash: `c${skip + index}`, message: 'x' };
      }),
    );
}

async function readAll(pages: CommitPages): Promise<void> {
  while (await pages.more()) {
    // Keep reading.
  }
}

describe('CommitPages', () => {
  it('reads the log to the end', async () => {
    const pages = pagesOf(logOf(250));
    await readAll(pages);
    assert.deepEqual([pages.all.length, pages.all.at(-1)?.hash, pages.end], [250, 'c249', 'all read']);
  });

  it('reports that there are more commits than it reads', async () => {
    const pages = pagesOf(logOf(1_000_000));
    for (; pages.end === undefined; await pages.more());
    assert.deepEqual([pages.all.length, pages.end], [MAX_COMMITS, 'too many']);
  });

  it('reports why reading failed, but not for a repository without commits', async () => {
    const failed = new Error('the log is damaged');
    const pages = pagesOf(() => Promise.reject(failed));
    await readAll(pages);
    assert.deepEqual(pages.end, { failed });
    const state = { HEAD: undefined } as GitRepository['state'];
    const empty = new CommitPages({ log: () => Promise.reject(failed), state });
    await readAll(empty);
    assert.equal(empty.end, 'all read');
  });

  it('reads no more once closed', async () => {
    let asked = 0;
    const log = logOf(1000);
    const pages = pagesOf((options) => {
      asked += 1;
      return log(options);
    });
    const reading = pages.more();
    pages.close();
    assert.equal(await reading, false);
    assert.equal(await pages.more(), false);
    assert.equal(asked, 1);
  });
});
