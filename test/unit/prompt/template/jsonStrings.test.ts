import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { type Node, getNodePath, parseTree } from 'jsonc-parser';
import { type JsonString, jsonStrings } from '../../../../src/prompt/template/jsonStrings';

/** The same by the library that the editor itself reads settings with. */
function byLibrary(source: string): JsonString[] {
  const stringsIn = (node: Node): Node[] =>
    node.type === 'property'
      ? (node.children ?? []).slice(1).flatMap(stringsIn)
      : [...(node.type === 'string' ? [node] : []), ...(node.children ?? []).flatMap(stringsIn)];
  const root = parseTree(source, undefined, { allowTrailingComma: true });
  return (root === undefined ? [] : stringsIn(root)).map((node) => ({
    path: getNodePath(node).map((name) => (typeof name === 'string' ? name : undefined)),
    offset: node.offset,
    length: node.length,
  }));
}

/** Between any two tokens. */
const gap = fc.constantFrom('', ' ', '\n', '\r\n', '/* "a": { */', '// "b": [\n', '/**/', '\t');

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0061"', '"//"', '"/*"', '"\\\\"', '"\\""', '"{"', '"a"'),
);

const { json } = fc.letrec<{ json: string; value: string }>((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, word, fc.constantFrom('null', 'true', '-1.5e3'), tie('value')),
  value: fc.oneof(
    fc.array(fc.tuple(word, gap, gap, tie('json'), gap), { maxLength: 4 }).map((members) => {
      const written = members.map(([name, one, two, value, three]) => `${name}${one}:${two}${value}${three}`);
      return `{${written.join(',')}}`;
    }),
    fc.tuple(fc.array(fc.tuple(gap, tie('json'), gap), { maxLength: 4 }), fc.boolean()).map(([items, isOpen]) => {
      const written = items.map((parts) => parts.join(''));
      return `[${written.join(',')}${isOpen && items.length > 0 ? ',' : ''}]`;
    }),
  ),
}));

describe('the texts in JSON with comments', () => {
  it('are those that the editor’s library finds, at the same places and by the same names', () =>
    fc.assert(
      fc.property(gap, fc.oneof(json, fc.constant('{}')), gap, (before, value, after) => {
        const source = before + (/^[[{]/.test(value) ? value : `[${value}]`) + after;
        deepStrictEqual([...jsonStrings(source)], byLibrary(source));
      }),
      { numRuns: 2000 },
    ));

  it('are found in what is broken too, where something is written, without an end to the work', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(word, gap, fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '/', '*', '\n')), {
          maxLength: 60,
        }),
        (parts) => {
          const source = parts.join('');
          for (const { offset, length } of jsonStrings(source)) {
            ok(source[offset] === '"' && length > 0 && offset + length <= source.length);
          }
        },
      ),
    );
    const deep = [...jsonStrings('['.repeat(100_000) + '"x"')];
    deepStrictEqual([deep.length, deep[0]?.path.length], [1, 100_000]);
  });
});
