import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AnySymbol, type Span, commentStart, symbolAt } from '../../../src/prompt/symbolAt';

const span = (from: number, to: number): Span => ({
  start: { line: from, character: 0 },
  end: { line: to, character: 1 },
});
const at = (line: number): { line: number; character: number } => ({ line, character: 0 });

describe('symbolAt', () => {
  const tree: AnySymbol[] = [
    {
      name: 'Client',
      kind: 4,
      range: span(0, 20),
      children: [
        { name: 'send', kind: 5, range: span(3, 9), children: [{ name: 'inner', kind: 11, range: span(5, 6) }] },
        { name: 'close', kind: 5, range: span(11, 12) },
      ],
    },
    { name: 'other', kind: 11, range: span(22, 23) },
  ];
  const flat: AnySymbol[] = [
    { name: 'Client', kind: 4, location: { range: span(0, 20) }, containerName: '' },
    { name: 'send', kind: 5, location: { range: span(3, 9) }, containerName: 'Client' },
  ];

  for (const [symbols, line, names] of [
    [tree, 5, ['Client', 'send', 'inner']],
    [tree, 8, ['Client', 'send']],
    [tree, 10, ['Client']],
    [tree, 22, ['other']],
    [flat, 5, ['Client', 'send']],
    [flat.toReversed(), 5, ['Client', 'send']],
    [flat, 15, ['Client']],
  ] as const) {
    it(`finds ${names.join('.')} at line ${line}`, () => {
      assert.deepEqual(symbolAt(symbols, at(line))?.names, names);
    });
  }

  it('finds nothing between symbols', () => assert.equal(symbolAt(tree, at(21)), undefined));
});

describe('commentStart', () => {
  for (const [what, above, taken] of [
    ['a documentation comment', ['x = 1;', '/**', ' * Sends it.', ' */'], 3],
    ['a comment of one line', ['}', '/** Sends it. */'], 1],
    ['a comment without stars', ['/* Sends', '   it. */'], 0],
    ['line comments', ['', '// Sends it', '// at once'], 2],
    ['a comment above a decorator', ['# Sends it', '@retry(3)'], 2],
    ['attributes', ['/// Sends it.', '#[inline]'], 2],
    ['none where code stands above', ['x = 1;'], 0],
    ['none where a comment is behind code', ['x = 1; /* one', '   two */'], 0],
    ['none after an empty line', ['// License', ''], 0],
    ['none of what never began', ['two */'], 0],
  ] as const) {
    it(`includes ${what}`, () =>
      assert.equal(commentStart([...above, 'send() {'], above.length), above.length - taken));
  }

  it('is never below the symbol, whatever is above it', () => {
    const line = fc.oneof(fc.constantFrom('/**', '*/', '* x', '// x', '/* x */', '', 'code', '@x', '[x]'), fc.string());
    fc.assert(
      fc.property(fc.array(line), (above) => {
        const start = commentStart([...above, 'symbol'], above.length);
        assert.ok(start >= 0 && start <= above.length);
      }),
    );
  });
});
