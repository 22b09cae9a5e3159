import { strictEqual } from 'node:assert/strict';
import { checkSummary } from '../../../../src/extension/features/checks/documentationChecks';

describe('the result of a check', () => {
  it('counts names and pages, and says what was not checked and why', () => {
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
      '12 names on 3 pages are no longer in the code. More findings that aren’t shown: 4. 1,200 pages were checked. Older commits that weren’t searched: 1,020.',
    );
  });

  it('says that a shallow clone has no history', () => {
    const shallow = [{ pages: 1, names: 1, notChecked: [{ reason: 'shallow' as const, count: 1 }] }];
    strictEqual(
      checkSummary({ found: 0, pages: 0, hidden: 0 }, shallow),
      'No outdated names found. 1 page was checked. The clone is shallow: without its full history, removed names can’t be distinguished from names that were never in the code. Run “git fetch --unshallow” and check again.',
    );
  });
});
