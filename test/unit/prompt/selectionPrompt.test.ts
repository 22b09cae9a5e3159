import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fenceFor } from '../../../src/prompt/contextBlock';
import { promptWithSelections, type SelectedText } from '../../../src/prompt/promptText';
import { anyText } from './anyText';
import { asContent, readBlocks } from './readMarkdown';

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

  it('preserves every text exactly', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 3 }), (texts) => {
        const prompt = promptWithSelections(
          'do it',
          texts.map((text) => selected(text)),
        );
        const contents = readBlocks(prompt).map(({ content }) => content);
        assert.deepEqual(contents, texts.map(asContent));
      }),
      { numRuns: 1000 },
    );
  });

  it('shows any path as inline code', () => {
    const ticks = '`'.repeat(3);
    const table: [string, string][] = [
      ['a.md', '`a.md`'],
      ['a`b.md', '`` a`b.md ``'],
      [`${ticks}.md`, `${'`'.repeat(4)} ${ticks}.md ${'`'.repeat(4)}`],
      ['`', '`` ` ``'],
      ['a\nb.md', '`a b.md`'],
    ];
    for (const [path, span] of table) {
      assert.ok(
        promptWithSelections('x', [selected('y', { path })]).includes(`\n\nFrom ${span}, lines 3-5:\n\n`),
        path,
      );
    }
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
