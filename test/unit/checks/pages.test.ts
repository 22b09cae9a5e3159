import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { checkCodeBlock } from '../../../src/checks/codeBlocks';
import { maskMarkdown } from '../../../src/checks/pages/mask';
import { newPage } from '../../../src/checks/pages/page';
import { pastLines, pastSentences, readPage, speaksOfThePast } from '../../../src/checks/pages/readPage';
import type { PageFormat } from '../../../src/checks/paths';
import { seed } from '../../support/scale';

const spansOf = (text: string, format: PageFormat = 'markdown') =>
  readPage(text, format).spans.map(({ text: span }) => span);

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
        const page = readPage(text.replaceAll('\n', end), 'markdown');
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
        const page = readPage(text, format);
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
      readPage(text, 'mdx').blocks.map(({ language, line }) => [language, line]),
      [
        ['js', 2],
        ['yaml', 7],
      ],
    );
  });

  it('keep their columns when MDX is masked', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '{', '}', '`', '"', "'", 'a', ' ', '\n') }), (text) => {
        const masked = maskMarkdown(newPage('mdx', text.split('\n')), text, () => undefined);
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

  const GENERATORS: Readonly<Record<string, [text: string, spans: string[], format?: PageFormat]>> = {
    'tabs of MkDocs': ['=== "A"\n\n    `a`\n\n`b`', ['a', 'b']],
    'notes of MkDocs, nested, with code': [
      '!!! note\n\n    `a`\n\n    ??? tip "B"\n\n        `b`\n\n        ```\n        `code`\n        ```\n\n`c`',
      ['a', 'b', 'c'],
    ],
    'a span over two lines': ['> Set `a\n> b` and\n`c\nd`', ['a b', 'c d']],
    'a bar in a table': ['| a |\n| --- |\n| `a\\|b` |', ['a|b']],
    'an element of HTML': [
      '<p>\n<code>a</code> and <code class="x">b</code>\n</p>\n\nand <code>c</code>.',
      ['a', 'b', 'c'],
    ],
    'fields of Mintlify': [
      '<ParamField path="a.b" type="string">\n<ResponseField\n  name="c">\n\n<code>d</code>',
      ['a.b', 'c', 'd'],
      'mdx',
    ],
    'code of Hugo': ['{{< highlight go >}}\na := `not`\n{{< /highlight >}}\n\n{{% tab %}}\n`a`', ['a']],
    'front matter of Hugo': ['+++\ntitle = "`not`"\n+++\n`a`', ['a']],
    Markdoc: ['{% if $a %}\n\n    `a`\n\n{% /if %}', ['a']],
    'MDX with import as a word': ['To move,\nexport `a`.', ['a'], 'mdx'],
    'roles of MyST': ['{py:class}`~p.K`, {ref}`label`, and {func}`it <p.load>`', ['p.K', 'p.load']],
    'directives of MyST': ['````{note}\n`a`\n```{tip}\n`b`\n```\n````\n\n```{code-block} sh\n`not`\n```', ['a', 'b']],
    'AsciiDoc over two lines': ['Set `a\nb` now.', ['a b'], 'asciidoc'],
    'code of AsciiDoc without lines around it': ['[source,java]\nf(`x`);\n\n`a`', ['a'], 'asciidoc'],
  };
  for (const [form, [text, spans, format]] of Object.entries(GENERATORS)) {
    it(`are those of the real tool: ${form}`, () => deepStrictEqual(spansOf(text, format), spans));
  }

  it('are found in the roles of reStructuredText, but not in notes on deprecated features', () => {
    const lines = {
      'A note ``a\n b``.\n\n.. note to self ``not``\n\n   ``not``': ['a b'],
      ':py:property:`~p.K.x`, `p.load_all`, and :any:`p.y`': ['p.K.x', 'p.y', 'p.load_all'],
      '.. autofunction:: p.load': ['p.load'],
      '.. autoclass:: p.K\n   :members: run, stop\n\n   With ``x``.': ['p.K', 'run', 'stop', 'x'],
      '.. py:function:: load(path, *, fast=True) -> int': ['load'],
      '.. option:: --one <n>, --two': ['--one', '--two'],
      '.. envvar:: APP_X\n\n.. confval:: max_x': ['APP_X', 'max_x'],
      ':option:`--one`, :envvar:`TWO_X`, :file:`src/a.py`': ['--one', 'TWO_X', 'src/a.py'],
      ':py:meth:`~pkg.Type.run` and :func:`the function <pkg.load>`': ['pkg.Type.run', 'pkg.load'],
      ':ref:`not` and `not`, :setting:`one`': ['one'],
      '.. note::\n\n   Use ``one``.\n\n.. list-table::\n\n   * - ``two``': ['one', 'two'],
      '.. deprecated:: 2.0\n   Use ``not``.\n\n``one``': ['one'],
      '.. versionadded:: 2.0\n   ``not`` is new.': [],
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

describe('the code blocks of a page', () => {
  const BLOCKS: Readonly<Record<string, [format: PageFormat, text: string, language: string, code: string]>> = {
    'in a tab of MkDocs': ['markdown', '=== "A"\n\n    ```py title="x"\n    a\n      b\n    ```', 'py', 'a\n  b'],
    'that is indented': ['markdown', 'Text\n\n    a\n    b', '', 'a\nb'],
    'of Quarto': ['markdown', '```{python}\na\n```', 'python', 'a'],
    'of Hugo': ['markdown', '{{< highlight go "x" >}}\na\n{{< /highlight >}}', 'go', 'a'],
    'in a quotation': ['markdown', '> ```js\n> a\n> b\n> ```', 'js', 'a\nb'],
    'of a directive': ['restructuredText', '.. code-block:: YAML\n   :caption: x\n\n   a:\n     b', 'yaml', 'a:\n  b'],
    'after two colons': ['restructuredText', '.. highlight:: sh\n\nSo::\n\n  a\n\n  b\n\nc', 'sh', 'a\n\nb'],
    'with prompts': ['restructuredText', '>>> a\nb', 'pycon', '>>> a\nb'],
    'between lines': ['asciidoc', '[source,java]\n.Title\n----\na\n----', 'java', 'a'],
    'without lines around it': ['asciidoc', '[source,java]\na\nb\n\nc', 'java', 'a\nb'],
  };
  for (const [form, [format, text, language, code]] of Object.entries(BLOCKS)) {
    it(`have their language, and end where the lines of the page do: ${form}`, () => {
      const page = readPage(text, format);
      deepStrictEqual(
        page.blocks.map((block) => [block.language, block.text.trim()]),
        [[language, code]],
      );
      const [block] = page.blocks;
      const below = block?.text.trimEnd().split('\n') ?? [];
      deepStrictEqual(
        below.filter((line, at) => page.lines[(block?.line ?? 0) - 1 + at]?.endsWith(line) !== true),
        [],
      );
    });
  }
});

describe('the files that a page shows', () => {
  const linksOf = (format: PageFormat, ...lines: string[]): string[] =>
    readPage(lines.join('\n'), format).links.map(({ kind, target, line, column, endColumn }) => {
      match(lines[line - 1]?.slice(column - 1, endColumn - 1) ?? '', /^\S+$/);
      return `${kind} ${target}`;
    });

  it('are those of MkDocs, VitePress, mdBook, and imports in MDX', () => {
    const lines = [
      '```py',
      '--8<-- "a/b.py:start"',
      '```',
      '<<< @/c.ts#d{1,3}',
      '<!--@include: ./e.md-->',
      '{{#include ../f.rs:g}}',
    ];
    const found = ['include a/b.py#start', 'include @/c.ts#d', 'include ./e.md', 'include ../f.rs#g'];
    deepStrictEqual(linksOf('markdown', ...lines), found);
    const imports = ["import A from '!!raw-loader!./a.ts';", "import B from '/b.mdx'", "import c from 'c';"];
    deepStrictEqual(linksOf('mdx', ...imports), ['include ./a.ts', 'include /b.mdx']);
  });

  it('are those of reStructuredText', () => {
    const lines = [
      '.. literalinclude:: a.py',
      '   :pyobject: x',
      '',
      '.. image:: b.png',
      '',
      'See `c <d.rst>`_, :doc:`e`.',
    ];
    deepStrictEqual(linksOf('restructuredText', ...lines).sort(), [
      'image b.png',
      'include a.py',
      'link d.rst',
      'link e',
    ]);
  });

  it('are those of AsciiDoc', () => {
    const lines = [
      '[source,java]',
      '----',
      'include::a.java[tag=b]',
      '----',
      'image::c.png[]',
      '',
      'xref:d.adoc#e[f], <<g>>',
    ];
    deepStrictEqual(linksOf('asciidoc', ...lines), ['include a.java#b', 'image c.png', 'link d.adoc#e', 'link #g']);
  });
});

describe('the tables of a page', () => {});

describe('text about the past on a page', () => {
  it('is what follows a heading about the past, until the next one of the same level', () => {
    const text =
      '# A\n\na\n\n## Removed\n\nb\n\n### More\n\nc\n\n## Now\n\nd\n\n## Before 2.0\n\ne\n\n## [1.2.0]\n\nf\n\n## Migrations\n\ng\n\n## Migration from 1\n\nh\n';
    const isPast = pastLines(readPage(text, 'markdown'));
    const at = (word: string): boolean => isPast(text.split('\n').indexOf(word) + 1);
    deepStrictEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].filter(at), ['b', 'c', 'e', 'f', 'h']);
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
        isPast('Set `a`, which replaces', 'nothing. It is deprecated.'),
        isPast('Set `b`. It replaces `a`.'),
        isPast('It was removed, as you see. So', 'it works. Set `a`.'),
        isPast('It was removed: see', 'below. Set `a` and', 'c.'),
      ],
      [true, true, false, false, false, true, false, false],
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
