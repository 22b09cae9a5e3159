import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { FileDiff } from '../../../../src/extension/features/job-page/model';
import type { ImageQuery, JobChanges, JobDiff } from '../../../../src/protocol/changes';

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
