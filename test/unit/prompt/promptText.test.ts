import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  looksBinary,
  looksGarbled,
  promptText,
  withoutLocalPaths,
  promptWithSelections,
  type SelectedText,
} from '../../../src/prompt/promptText';
import { promptBody, promptBodyBytes } from '../../../src/protocol/status';
import { fenceFor } from '../../../src/prompt/contextBlock';
import { readBlocks } from './readMarkdown';

describe('prompt from a document', () => {
  it('is the same for any line endings', () => {
    fc.assert(
      fc.property(fc.array(fc.string().map((line) => line.replaceAll(/[\r\n]/g, ''))), (lines) => {
        const prompt = promptText(lines.join('\n'));
        assert.equal(promptText(lines.join('\r\n')), prompt);
        assert.equal(promptText(`\r\n${prompt}\n\n`), prompt);
        assert.equal(prompt, lines.join('\n').trim());
      }),
    );
  });

  it('is sent as equivalent JSON with the reported number of bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        const bytes = Buffer.from(promptBody(prompt));
        assert.deepEqual(JSON.parse(bytes.toString('utf8')), { prompt });
        assert.equal(promptBodyBytes(prompt), bytes.length);
      }),
    );
    assert.equal(promptBody('a\u2028"\ud800'), '{"prompt":"a\u2028\\"\\ud800"}');
  });
});

const bytes = (text: string, encoding: BufferEncoding): Uint8Array => Buffer.from(text, encoding);

describe('binary content', () => {
  it('is recognized by a NUL near the beginning, unless a byte order mark shows UTF-16', () => {
    assert.equal(looksBinary(bytes('plain', 'utf8')), false);
    assert.equal(looksBinary(bytes('\x89PNG\r\n\x1a\n\0\0', 'latin1')), true);
    assert.equal(looksBinary(bytes('\uFEFFtext', 'utf16le')), false);
    assert.equal(looksBinary(bytes(`${'x'.repeat(9_000)}\0`, 'utf8')), false);
    assert.equal(looksBinary(new Uint8Array()), false);
  });

  it('is recognized by bytes that decode to no characters', () => {
    assert.equal(looksGarbled('plain\ttext\r\n'), false);
    assert.equal(looksGarbled('Caf\uFFFD, and a long enough text around the one that is strange'), false);
    assert.equal(looksGarbled('\x1f\uFFFD\b\x03\uFFFDz\uFFFD'), true);
    assert.equal(looksGarbled(''), false);
  });
});

describe('text without local paths', () => {
  const folders = [
    { path: '/home/ann/site', name: 'site' },
    { path: '/home/ann/site/docs', name: 'docs' },
  ];
  const cases: [string, string][] = [
    ['Cannot find /home/ann/site/src/a.ts', 'Cannot find src/a.ts'],
    ['in "/home/ann/site/docs/a.md", or /home/ann/site.', 'in "a.md", or site.'],
    ['see file:///home/ann/site/src/a.ts:3', 'see src/a.ts:3'],
    ['read /home/ann/.config/x and /home/ann', 'read ~/.config/x and ~'],
    ['/home/anna/a and /home/ann-b and /srv/home/ann/a', '/home/anna/a and /home/ann-b and /srv/home/ann/a'],
    ['nothing of it', 'nothing of it'],
  ];
  for (const [text, told] of cases) {
    it(`becomes “${told}”`, () => assert.equal(withoutLocalPaths(text, folders, '/home/ann/'), told));
  }

  it('is found with either slash and in any case on Windows drives', () => {
    const at = [{ path: 'C:\\Users\\Ann\\site', name: 'site' }];
    const text = 'c:\\users\\ann\\site\\a.ts C:/Users/Ann/site/b.ts C:\\Users\\Ann\\x';
    assert.equal(withoutLocalPaths(text, at, 'C:\\Users\\Ann'), 'a.ts b.ts ~/x');
  });

  it('is unchanged when there is no home folder', () => {
    assert.equal(withoutLocalPaths('/a/b', [], '/'), '/a/b');
  });
});

function selected(text: string, change: Partial<SelectedText> = {}): SelectedText {
  return { path: 'docs/a.md', notes: [], startLine: 3, endLine: 5, languageId: 'markdown', text, ...change };
}

describe('promptWithSelections', () => {
  it('contains the instruction and the location of each selection', () => {
    const one = selected('# Title\n');
    const two = selected('x = 1', { path: 'src/b.py', startLine: 7, endLine: 7, languageId: 'python' });
    const expected = `Explain this

From \`docs/a.md\`, lines 3-5:

\`\`\`markdown
# Title
\`\`\`

From \`src/b.py\`, line 7:

\`\`\`python
x = 1
\`\`\``;
    assert.equal(promptWithSelections('  Explain this\n', [one, two]), expected);
  });

  it('omits a language that could end the line or contain a backtick', () => {
    for (const [languageId, info] of [
      ['c++', 'c++'],
      ['objective-c', 'objective-c'],
      ['a b', ''],
      ['a`', ''],
      ['a\nb', ''],
      ['', ''],
    ] as const) {
      assert.equal(readBlocks(promptWithSelections('x', [selected('y', { languageId })]))[0]?.info, info);
    }
  });

  it('handles more runs of backticks than a call can take as arguments', () => {
    const text = '` '.repeat(300_000);
    assert.equal(fenceFor(text), '```');
    assert.equal(readBlocks(promptWithSelections('x', [selected(text)]))[0]?.content, `${text}\n`);
  });
});

describe('selections without an instruction', () => {
  it('are sent with their location below a line that says what to do', () => {
    const expected = `Work on \`docs/a.md\`, lines 3-5

Follow the instructions in this text. If it has none, update it to match the code.

From \`docs/a.md\`, lines 3-5:

\`\`\`markdown
A request is tried again.
\`\`\``;
    for (const instruction of ['', ' \n ']) {
      assert.equal(promptWithSelections(instruction, [selected('A request is tried again.')]), expected);
    }
  });

  it('are listed together when there are several', () => {
    const two = [selected('one'), selected('two', { path: 'b.md', startLine: 7, endLine: 7 })];
    assert.match(
      promptWithSelections('', two),
      /^Work on `docs\/a\.md`, lines 3-5, and `b\.md`, line 7\n\nFollow the instructions in these texts\. .*\n\nFrom `docs\/a\.md`/,
    );
    const many = Array.from({ length: 9 }, (_, at) => selected('x', { startLine: at + 1, endLine: at + 1 }));
    assert.match(promptWithSelections('', many), /^Work on `docs\/a\.md`, line 1, and 8 more places\n/);
  });
});
