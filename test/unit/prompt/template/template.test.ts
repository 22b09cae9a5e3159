import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { askKey, asksOf } from '../../../../src/prompt/template/asks';
import { fillTemplate, namesOf } from '../../../../src/prompt/template/fillTemplate';
import { formatTemplate } from '../../../../src/prompt/template/formatTemplate';
import { parseTemplate } from '../../../../src/prompt/template/parseTemplate';
import type { Variable } from '../../../../src/prompt/template/readVariable';
import { CONTEXT_VARIABLES, VALUE_VARIABLES } from '../../../../src/prompt/template/variables';

/** What a template means, without the places. */
function meaning(source: string): (string | Variable)[] {
  return parseTemplate(source).pieces.map(({ start, end, ...piece }) => {
    ok(start < end);
    return piece.kind === 'text' ? piece.text : piece;
  });
}

/** Text that is likely to hold what matters here. */
const text = fc
  .array(
    fc.oneof(fc.constantFrom('$', '{', '${', '}', '\\', '|', ':', '\n', '\r\n', ' ', 'file', 'input'), fc.string()),
  )
  .map((parts) => parts.join(''));
const word = text.map((each) => each.replace(/[\r\n]/g, '').trim()).filter((each) => each !== '');
const variable: fc.Arbitrary<Variable> = fc.oneof(
  fc.constantFrom(...CONTEXT_VARIABLES).map((name) => ({ kind: 'context' as const, name })),
  fc.constantFrom(...VALUE_VARIABLES).map((name) => ({ kind: 'value' as const, name })),
  word.map((question) => ({ kind: 'input' as const, question })),
  fc.uniqueArray(word, { minLength: 2, maxLength: 4 }).map((choices) => ({ kind: 'pick' as const, choices })),
);
const parts = fc
  .array(fc.oneof(text, variable))
  // Neighbouring texts are one.
  .map((all) => all.filter((part, i) => part !== '' && !(typeof part === 'string' && typeof all[i - 1] === 'string')));

describe('a prompt template', () => {
  it('is text, context, values and questions', () => {
    deepStrictEqual(meaning('Fix ${relativeFile} on ${branch}:\n${selection}\n${input:What for?} ${pick:short|long}'), [
      'Fix ',
      { kind: 'value', name: 'relativeFile' },
      ' on ',
      { kind: 'value', name: 'branch' },
      ':\n',
      { kind: 'context', name: 'selection' },
      '\n',
      { kind: 'input', question: 'What for?' },
      ' ',
      { kind: 'pick', choices: ['short', 'long'] },
    ]);
  });

  for (const [source, means] of [
    ['\\${file}', ['${file}']],
    ['\\\\${file}', ['\\', { kind: 'value', name: 'file' }]],
    ['\\\\\\${file}', ['\\${file}']],
    ['C:\\\\docs \\$ $ {}', ['C:\\\\docs \\$ $ {}']],
    ['${input:a \\} b \\\\ c \\n}', [{ kind: 'input', question: 'a } b \\ c \\n' }]],
    ['${pick: a\\|b | c ||c}', [{ kind: 'pick', choices: ['a|b', 'c'] }]],
    ['${input:why: so}', [{ kind: 'input', question: 'why: so' }]],
  ] as const) {
    it(`reads ${source}`, () => deepStrictEqual(meaning(source), means));
  }

  for (const [source, kind, name, at] of [
    ['a ${selectoin} b', 'unknown', 'selectoin', '${selectoin}'],
    ['${}', 'unknown', '', '${}'],
    ['${file:x}', 'argument', 'file', '${file:x}'],
    ['${input: }', 'question', 'input', '${input: }'],
    ['${input}', 'question', 'input', '${input}'],
    ['${pick:a|a| }', 'choices', 'pick', '${pick:a|a| }'],
    ['${file\n}', 'unclosed', 'file', '${file'],
    ['${input:say ${branch}', 'unclosed', 'input', '${input:say '],
  ] as const) {
    it(`leaves ${JSON.stringify(source)} in the text and tells of it`, () => {
      const { pieces, problems } = parseTemplate(source);
      deepStrictEqual(
        problems.map((problem) => [problem.kind, problem.name, source.slice(problem.start, problem.end)]),
        [[kind, name, at]],
      );
      const without = pieces.filter((piece) => piece.kind !== 'text').map((piece) => piece.kind);
      deepStrictEqual(without, source.includes('${branch}') ? ['value'] : []);
      strictEqual(
        fillTemplate({ pieces, problems }, { values: { branch: '${branch}' }, contexts: {}, answers: new Map() }),
        source.trim(),
      );
    });
  }

  it('comes out of its parts as it was put together', () => {
    fc.assert(
      fc.property(parts, (all) => deepStrictEqual(meaning(formatTemplate(all)), all)),
      { numRuns: 2000 },
    );
  });

  it('is covered by its pieces without a gap, problems among them in their order', () => {
    fc.assert(
      fc.property(fc.oneof(text, parts.map(formatTemplate)), (source) => {
        const { pieces, problems } = parseTemplate(source);
        let at = 0;
        for (const { start, end } of pieces) {
          strictEqual(start, at);
          ok(end > start);
          at = end;
        }
        strictEqual(at, source.length);
        let last = 0;
        for (const { start, end } of problems) {
          ok(start >= last && end > start);
          ok(pieces.some((piece) => piece.kind === 'text' && piece.start <= start && end <= piece.end));
          last = end;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never expands what a value holds', () => {
    fc.assert(
      fc.property(parts, text, (all, value) => {
        const template = parseTemplate(formatTemplate(all));
        const asks = asksOf(template);
        const filled = fillTemplate(template, {
          values: { file: value, relativeFile: value, branch: value },
          contexts: { selection: value, symbol: value, changes: value },
          answers: new Map(asks.map((ask) => [askKey(ask), value])),
        });
        const plain = all.map((part) => (typeof part === 'string' ? part : value)).join('');
        strictEqual(filled.replace(/\s+/g, ''), plain.replace(/\s+/g, ''));
      }),
      { numRuns: 2000 },
    );
  });

  it('asks equal questions once', () => {
    const template = parseTemplate('${input:Who?} ${pick:a|b} ${input: Who? } ${pick:a|b|c} ${branch} ${branch}');
    deepStrictEqual(asksOf(template).map(askKey), ['"Who?"', '["a","b"]', '["a","b","c"]']);
    deepStrictEqual(namesOf(template, 'value'), ['branch']);
  });

  it('puts context on lines of its own, wherever its variable stands', () => {
    const filling = {
      values: { branch: 'main' },
      contexts: { symbol: 'BLOCK', selection: '```\ncode\n```' },
      answers: new Map(),
    };
    const fill = (source: string): string => fillTemplate(parseTemplate(source), filling);
    strictEqual(fill('Explain ${symbol} with an example.'), 'Explain\n\nBLOCK\n\nwith an example.');
    strictEqual(fill('Explain\n${symbol}\n\n\n- on ${branch}'), 'Explain\n\nBLOCK\n\n- on main');
    strictEqual(fill('${symbol}${selection} ${branch}'), 'BLOCK\n\n```\ncode\n```\n\nmain');
    strictEqual(fill('${symbol}\n    code'), 'BLOCK\n\n    code');
    strictEqual(fill('On ${branch}\n\n${selection}\n'), 'On main\n\n```\ncode\n```');
  });
});
