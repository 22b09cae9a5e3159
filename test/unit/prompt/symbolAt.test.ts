import assert from 'node:assert/strict';
import { type AnySymbol, type Span, symbolAt } from '../../../src/prompt/symbolAt';

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
