import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { checkCodeBlock } from '../../../src/checks/codeBlocks';
import { maskMdx } from '../../../src/checks/pages/mdx';
import { pastLines, pastSentences, readPage, speaksOfThePast } from '../../../src/checks/pages/readPage';
import type { PageFormat } from '../../../src/checks/paths';
import { seed } from '../../support/scale';

const spansOf = (text: string, format: PageFormat = 'markdown') =>
  readPage(text, format, { onlyCode: true }).spans.map(({ text: span }) => span);

/** Blocks of a page, with the spans that a reader sees in them. */
const blocks: fc.Arbitrary<{ text: string; spans: string[] }> = fc
  .stringMatching(/^[a-z][a-zA-Z_.]{2,12}$/)
  .chain((name) =>
    fc.constantFrom(
      { text: `Some \`${name}\` text.`, spans: [name] },
      { text: `## The \`${name}\` option`, spans: [name] },
      { text: `- one\n- two \`${name}\`\n  and \`\`${name}\`\` more`, spans: [name, name] },
      { text: `> quoted \`${name}\`\n> and more`, spans: [name] },
      { text: `| a | b |\n|---|---|\n| \`${name}\` | x \`${name}\` |`, spans: [name, name] },
      { text: `1. first\n\n   \`${name}\` **\`${name}\`**`, spans: [name, name] },
      { text: `[\`${name}\`](page.md) and [x](y "\`${name}\`")`, spans: [name] },
      { text: `\`\`\`js\nconst a = \`${name}\`;\n\`\`\``, spans: [] },
      { text: `<!-- \`${name}\` -->`, spans: [] },
      { text: `Escaped \\\`${name}\\\`, not \`closed`, spans: [] },
    ),
  );

describe('the code spans of a page', () => {
  it('are those that readers see, with exact places', () => {
    fc.assert(
      fc.property(fc.array(blocks, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), (parts, end) => {
        const text = parts.map((part) => part.text).join('\n\n<hr>\n\n');
        const page = readPage(text.replaceAll('\n', end), 'markdown', { onlyCode: true });
        deepStrictEqual(
          page.spans.map((span) => span.text),
          parts.flatMap(({ spans }) => spans),
        );
        const lines = text.split('\n');
        for (const { text: span, line, column } of page.spans) {
          strictEqual(lines[line - 1]?.slice(column - 1, column - 1 + span.length), span);
        }
      }),
      { seed },
    );
  });

  it('are found in any text without an error, on lines that exist', () => {
    const formats = fc.constantFrom<PageFormat>('markdown', 'mdx', 'asciidoc', 'restructuredText');
    const pieces = fc.constantFrom(
      '`',
      '``',
      '```\n',
      '~~~',
      '<',
      '</',
      '<a ',
      '>',
      '{',
      '}',
      '"',
      '\n',
      ' ',
      'a',
      '[',
      '](',
      ')',
      '|',
      '---',
      '> ',
      '- ',
      '\t',
      '\\',
      '::',
      '====',
      'import ',
      '-->',
      '<!--',
    );
    fc.assert(
      fc.property(formats, fc.array(pieces, { maxLength: 60 }), (format, parts) => {
        const text = parts.join('');
        const page = readPage(text, format, { onlyCode: false });
        const last = text.split('\n').length;
        [...page.spans, ...page.links].forEach(({ line, column }) => {
          strictEqual(line >= 1 && line <= last && column >= 1, true);
        });
      }),
      { seed, numRuns: 500 },
    );
  });

  it('are found in MDX around tags and expressions, but not inside them', () => {
    const text = [
      "import { Tabs } from 'x'; export const a = `notHere`;",
      '',
      '<Tabs items={["`notHere`"]}>',
      '    <Tab title="`notHere`">',
      '      Some `isHere` text {/* `notHere` */}',
      '    </Tab>',
      '</Tabs>',
      '',
      'A < b `alsoHere` { not closed `too`',
    ].join('\n');
    deepStrictEqual(spansOf(text, 'mdx'), ['isHere', 'alsoHere', 'too']);
  });

  it('are found in MDX after code blocks, however the blocks are indented', () => {
    const text = [
      '```js {1}',
      'export default { a: `notHere` };',
      '```',
      '',
      '<Tab>',
      '      ~~~yaml',
      '      a: `notHere`',
      '      ~~~',
      '',
      '      Some `isHere` text',
      '</Tab>',
    ].join('\n');
    deepStrictEqual(spansOf(text, 'mdx'), ['isHere']);
    deepStrictEqual(
      readPage(text, 'mdx', { onlyCode: false }).blocks.map(({ language, line }) => [language, line]),
      [
        ['js', 2],
        ['yaml', 7],
      ],
    );
  });

  it('keep their columns when MDX is masked', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '{', '}', '`', '"', "'", 'a', ' ', '\n') }), (text) => {
        const masked = maskMdx(text).text;
        strictEqual(masked.length, text.length);
        deepStrictEqual(
          masked.split('\n').map(({ length }) => length),
          text.split('\n').map(({ length }) => length),
        );
      }),
      { seed },
    );
  });

  it('are found in AsciiDoc between backticks, but not between typographic quotation marks', () => {
    const lines = {
      'Set `+{one}+`, `--two`, and ``thr``ee.': ['{one}', '--two', 'thr'],
      "It is \"`quoted`\" and '`quoted`', and Olaf`'s is not `one`.": ['one'],
      'Not \\`escaped`, but `one`.': ['one'],
      '* Set `one`,\n  and `two`\n\n  * `three`': ['one', 'two', 'three'],
      'Text\n\n  literal `not`\n  still `not`\n\nSet `one`.': ['one'],
    };
    for (const [text, expected] of Object.entries(lines)) {
      deepStrictEqual(spansOf(text, 'asciidoc'), expected, text);
    }
  });

  it('are found in the roles of reStructuredText, but not in notes on deprecated features', () => {
    const lines = {
      ':option:`--one`, :envvar:`TWO_X`, :file:`src/a.py`': ['--one', 'TWO_X', 'src/a.py'],
      ':py:meth:`~pkg.Type.run` and :func:`the function <pkg.load>`': ['pkg.Type.run', 'pkg.load'],
      ':ref:`not` and `not`, :setting:`one`': ['one'],
      '.. note::\n\n   Use ``one``.\n\n.. list-table::\n\n   * - ``two``': ['one', 'two'],
      '.. deprecated:: 2.0\n   Use ``not``.\n\n``one``': ['one'],
      '.. versionadded:: 2.0\n   ``one`` is new.': ['one'],
    };
    for (const [text, expected] of Object.entries(lines)) {
      deepStrictEqual(spansOf(text, 'restructuredText'), expected, text);
    }
  });

  it('are found in AsciiDoc and reStructuredText, outside of code', () => {
    const asciiDoc = '= Title\n\nSet `one` and ``two``.\n\n----\n`not`\n----\n\n// `not`\n';
    deepStrictEqual(spansOf(asciiDoc, 'asciidoc'), ['one', 'two']);
    const rst =
      'Title\n=====\n\nSet ``one`` and :func:`~two`.\n\n.. code-block:: python\n\n   ``not``\n\nExample::\n\n   ``not``\n\n``three``\n';
    deepStrictEqual(spansOf(rst, 'restructuredText'), ['one', 'two', 'three']);
  });
});

describe('the tables of a page', () => {
  it('have their cells with exact places, empty ones and escaped bars included', () => {
    const text = 'Text\n\n> | Option | Type | |\n> | --- | --- | --- |\n> | `a` |  | `x\\|y` |\n> b | c';
    deepStrictEqual(readPage(text, 'markdown', { onlyCode: true }).tables, [
      {
        header: ['Option', 'Type', ''],
        rows: [
          {
            line: 5,
            cells: [
              { text: '`a`', column: 5 },
              { text: '', column: 12 },
              { text: '`x|y`', column: 14 },
            ],
          },
          {
            line: 6,
            cells: [
              { text: 'b', column: 3 },
              { text: 'c', column: 7 },
            ],
          },
        ],
      },
    ]);
  });
});

describe('text about the past on a page', () => {
  it('is what follows a heading about the past, until the next one of the same level', () => {
    const text =
      '# A\n\na\n\n## Removed\n\nb\n\n### More\n\nc\n\n## Now\n\nd\n\n## Before 2.0\n\ne\n\n## [1.2.0]\n\nf\n';
    const isPast = pastLines(readPage(text, 'markdown', { onlyCode: true }));
    const at = (word: string): boolean => isPast(text.split('\n').indexOf(word) + 1);
    deepStrictEqual(['a', 'b', 'c', 'd', 'e', 'f'].filter(at), ['b', 'c', 'e', 'f']);
  });

  it('can be a single line', () => {
    strictEqual(speaksOfThePast('The option was renamed to `b`.'), true);
    strictEqual(speaksOfThePast('You do not need to call `b` anymore.'), true);
    strictEqual(speaksOfThePast('The option sets the number of attempts.'), false);
  });

  it('can be a sentence that spans several lines', () => {
    const isPast = (...lines: string[]): boolean => {
      const line = lines.findIndex((each) => each.includes('`a`')) + 1;
      return pastSentences({ lines })({ line, column: (lines[line - 1]?.indexOf('`a`') ?? 0) + 1 });
    };
    deepStrictEqual(
      [
        isPast('For versions lower than', '2.13, define `a` as well.'),
        isPast('Set `a`, which was', 'renamed to `b`.'),
        isPast('It was removed. Then', 'set `a`.'),
        isPast('It was removed', '- Set `a`.'),
        isPast('Set `a`. It replaces', 'nothing.'),
        isPast('It was removed, as you see. So', 'it works. Set `a`.'),
        isPast('It was removed: see', 'below. Set `a` and', 'c.'),
      ],
      [true, true, false, false, true, false, false],
    );
  });
});

describe('the check of a code block', () => {
  const messageOf = (language: string, text: string): string | undefined =>
    checkCodeBlock({ language, text, line: 1 } as Parameters<typeof checkCodeBlock>[0], 'a.md')?.message;

  it('says what is invalid', () => {
    strictEqual(messageOf('yaml', 'a: ['), 'unexpected end of the stream within a flow collection (1:5)');
  });

  for (const text of [
    'Topic: !Ref Alarms',
    'fence: !!python/name:a.b',
    '!!set {a, b}',
    '? [a, b]\n: c',
    '1: a\n"1": b',
  ]) {
    it(`accepts tags that only another program knows, and keys that are no strings: ${JSON.stringify(text)}`, () => {
      strictEqual(messageOf('yaml', text), undefined);
    });
  }

  it('says when a key is repeated, below an unknown tag, too', () => {
    match(messageOf('yaml', 'a: !Sub {b: 1, b: 2}') ?? '', /duplicated mapping key/);
  });

  it('ignores a block of more than 20,000 characters', () => {
    strictEqual(messageOf('toml', 'a'.repeat(20_001)), undefined);
    match(messageOf('toml', 'a'.repeat(20_000)) ?? '', /./);
  });

  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const deep: [string, string][] = [
    ['yaml', nested(9_000)],
    ['yaml', '- '.repeat(9_000)],
    ['toml', `a = ${nested(9_000)}`],
    ['json', nested(9_000)],
  ];
  for (const [language, text] of deep) {
    it(`says nothing about ${language} that is too deeply nested to be read: ${text.slice(0, 6)}`, () => {
      strictEqual(messageOf(language, text), undefined);
    });
  }
});
