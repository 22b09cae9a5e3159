import { deepEqual, equal, match, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { type ChangedFile, changesText, patchHeader, patchOf } from '../../../src/prompt/changesText';

const none = { files: 0, added: 0, deleted: 0 };
const file = (path: string, added = 1, deleted = 0): ChangedFile => ({ path, status: 'M', added, deleted });

describe('patchOf', () => {
  it('returns the whole diff if it fits', () => {
    const diff = `${patchHeader(file('a'))}\nindex 1..2\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n`;
    const patch = patchOf(file('a', 1, 1), diff, 1_000);
    equal(patch?.lines.join('\n'), diff.trimEnd());
    deepEqual([patch.shown, patch.isCut], [2, false]);
  });

  it('returns the first lines within the budget and counts the changed lines left out', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('+a', '-b', ' c'), { minLength: 1 }), fc.nat(300), (lines, budget) => {
        const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
        const changed = file('a', count('+'), count('-'));
        const diff = `${patchHeader(changed)}\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n${lines.join('\n')}\n`;
        const patch = patchOf(changed, diff, budget);
        ok((patch?.lines.join('\n').length ?? 0) <= budget);
        const text = changesText({ files: [changed], more: none, patches: patch === undefined ? [] : [patch] });
        const left = Number(/^… (\d+) changed lines? left out$/m.exec(text)?.[1] ?? 0);
        equal(patch === undefined ? count('+') + count('-') : patch.shown + left, count('+') + count('-'));
      }),
    );
  });

  it('ignores diffs of other files, which git includes when a path has become a folder', () => {
    const diff = ['a/b', 'a', 'a/c'].map((path) => `${patchHeader({ path })}\n@@ -1 +1 @@\n+${path}\n`).join('');
    deepEqual(patchOf(file('a'), diff, 1_000)?.lines.slice(1), ['@@ -1 +1 @@', '+a']);
    equal(patchOf(file('b'), diff, 1_000), undefined);
  });

  it('marks a diff as cut when it was not read completely', () => {
    const diff = `${patchHeader(file('a'))}\n@@ -1 +1 @@\n+1\n`;
    equal(patchOf(file('a', 9), diff, 1_000, false)?.isCut, true);
    equal(patchOf(file('a', 9_999), diff + '+x\n'.repeat(9_998), 1_000_000)?.isCut, true);
  });

  it('truncates long lines and shows control and invisible characters', () => {
    const odd = '+\u001b[31mred\u0000\u007f\u202e \u200b \u{E0041} \u3164\ufe01 👩‍👧\tx\r';
    const diff = `${patchHeader(file('a'))}\n@@ -1 +1 @@\n${odd}\n+${'é'.repeat(500_000)}\n`;
    const [, , shown, long = ''] = patchOf(file('a', 2), diff, 10_000)?.lines ?? [];
    equal(shown, '+␛[31mred␀␡[U+202E] [U+200B] [U+E0041] [U+3164][U+FE01] 👩‍👧\tx');
    match(long, /^\+é{1999}… the rest of this line left out$/);
  });
});

describe('changesText', () => {
  it('lists files until the list is full, counts the others, and reports correct totals', () => {
    const files = Array.from({ length: 2000 }, (_, index) => file(`docs/chapter-${index}/page.md`, 10, 1));
    const text = changesText({ files, more: { files: 34, added: 5, deleted: 6 }, patches: [] });
    const rows = text.match(/^M docs\/chapter-\d+\/page\.md, \+10 -1, not shown$/gm)?.length ?? 0;
    match(text, /^2,034 files changed, \+20,005 -2,006\n/);
    const more = `… and ${(2034 - rows).toLocaleString('en-US')} more files, +${((2000 - rows) * 10 + 5).toLocaleString('en-US')}`;
    ok(rows > 100 && text.includes(more), text.slice(-100));
  });

  it('quotes paths like git, so that no path ends its line', () => {
    const text = changesText({ files: [file('a\n"b"\u001b'), file('größe')], more: none, patches: [] });
    match(text, /^M "a\\n\\"b\\"\\033", \+1 -0, not shown$/m);
    match(text, /^M größe, \+1 -0, not shown$/m);
  });
});
