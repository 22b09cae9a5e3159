import assert from 'node:assert/strict';
import { PLAIN_DIFF } from '../../../../src/git/diff';
import { toChangedFiles, WORD_DIFF } from '../../../../src/local-service/review/changedWords';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

describe('the changed words of the review page', () => {
  /** What the page shows of the changes between two scripts: the notes and the hunks of each file. */
  async function shown(before: string, after: string, ...kinds: string[]): Promise<[notes: string, hunks: string][]> {
    const folder = await temporaryFolder();
    const shell = (script: string): Promise<string> => git(folder, '-c', `alias.x=!set -e; ${script}`, 'x');
    await git(folder, 'init', '--quiet');
    await shell(`${before}; git add --all; git commit --quiet -m Before; ${after}; git add --all`);
    const diff = await git(folder, '-c', 'core.fileMode=true', ...PLAIN_DIFF, ...WORD_DIFF, '--cached');
    const files = toChangedFiles(
      diff,
      kinds.map((status) => ({ status })),
    );
    return files.map(({ notes, hunks }) => [notes.join(', '), hunks.join('|')]);
  }
  const line = (before: string, after: string) =>
    shown(`printf '${before}' > a.md`, `printf '${after}' > a.md`, 'M').then((files) => files[0]?.[1]);

  it('marks words, punctuation, indentation, and line endings, and escapes text', async () => {
    for (const [before, after, hunk] of [
      ['It waits.\\n', 'It waits, twice.\\n', 'It waits<ins>, twice</ins>.\n'],
      ['one\\nold <b>\\n', 'one\\n', 'one\n<del>old &lt;b&gt;</del>\n'],
      ['Grüße, é\\n', 'Grüßt, è\\n', '<del>Grüße</del><ins>Grüßt</ins>, <del>é</del><ins>è</ins>\n'],
      ['a:\\n  b\\n', 'a:\\n    b\\n', 'a:\n<del>  </del><ins>    </ins>b\n'],
      ['one\\r\\n', 'one\\n', 'one<del>⟨U+000D⟩</del>\n'],
      ['one\\r\\n', 'two\\r\\n', '<del>one</del><ins>two</ins>\n'],
      ['~\\n@@ -1 +1 @@\\n', '~\\n@@ -1 +2 @@\\n', '~\n@@ -1 +<del>1</del><ins>2</ins> @@\n'],
      ['a\\n', 'a\\ndiff --git a/x b/x\\n', 'a\n<ins>diff --git a/x b/x</ins>\n'],
      ['a\\n', 'a\\rb\\342\\200\\250diff --git\\n', 'a<ins>⟨U+000D⟩b⟨U+2028⟩diff --git</ins>\n'],
      ['a\\n', 'a\\342\\200\\213\\n', '<del>a</del><ins>a⟨U+200B⟩</ins>\n'],
    ] as const) {
      assert.equal(await line(before, after), hunk, before);
    }
  });

  it('says what the text doesn’t show: modes, names, links, and binary files', async () => {
    const before = 'echo x > off; chmod +x off; echo long text > old; echo x > became; echo x > gone; ln -s a link';
    const after = `chmod -x off; mv old 'new "name"'; ln -sf off became; rm gone; printf "\\0\\1" > a.png; ln -sf b link`;
    assert.deepEqual(await shown(before, after, 'A', 'T', 'D', 'M', 'R', 'M'), [
      ['new, binary', ''],
      ['deleted, new file mode 120000', '<del>x</del>\n|<ins>off</ins>\n'],
      ['deleted', '<del>x</del>\n'],
      ['', '<del>a</del><ins>b</ins>\n'],
      ['rename from old', ''],
      ['old mode 100755, new mode 100644', ''],
    ]);
  });
});
