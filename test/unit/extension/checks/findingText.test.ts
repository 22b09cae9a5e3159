import { strictEqual } from 'node:assert/strict';
import type { GoneName } from '../../../../src/extension/features/checks/checkOutput';
import { checkSummary, findingMessage } from '../../../../src/extension/features/checks/findingText';

const finding: GoneName = {
  rule: 'gone-name',
  place: { path: 'docs/a.md', line: 3, column: 5, endColumn: 18 },
  name: 'maxRetryCount',
  kind: 'identifier',
  written: 'a'.repeat(40),
  removed: { commit: '0123456789abcdef', subject: 'Rename the retry options', date: 1 },
  successor: 'retryLimit',
};

describe('the text of a finding', () => {
  it('names the commit that removed the name, and the likely successor', () => {
    strictEqual(
      findingMessage(finding),
      '“maxRetryCount” is no longer in the code. Removed in 0123456 (“Rename the retry options”). Probably replaced by “retryLimit”.',
    );
  });

  it('says only what is known', () => {
    strictEqual(
      findingMessage({ ...finding, removed: null, successor: null }),
      '“maxRetryCount” is no longer in the code.',
    );
  });

  it('is one line without hidden characters, whatever a commit says', () => {
    const removed = { commit: '0123456789abcdef', subject: `a\n\u202eb${'c'.repeat(1_000)}`, date: 1 };
    const text = findingMessage({ ...finding, removed });
    strictEqual(/[\n\u202e]/.test(text), false);
    strictEqual(text.length < 300, true);
  });
});

describe('the result of a check', () => {
  it('counts names and pages, and says what was not looked at and why', () => {
    strictEqual(
      checkSummary({ found: 12, pages: 3, hidden: 4 }, [
        { pages: 1_000, names: 5_000, notChecked: [{ reason: 'commits', count: 20 }] },
        {
          pages: 200,
          names: 1,
          notChecked: [
            { reason: 'commits', count: 1_000 },
            { reason: 'size', count: 0 },
          ],
        },
      ]),
      '12 names on 3 pages are no longer in the code. More that are not shown: 4. 1,200 pages were checked. Older commits that were not searched: 1,020.',
    );
  });

  it('says that a shallow clone has no history', () => {
    const shallow = [{ pages: 1, names: 1, notChecked: [{ reason: 'shallow' as const, count: 1 }] }];
    strictEqual(
      checkSummary({ found: 0, pages: 0, hidden: 0 }, shallow),
      'No outdated names found. 1 page was checked. The clone is shallow: without its full history, names that are gone can’t be told from names that were never in the code. Run “git fetch --unshallow” and check again.',
    );
  });
});
