import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commentsMessage } from '../../../../src/service/review/commentsMessage';
import { diffLines, type LineLookup } from '../../../../src/service/review/diffLines';
import type { ReviewComment } from '../../../../src/service/review/reviewComments';

const comment: ReviewComment = { path: 'docs/a.md', side: 'new', from: 2, to: 3, text: 'Shorter, please.\n\nTwice.' };

const lines =
  (...texts: string[]): LineLookup =>
  (_, line) =>
    texts[line - 1];

/** Text with all that Markdown, HTML or a terminal might take for more than text. */
const nasty = fc.string({
  unit: fc.constantFrom(
    '`',
    '~',
    '>',
    '#',
    '\n',
    '\r',
    '\u2028',
    '\t',
    ' ',
    '<',
    '&',
    '-',
    '1',
    '.',
    'a',
    '\u202e',
    '\u0000',
    '\\',
  ),
  maxLength: 60,
});

/** What a CommonMark reader takes for fenced code, for quotes and for the rest, line by line. */
function parts(message: string): { code: string[]; quotes: string[]; rest: string[] } {
  const found = { code: [] as string[], quotes: [] as string[], rest: [] as string[] };
  let fence: string | undefined;
  for (const line of message.split(/\r\n?|\n/)) {
    const mark = /^ {0,3}(`{3,})([^`]*)$/.exec(line);
    if (fence === undefined && mark !== null) {
      fence = mark[1];
    } else if (fence !== undefined && mark?.[2]?.trim() === '' && (mark[1] ?? '').length >= fence.length) {
      fence = undefined;
    } else {
      (fence !== undefined ? found.code : line.startsWith('>') ? found.quotes : found.rest).push(line);
    }
  }
  assert.equal(fence, undefined, 'a fence is left open');
  return found;
}

describe('commentsMessage', () => {
  it('names path and lines, quotes the code and then the comment', () => {
    assert.equal(
      commentsMessage([comment], lines('one', 'two', 'three')),
      `Please work on this comment of the review.

In \`docs/a.md\`, lines 2 to 3:

\`\`\`
two
three
\`\`\`

> Shorter, please.
>
> Twice.
`,
    );
  });

  it('numbers several, and says of a deleted line that it was before', () => {
    const deleted: ReviewComment = { ...comment, side: 'old', from: 7, to: 7, text: 'Keep this' };
    const message = commentsMessage([comment, deleted], () => undefined);
    assert.match(
      message,
      /^Please work on these 2 comments of the review\.\n\n1\. In `docs\/a\.md`, lines 2 to 3:\n\n> Sho/,
    );
    assert.match(message, /\n\n2\. In `docs\/a\.md`, line 7 of the version before the change:\n\n> Keep this\n$/);
  });

  it('cuts code, never a comment', () => {
    const text = 'x'.repeat(5_000);
    const message = commentsMessage([{ ...comment, from: 1, to: 10_000_000, text }], () => 'y'.repeat(10_000));
    assert.ok(message.includes(text));
    assert.ok(message.length < 5_000 + 41 * 301 + 200, String(message.length));
    assert.equal(parts(message).code.at(-1), '…');
  });

  it('lets nothing that is quoted end its quotation', () => {
    fc.assert(
      fc.property(nasty, fc.array(nasty, { minLength: 1, maxLength: 6 }), nasty, (path, code, text) => {
        fc.pre(path !== '' && text.trim() !== '');
        const message = commentsMessage([{ ...comment, path, from: 1, to: code.length, text }], lines(...code));
        const { quotes, rest, code: shown } = parts(message);
        assert.equal(shown.length, code.length);
        assert.ok(quotes.length > 0);
        const words = rest.filter((line) => line !== '');
        assert.equal(words.length, 2, message);
        assert.ok(words[1]?.startsWith('In `') && /`, lines? [\d to]+:$/.test(words[1]), words[1]);
        // eslint-disable-next-line no-control-regex -- none may be left
        assert.doesNotMatch(message, /[\u0000\r\u202e\u2028]/);
      }),
      { numRuns: 2_000, seed: 11 },
    );
  });
});

describe('diffLines', () => {
  const diff = `diff --git a/a.md b/a.md
--- a/a.md
+++ b/a.md
@@ -1,3 +1,3 @@
 same
-old
+new
 --- no header
diff --git a/gone.md b/gone.md
deleted file mode 100644
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-last words
`;

  it('finds each line by file, side and number', () => {
    const find = diffLines(diff);
    assert.equal(find({ path: 'a.md', side: 'old' }, 2), 'old');
    assert.equal(find({ path: 'a.md', side: 'new' }, 2), 'new');
    assert.equal(find({ path: 'a.md', side: 'new' }, 1), 'same');
    assert.equal(find({ path: 'a.md', side: 'new' }, 3), '--- no header');
    assert.equal(find({ path: 'gone.md', side: 'old' }, 1), 'last words');
  });

  it('finds nothing where nothing is shown', () => {
    assert.equal(diffLines('')({ path: 'a.md', side: 'new' }, 1), undefined);
    assert.equal(diffLines(diff)({ path: 'a.md', side: 'new' }, 9), undefined);
    assert.equal(diffLines(diff)({ path: 'b.md', side: 'new' }, 1), undefined);
  });
});
