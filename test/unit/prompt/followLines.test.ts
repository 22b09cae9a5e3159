import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { followLines } from '../../../src/prompt/followLines';

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
