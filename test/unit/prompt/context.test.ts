import assert from 'node:assert/strict';
import { strictEqual, deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { contextWord, firstBlockAt, mentionOf, renderBlock } from '../../../src/prompt/contextBlock';
import { fileBlock, formatPage, pageTitle, symbolBlock } from '../../../src/prompt/blocks';
import { type AnySymbol, type Span, symbolAt } from '../../../src/prompt/symbolAt';
import { fillTemplate, openQuestions, variablesOf } from '../../../src/prompt/promptTemplate';

const file = fileBlock({ path: 'src/a.ts', notes: ['Permalink: x'], languageId: 'ts', text: 'a``b' }, 100);
const method = { kind: 'Method', fullName: 'Client.send', path: 'a.ts', notes: [], startLine: 3, endLine: 5 };
const symbol = symbolBlock({ ...method, languageId: 'ts', text: 'send() {}' }, 100);

describe('a block of context', () => {
  it('is mentioned in a sentence by what it is', () => {
    const from = { ...file, heading: 'From `src/a.ts`, lines 3-10' };
    deepStrictEqual([file, symbol, from].map(mentionOf), [
      '`src/a.ts`',
      'method `Client.send` from `a.ts`, lines 3-5',
      '`src/a.ts`, lines 3-10',
    ]);
  });

  it('is found in a prompt, with line ends of either kind, but not a list or a fence of the instructions', () => {
    for (const instructions of ['', 'Do this:\n\n- a\n\n', 'For example `x`:\n\ntext\n\n```\nx\n```\n\n']) {
      for (const block of [file, symbol].map(renderBlock)) {
        strictEqual(firstBlockAt(instructions + block), instructions.length);
        const text = `${instructions}${block}\n\n${block}`.replaceAll('\n', '\r\n');
        strictEqual(firstBlockAt(text), instructions.replaceAll('\n', '\r\n').length);
      }
      strictEqual(firstBlockAt(instructions), undefined);
    }
  });
});

describe('contextWord', () => {
  for (const [before, letters, start, canBeHeading] of [
    ['#', '', 0, true],
    ['  #', '', 2, true],
    ['#sel', 'sel', 0, false],
    ['See #', '', 4, false],
    ['See #src/read', 'src/read', 4, false],
    ['(#file', 'file', 1, false],
    ['“#file', 'file', 1, false],
    ['#one #two', 'two', 5, false],
  ] as const) {
    it(`recognizes the word in “${before}”`, () =>
      assert.deepEqual(contextWord([], before), { letters, start, canBeHeading }));
  }

  for (const before of ['# ', '# Title', '## ', '##', 'a#b', 'C# ', 'issue#', '    #include', '\t#', '`#', '']) {
    it(`finds no word in “${before}”`, () => assert.equal(contextWord([], before), undefined));
  }

  it('finds no word inside code blocks', () => {
    assert.equal(contextWord(['```sh'], '#'), undefined);
    assert.equal(contextWord(['````', '```', 'x'], '#'), undefined);
    assert.equal(contextWord(['~~~', '```'], '#'), undefined);
    assert.ok(contextWord(['```sh', 'x', '```'], '#'));
    assert.ok(contextWord(['~~~', '```', '~~~~'], '#'));
    assert.ok(contextWord(['``` not `a fence`'], '#'));
  });

  it('returns the start of the mark and the letters after it', () => {
    fc.assert(
      fc.property(fc.string(), (before) => {
        const word = contextWord([], before);
        assert.ok(word === undefined || before.slice(word.start) === `#${word.letters}`);
      }),
    );
  });
});

describe('the title of a documentation page', () => {
  for (const [page, expected] of [
    ['---\ntitle: "Retry policy"\n---\n\n# Other\n', 'Retry policy'],
    ["\uFEFF---\r\nsidebar: x\r\ntitle: It's\r\n---\r\n", "It's"],
    ['---\nname: x\n---\nIntro.\n\n## How to retry \n', 'How to retry'],
    ['---\ntitle: not front matter\n# Heading', 'Heading'],
    ['= AsciiDoc title\n', 'AsciiDoc title'],
    ['reStructuredText\n================\n', 'reStructuredText'],
    ['Text only\n', undefined],
  ] as const) {
    it(`is ${expected ?? 'unknown'} for ${JSON.stringify(page)}`, () => strictEqual(pageTitle(page), expected));
  }

  it('is named with the path', () => {
    strictEqual(formatPage('docs/a.md', 'A `b`'), '`docs/a.md` (titled `` A `b` ``)');
    strictEqual(formatPage('docs/a.md', undefined), '`docs/a.md`');
  });
});

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

const VALUES = { selection: 'From `a.md`:\n\n$file', changes: 'Diff', file: 'docs/a.md' };

describe('a prompt template', () => {
  for (const [template, expected] of [
    ['Fix `$file` now', ['Fix `docs/a.md` now']],
    ['About: $selection', ['About:\n\nFrom `a.md`:\n\n$file']],
    ['$selection', ['From `a.md`:\n\n$file']],
    ['One\n$selection\n  - two\n', ['One\n\nFrom `a.md`:\n\n$file\n\n  - two']],
    ['$changes $selection.', ['Diff\n\nFrom `a.md`:\n\n$file\n\n.']],
    ['See: $changes $changes', ['See:\n\nDiff\n\nDiff']],
    ['For $ask{Who? }: $ask{Why?}', ['For ', { question: 'Who?' }, ': ', { question: 'Why?' }]],
    ['$changes\n$ask{Who?}', ['Diff\n\n', { question: 'Who?' }]],
    ['$ask{Who?}\n\n$changes', [{ question: 'Who?' }, '\n\nDiff']],
    [
      'Run `echo \\$file \\$ask{x}` for $10, $filename and $ask{}',
      ['Run `echo $file $ask{x}` for $10, $filename and $ask{}'],
    ],
  ] as const) {
    it(`fills in ${JSON.stringify(template)}`, () => deepStrictEqual(fillTemplate(template, VALUES), expected));
  }

  for (const [template, prompt, open] of [
    ['For $ask{Who?}: $ask{Why?}', 'First.\n\nFor Who?: Why?', ['Who?', 'Why?']],
    ['For $ask{Who?}: $ask{Why?}', 'For Who?: it is asked', ['Who?']],
    ['For $ask{Who?}: $ask{Why?}', 'For writers, Who?: it is asked', []],
    ['$ask{version}', 'Name the version', []],
    ['$ask{version}\n\n$changes', 'version\n\nDiff', ['version']],
    ['$selection\n\nIn `$file`: $ask{version}', 'In `a: b.md`: version', ['version']],
    ['$ask{Who?}$ask{Why?}', 'writers Why?', ['Why?']],
  ] as const) {
    it(`${JSON.stringify(template)} is open in ${JSON.stringify(prompt)} about [${open.join()}]`, () => {
      deepStrictEqual(openQuestions(template, prompt, String), open);
    });
  }

  it('names its variables', () => {
    deepStrictEqual([...variablesOf('$file \\$selection $ask{x} $changes$file')], ['file', 'changes']);
  });
});
