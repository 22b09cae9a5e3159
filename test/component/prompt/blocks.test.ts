import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { fileBlock, folderBlock, OUTSIDE_NOTE, problemsBlock, symbolBlock } from '../../../src/prompt/blocks';
import { codeSpan, type ContextBlock, renderBlock } from '../../../src/prompt/contextBlock';
import { selectionBlocks } from '../../../src/prompt/promptText';
import { anyName, anyText } from '../../unit/prompt/readMarkdown';
import { asContent, readBlocks } from '../../unit/prompt/readMarkdown';

const GOLDEN = join(import.meta.dirname, 'golden');
const LARGE = 1_000_000;

const source = `export function retry(times: number): void {\n  // up to \`times\`\n}\n`;
const manyLines = Array.from({ length: 900 }, (_, index) => `entry ${index + 1}\n`).join('');
const names = ['guide.md', 'images/logo.png', 'api/v1/jobs.md'];

/** One example of each kind of context block. */
const EXAMPLES: Record<string, ContextBlock[]> = {
  selection: selectionBlocks(
    [
      { path: 'src/retry.ts', notes: [], startLine: 1, endLine: 3, languageId: 'typescript', text: source },
      {
        path: 'notes.md',
        notes: [OUTSIDE_NOTE],
        startLine: 7,
        endLine: 7,
        languageId: 'markdown',
        text: '```js',
      },
    ],
    LARGE,
  ),
  selectionTooLong: selectionBlocks(
    [{ path: 'list.txt', notes: [], startLine: 1, endLine: 900, languageId: 'plaintext', text: manyLines }],
    200,
  ),
  file: [fileBlock({ path: 'src/retry.ts', notes: [], languageId: 'typescript', text: source }, LARGE)],
  fileOfOneLine: [
    fileBlock({ path: 'app.min.js', notes: [], languageId: 'javascript', text: 'x=1;'.repeat(5_000) }, 200),
  ],
  folder: [folderBlock({ path: 'docs', notes: [] }, names, LARGE)],
  symbol: [
    symbolBlock(
      {
        path: 'src/client.ts',
        notes: [],
        kind: 'Method',
        fullName: 'Client.send',
        startLine: 12,
        endLine: 16,
        languageId: 'typescript',
        text: '  /** Sends it. */\n  send(): void {\n    this.post();\n  }\n',
      },
      LARGE,
    ),
  ],
  problems: [
    problemsBlock(
      {
        path: 'src/retry.ts',
        notes: [],
        lines: source.split('\n'),
        problems: [
          { severity: 'error', message: "Cannot find name 'times'.", source: 'ts', code: '2304', line: 1 },
          { severity: 'hint', message: 'Empty function.', line: 3 },
        ],
      },
      LARGE,
    ),
  ],
};

// Run with DOCS_AGENT_WRITE_GOLDEN=1 to rewrite the golden files, then review the changes.
describe('golden files of context blocks', () => {
  for (const [name, blocks] of Object.entries(EXAMPLES)) {
    it(`match the rendered block: ${name}`, async () => {
      const file = join(GOLDEN, `${name}.md`);
      const rendered = `${blocks.map(renderBlock).join('\n\n')}\n`;
      if (process.env['DOCS_AGENT_WRITE_GOLDEN'] === '1') {
        await writeFile(file, rendered);
      }
      assert.equal(await readFile(file, 'utf8'), rendered);
    });
  }
});

describe('context blocks', () => {
  const place = { notes: ['a `note`', 'another'], languageId: 'x' };
  const make: Record<string, (path: string, text: string) => ContextBlock> = {
    selection: (path, text) => selectionBlocks([{ ...place, path, text, startLine: 1, endLine: 2 }], LARGE)[0]!,
    file: (path, text) => fileBlock({ ...place, path, text }, LARGE),
    symbol: (path, text) =>
      symbolBlock({ ...place, path, text, kind: 'Class', fullName: path, startLine: 1, endLine: 2 }, LARGE),
  };
  for (const [kind, block] of Object.entries(make)) {
    it(`preserve any text and the name of its source: ${kind}`, () => {
      fc.assert(
        fc.property(anyName, anyText, anyName, anyText, (path, text, otherPath, other) => {
          const prompt = ['Do this.', renderBlock(block(path, text)), renderBlock(block(otherPath, other))].join(
            '\n\n',
          );
          const read = readBlocks(prompt);
          assert.deepEqual(
            read.map(({ content }) => content),
            [text, other].map(asContent),
          );
        }),
        { numRuns: 500 },
      );
    });
  }

  it('stay in one code fence whatever a folder or problem contains', () => {
    fc.assert(
      fc.property(anyName, anyText, (path, text) => {
        const problems = [{ severity: 'error' as const, message: text, source: text, code: path, line: 1 }];
        const blocks = [
          folderBlock({ path, notes: [] }, [path], LARGE),
          problemsBlock({ path, notes: [], problems, lines: text.split('\n') }, LARGE),
        ];
        const read = readBlocks(blocks.map(renderBlock).join('\n\n'));
        assert.deepEqual(
          read.map(({ content }) => content),
          blocks.map((block) => asContent(block.text)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('show the path unchanged', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w`*[\]<>&\\$ ./-]*[\w`*][\w`*[\]<>&\\$ ./-]*$/), (path) => {
        const line = path.replace(/\s+/g, ' ');
        const [read] = readBlocks(renderBlock(make['file']!(path, 'x')));
        assert.equal(read?.spans[0]?.trim(), line.trim());
      }),
    );
  });
});

describe('codeSpan', () => {
  it('makes invisible and direction-changing characters visible and labels empty text', () => {
    assert.strictEqual(codeSpan('a\u202Eb\0c\u200Bd'), '`a[U+202E]b\u2400c[U+200B]d`');
    assert.deepStrictEqual([codeSpan(''), codeSpan(' \n')], ['(empty)', '(empty)']);
    assert.strictEqual(codeSpan('a`b'), '`` a`b ``');
  });
});
