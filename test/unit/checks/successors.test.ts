import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { hunksWith, likeness, successorIn } from '../../../src/checks/successors';
import { seed } from '../../support/scale';

describe('the successor of a name', () => {
  const anything = (): boolean => true;

  it('is the name that took its place and still exists', () => {
    const hunk = {
      deleted: ['const limit = maxCount(3);'],
      added: ['const limit = ceiling(3);', 'const maxCounts = 1;'],
    };
    strictEqual(successorIn('maxCount', hunk, anything), 'ceiling');
    strictEqual(
      successorIn('maxCount', hunk, (word) => word !== 'ceiling'),
      'maxCounts',
    );
    strictEqual(successorIn('maxCount', { ...hunk, added: ['return 1;'] }, anything), undefined);
  });

  it('is judged by the words in it and by its spelling', () => {
    strictEqual(likeness('maxRetryCount', 'max_retry_count'), 1);
    strictEqual(likeness('abc', 'xyz') < 0.1, true);
    strictEqual(likeness('retryRetry', 'retry'), 1);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const score = likeness(one, other);
        strictEqual(score >= 0 && score <= 1, true);
      }),
      { seed },
    );
  });

  it('is looked for where the line with the name was', () => {
    const before = ['import x;', 'const one = 1;', 'limit(oldName);', 'const two = 2;', 'oldName();', '}'];
    const after = ['import x;', 'const added = 0;', 'const one = 1;', 'limit(newName);', 'const two = 2;', '}'];
    deepStrictEqual(hunksWith('oldName', before, after), [
      { deleted: ['limit(oldName);'], added: ['limit(newName);'] },
      { deleted: ['oldName();'], added: [] },
    ]);
  });
});
