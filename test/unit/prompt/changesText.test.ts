import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { type ChangedFile, changesText, patchesIn, patchHeader } from '../../../src/prompt/changesText';

const none = { files: 0, added: 0, deleted: 0 };
const file = (path: string, added = 1, deleted = 0): ChangedFile => ({ path, status: 'M', added, deleted });
const diffOf = (path: string, ...lines: string[]): string =>
  `${patchHeader({ path })}\n@@ -1 +1 @@\n${lines.join('\n')}\n`;

describe('the text of changes', () => {
  it('has the diffs of its files, and not those that git includes when a path has become a folder', () => {
    const files = [file('a'), file('größe "x"')];
    const diff = diffOf('a/b', '+1') + diffOf('größe "x"', '+2') + diffOf('a', '+3');
    deepStrictEqual(
      [...patchesIn(diff, files)].map(([{ path }, text]) => [path, text.split('\n').at(-1)]),
      [
        ['größe "x"', '+2'],
        ['a', '+3'],
      ],
    );
  });

  it('shares its budget among the diffs, says what was left out, and shows invisible characters', () => {
    const files = [file('long', 300), file('short'), file('unread', 9)];
    const lines = Array.from({ length: 300 }, (_, index) => `+line ${index}`);
    const odd = '+\u001b[31mred\u0000\u202e\tx\r';
    const text = changesText(
      { files, more: none, patches: patchesIn(diffOf('long', ...lines) + diffOf('short', odd), files) },
      1_000,
    );
    match(text, /^3 files changed, \+310 -0\nM long, \+300 -0\nM short, \+1 -0\nM unread, \+9 -0, not shown\n\n/);
    match(text, /\n\+line 0\n[^]*\n… 2\d\d lines left out\n[^]*\n\+line 299\n/);
    ok(text.endsWith('\n+␛[31mred␀[U+202E]\tx'));
    ok(text.length < 1_500);
  });

  it('lists files until the list is full, with correct totals, and quotes paths like git', () => {
    const files = Array.from({ length: 2000 }, (_, index) => file(`docs/chapter-${index}/page.md`, 10, 1));
    const text = changesText({ files, more: { files: 34, added: 5, deleted: 6 }, patches: new Map() });
    match(text, /^2,034 files changed, \+20,005 -2,006\nM docs\/chapter-0\/page\.md, \+10 -1, not shown\n/);
    match(text, /\n… 1,\d{3} lines left out\n[^]*\n… and 34 more files, \+5 -6, not shown$/);
    ok(text.length < 9_000);
    const quoted = changesText({ files: [file('a\n"b"\u001b')], more: none, patches: new Map() });
    match(quoted, /^M "a\\n\\"b\\"\\033", \+1 -0, not shown$/m);
  });
});
