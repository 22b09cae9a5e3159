import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { HistoryReader } from '../../../src/checks/historyReader';
import { likeness, successorIn } from '../../../src/checks/historyReader';
import { seed } from '../../support/scale';

const LOG = `\u0001${'a'.repeat(40)} 1600000000 Rename it

diff --git a/src/a b.ts b/src/a b.ts
index 1..2 100644
--- a/src/a b.ts\t
+++ b/src/a b.ts\t
@@ -1 +1,2 @@
-const oldName = 1;
+const newName = 1;
+-- not a header
diff --git a/src/gone.ts b/src/gone.ts
deleted file mode 100644
--- a/src/gone.ts
+++ /dev/null
@@ -1,2 +0,0 @@
--- oldName
-// It has an other
`;

interface Read {
  hunks: (readonly [path: string, words: string[], added: readonly string[]])[];
  removed: string[];
}

function read(pieces: readonly string[]): Read {
  const found: Read = { hunks: [], removed: [] };
  const reader = new HistoryReader({
    wants: (word) => word === 'oldName' || word === 'other',
    hunk: ({ path, words, added }) => found.hunks.push([path, [...words].map(([a, b]) => `${a} ${b}`), added]),
    files: ({ removed }) => found.removed.push(...removed),
    commit: () => undefined,
  });
  pieces.forEach((piece) => reader.push(piece));
  reader.end();
  return found;
}

describe('git history', () => {
  it('is read the same however it is cut into chunks', () => {
    const whole = read([LOG]);
    deepStrictEqual(whole.hunks, [
      ['src/a b.ts', ['oldName true'], ['const newName = 1;', '-- not a header']],
      ['src/gone.ts', ['oldName false', 'other false'], []],
    ]);
    deepStrictEqual(whole.removed, ['src/gone.ts']);
    fc.assert(
      fc.property(fc.array(fc.nat(LOG.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), LOG.length];
        deepStrictEqual(read(at.slice(1).map((end, index) => LOG.slice(at[index], end))), whole);
      }),
      { seed },
    );
  });
});

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
});
