import { deepStrictEqual, equal, match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  escapeTemplate,
  fillTemplate,
  parseTemplate,
  readSettingTemplates,
  templateFileName,
} from '../../../src/prompt/promptTemplate';

/** Text that is likely to contain template syntax. */
const text = fc
  .array(
    fc.oneof(fc.constantFrom('$', '{', '${', '}', '\\', '|', ':', '\n', '\r\n', ' ', 'file', 'input'), fc.string()),
  )
  .map((parts) => parts.join(''));

/** The parsed pieces, with text pieces as plain strings. */
const pieces = (source: string): unknown[] =>
  parseTemplate(source).map((piece) => (piece.kind === 'text' ? piece.text : piece));

describe('parseTemplate', () => {
  it('parses text, context, values and questions', () => {
    deepStrictEqual(pieces('Fix ${relativeFile} on ${branch}:\n${selection}\n${input:What for?} ${pick:short|long}'), [
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

  for (const [source, expected] of [
    ['\\${file}', ['${file}']],
    ['\\\\${file}', ['\\', { kind: 'value', name: 'file' }]],
    ['\\\\\\${file}', ['\\${file}']],
    ['C:\\\\docs \\$ $ {}', ['C:\\\\docs \\$ $ {}']],
    ['${input:a \\} b \\\\ c \\n}', [{ kind: 'input', question: 'a } b \\ c \\n' }]],
    ['${pick: a\\|b | c ||c}', [{ kind: 'pick', choices: ['a|b', 'c'] }]],
    ['${input:why: so}', [{ kind: 'input', question: 'why: so' }]],
    ['${input:say ${branch}', ['${input:say ', { kind: 'value', name: 'branch' }]],
  ] as const) {
    it(`parses ${source}`, () => deepStrictEqual(pieces(source), expected));
  }

  for (const source of [
    'a ${selectoin} b',
    '${}',
    '${file:x}',
    '${input: }',
    '${input}',
    '${pick:a|a| }',
    '${file\n}',
  ]) {
    it(`leaves ${JSON.stringify(source)} as text`, () => deepStrictEqual(pieces(source), [source]));
  }

  it('restores escaped text', () => {
    fc.assert(
      fc.property(text, (plain) => deepStrictEqual(pieces(escapeTemplate(plain)), plain === '' ? [] : [plain])),
      { numRuns: 2000 },
    );
  });
});

describe('fillTemplate', () => {
  it('never expands the contents of a value', () => {
    fc.assert(
      fc.property(text, (value) => {
        const values = { file: value, relativeFile: value, branch: value };
        const contexts = { selection: value, symbol: value, changes: value };
        const filled = fillTemplate(parseTemplate('a ${file} b\n${selection} c ${branch}'), { values, contexts });
        strictEqual(filled.map(String).join('').replace(/\s+/g, ''), `a${value}b${value}c${value}`.replace(/\s+/g, ''));
      }),
    );
  });

  it('puts context on its own lines', () => {
    const contexts = { symbol: 'BLOCK', selection: '```\ncode\n```' };
    const fill = (source: string): unknown[] =>
      fillTemplate(parseTemplate(source), { values: { branch: 'main' }, contexts });
    deepStrictEqual(fill('Explain ${symbol} with an example.'), ['Explain\n\nBLOCK\n\nwith an example.']);
    deepStrictEqual(fill('Explain\n${symbol}\n\n\n- on ${branch}'), ['Explain\n\nBLOCK\n\n- on main']);
    deepStrictEqual(fill('${symbol}${selection} ${branch}'), ['BLOCK\n\n```\ncode\n```\n\nmain']);
    deepStrictEqual(fill('${symbol}\n    code'), ['BLOCK\n\n    code']);
    deepStrictEqual(fill('On ${branch}\n\n${selection}\n'), ['On main\n\n```\ncode\n```']);
  });

  it('inserts context once, and refers to it afterwards', () => {
    const contexts = { symbol: 'BLOCK', selection: 'CODE', changes: 'DIFF' };
    const fill = (source: string): unknown[] => fillTemplate(parseTemplate(source), { values: {}, contexts });
    deepStrictEqual(fill('Explain ${selection} and test ${selection}.'), [
      'Explain\n\nCODE\n\nand test the selection above.',
    ]);
    deepStrictEqual(fill('${symbol}\n${changes}\n${symbol}\n${changes}'), [
      'BLOCK\n\nDIFF\n\nthe symbol above\nthe changes above',
    ]);
    const [long = ''] = fillTemplate(parseTemplate('${selection}'.repeat(5_400)), {
      values: {},
      contexts: { selection: 'x'.repeat(60_000) },
    });
    ok(typeof long === 'string' && long.length < 200_000);
  });

  it('keeps questions between the texts, on their own lines after context', () => {
    const question = { kind: 'input', question: 'Who?' };
    deepStrictEqual(
      fillTemplate(parseTemplate(' For ${input:Who?}\n${symbol} ${input:Who?} '), {
        values: {},
        contexts: { symbol: 'BLOCK' },
      }),
      ['For ', question, '\n\nBLOCK\n\n', question],
    );
  });
});

describe('readSettingTemplates', () => {
  it('reads strings and lists of lines, hides null and reports anything else', () => {
    const value = { One: 'text', Two: ['a', '', 'b'], Gone: null, Number: 3, Mixed: ['a', 1], Empty: ' ' };
    deepStrictEqual(readSettingTemplates(value), {
      templates: [
        { name: 'One', text: 'text' },
        { name: 'Two', text: 'a\n\nb' },
      ],
      unreadable: ['Number', 'Mixed', 'Empty'],
    });
    for (const other of [undefined, null, 'text', 3, ['a']]) {
      deepStrictEqual(readSettingTemplates(other), { templates: [], unreadable: [] });
    }
  });

  it('accepts the shipped templates, which have at most two questions each', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { default?: unknown }> }[] };
    };
    const settings = manifest.contributes.configuration.map(
      ({ properties }) => properties['docsAgent.promptTemplates'],
    );
    const { templates, unreadable } = readSettingTemplates(settings.find(Boolean)?.default);
    deepStrictEqual(unreadable, []);
    ok(templates.length >= 4);
    for (const { name, text: shipped } of templates) {
      const parsed = parseTemplate(shipped);
      ok(!parsed.some((piece) => piece.kind === 'text' && piece.text.includes('${')), name);
      ok(parsed.filter(({ kind }) => kind === 'input' || kind === 'pick').length <= 2, name);
    }
  });
});

describe('templateFileName', () => {
  it('builds a file name from the words, or returns nothing if there are none', () => {
    equal(templateFileName('Document an endpoint'), 'document-an-endpoint.md');
    equal(templateFileName(' Größe: 3 Bilder… '), 'größe-3-bilder.md');
    equal(templateFileName('../../etc/passwd'), 'etc-passwd.md');
    equal(templateFileName('a'.repeat(59) + ' bc'), `${'a'.repeat(59)}.md`);
    equal(templateFileName(' … - '), undefined);
  });

  it('never returns the name of a Windows device', () => {
    for (const name of ['con', 'PRN', 'Aux', 'nul', 'COM1', 'com0', 'LPT9', 'com¹', ' NUL. ', 'con?']) {
      match(templateFileName(name) ?? '', /^[a-z]{3}.?-template\.md$/, name);
    }
    equal(templateFileName('com10'), 'com10.md');
  });
});
