import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  commentBlock,
  findRemainingBlocks,
  type QuotedComment,
  relocate,
  renderReviewComments,
} from '../../../src/prompt/reviewComments';
import { anyName, anyText, readBlocks } from '../../unit/prompt/readMarkdown';
import { followLines } from '../../../src/prompt/followLines';

const GOLDEN = join(import.meta.dirname, 'golden');

const first: QuotedComment = {
  path: 'docs/limits.md',
  side: 'new',
  from: 3,
  to: 3,
  quoted: 'A request is sent five times at most.',
  languageId: 'markdown',
  outdated: false,
  text: 'Say since which version.',
};

const EXAMPLES: Record<string, QuotedComment[]> = {
  reviewComment: [first],
  reviewComments: [
    first,
    {
      ...first,
      side: 'old',
      from: 7,
      to: 9,
      quoted: 'one\n```js\ntwo',
      text: 'Keep this:\n\n- it is right\n> and short\n',
    },
    { ...first, path: 'a `b`.md', quoted: '', languageId: 'x y', outdated: true, text: 'Hidden\u202e mark' },
  ],
};

// Run with DOCS_AGENT_WRITE_GOLDEN=1 to rewrite the golden files, then review the changes.
describe('review comments as one follow-up', () => {
  for (const [name, comments] of Object.entries(EXAMPLES)) {
    it(`match the golden file: ${name}`, async () => {
      const file = join(GOLDEN, `${name}.md`);
      const rendered = `${renderReviewComments(comments)}\n`;
      if (process.env['DOCS_AGENT_WRITE_GOLDEN'] === '1') {
        await writeFile(file, rendered);
      }
      strictEqual(await readFile(file, 'utf8'), rendered);
    });
  }

  it('contain each comment completely and one code fence per quote, whatever the text', () => {
    const comment = fc.record({
      path: anyName,
      side: fc.constantFrom('old' as const, 'new' as const),
      from: fc.integer({ min: 1, max: 9 }),
      to: fc.integer({ min: 1, max: 9 }),
      quoted: anyText,
      languageId: anyText,
      outdated: fc.boolean(),
      text: anyText.filter((text) => text.trim() !== ''),
    });
    fc.assert(
      fc.property(fc.array(comment, { minLength: 1, maxLength: 4 }), (comments) => {
        const prompt = renderReviewComments(comments);
        ok(comments.every((each) => prompt.includes(commentBlock(each).text)));
        deepStrictEqual(
          findRemainingBlocks(`Before.\n\n${prompt}`, comments.map(commentBlock)),
          comments.map(commentBlock),
        );
        strictEqual(readBlocks(prompt).length, comments.filter(({ quoted }) => quoted.trim() !== '').length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('findRemainingBlocks', () => {
  const here = commentBlock({ ...first, text: 'Typo' });
  const there = commentBlock({ ...first, from: 9, to: 9, text: 'Typo in the heading' });
  const held = (prompt: string, ...blocks: (typeof here)[]): string[] =>
    findRemainingBlocks(prompt, blocks).map(({ text }) => text);

  it('does not match a comment whose text is only the beginning of another one', () => {
    deepStrictEqual(held(`${there.title}\n\n${there.text}`, here, there), ['> Typo in the heading']);
  });

  it('matches a comment whose text was reworded or redacted', () => {
    deepStrictEqual(held(`2. ${here.title}\r\n\r\n> Misspelt`, here, there), ['> Typo']);
  });

  it('matches the remaining one of two comments on the same line', () => {
    const other = { ...here, text: '> Too long' };
    deepStrictEqual(held(`1. ${here.title}\n\n> Too long`, here, other), ['> Too long']);
    deepStrictEqual(held(`1. ${here.title}\n\n> Reworded`, here, other), []);
  });

  it('does not match a location that appears only inside another comment’s quoted code', () => {
    deepStrictEqual(held(`${there.title}\n\n\`\`\`\n${here.title}\n\`\`\`\n\n${there.text}`, here, there), [
      there.text,
    ]);
  });
});

describe('relocate', () => {
  for (const [what, quoted, from, text, found] of [
    ['the same', 'b\nc', 2, 'a\nb\nc\n', 2],
    ['further down', 'b', 2, 'a\nx\nb\n', 3],
    ['the same with other line ends', 'b\nc', 2, 'a\r\nb\r\nc\r\n', 2],
    ['nowhere', 'b', 2, 'a\nB\n', undefined],
    ['unclear', 'b', 2, 'b\na\nb\n', undefined],
    ['unclear for a blank line', '', 3, 'a\n\nb', undefined],
  ] as const) {
    it(`locates the quoted lines: ${what}`, () => strictEqual(relocate(quoted, from, text), found));
  }

  it('finds the original line or the only other match', () => {
    const lines = fc.array(fc.constantFrom('', 'a', 'b', 'c'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 9 }), (all, quoted, from) => {
        const found = relocate(quoted.join('\n'), from, all.join('\n'));
        const standsAt = (line: number): boolean =>
          JSON.stringify(all.slice(line - 1, line - 1 + quoted.length)) === JSON.stringify(quoted);
        const places = all.map((_, index) => index + 1).filter(standsAt);
        const only = places.length === 1 && quoted.join('') !== '' ? places[0] : undefined;
        strictEqual(found, standsAt(from) ? from : only);
      }),
    );
  });
});

describe('followLines', () => {
  for (const [what, quoted, from, before, after, found] of [
    ['untouched', 'b', 2, 'a\nb\n', 'a\nb\n', { from: 2, isChanged: false }],
    ['below new lines', 'b\nc', 2, 'a\nb\nc\n', 'x\na\ny\nb\nc\n', { from: 4, isChanged: false }],
    ['with other line ends', 'b', 2, 'a\nb\n', 'a\r\nb\r\n', { from: 2, isChanged: false }],
    ['replaced', 'b', 2, 'a\nb\nc', 'a\nB\nc', { from: 2, isChanged: true }],
    ['deleted at the end', 'c', 3, 'a\nb\nc', 'a\nb', { from: 2, isChanged: true }],
    ['with a new line between them', 'b\nc', 2, 'a\nb\nc', 'a\nb\nx\nc', { from: 2, isChanged: true }],
    ['moved', 'a', 1, 'a\nb\nc\nd', 'b\nc\nd\na', { from: 4, isChanged: false }],
    ['the second of two equal ones, replaced', 'b', 3, 'b\na\nb\nc', 'b\na\nB\nc', { from: 3, isChanged: true }],
    ['the first of two equal ones, replaced', 'b', 1, 'b\na\nb', 'x\na\nb', { from: 1, isChanged: true }],
    ['blank and deleted', '', 2, 'a\n\nb', 'a\nb', { from: 2, isChanged: true }],
    ['in an emptied file', 'a', 1, 'a', '', { from: 1, isChanged: true }],
    ['of an unknown version', 'b', 2, undefined, 'x\nx\nb', { from: 3, isChanged: false }],
    ['of an unknown version, one of several', 'b', 2, undefined, 'b\nx\nb', { from: 2, isChanged: false }],
    ['of an unknown version, gone', 'b', 9, undefined, 'x\nx', { from: 2, isChanged: true }],
  ] as const) {
    it(`follows lines: ${what}`, () => deepStrictEqual(followLines(quoted, from, before, after), found));
  }

  const lines = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 });

  it('calls lines unchanged only where they are, and finds them below and above any insertion', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(7), fc.nat(7), fc.boolean(), (before, other, at, length, isInserted) => {
        const from = (at % before.length) + 1;
        const quoted = before.slice(from - 1, from + length);
        const after = isInserted ? [...other.map((line) => `+${line}`), ...before, ...other] : other;
        const found = followLines(quoted.join('\n'), from, before.join('\n'), after.join('\n'));
        const there = after.slice(found.from - 1, found.from - 1 + quoted.length);
        strictEqual(found.from >= 1 && found.from <= after.length, true);
        if (!found.isChanged) {
          deepStrictEqual(there, quoted);
        }
        strictEqual(isInserted && found.isChanged, false);
      }),
    );
  });
});
