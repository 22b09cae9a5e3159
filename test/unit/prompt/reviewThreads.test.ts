import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { renderReviewThreads, type ReviewThread } from '../../../src/prompt/reviewThreads';

const thread: ReviewThread = {
  path: 'docs/limits.md',
  line: 12,
  isOutdated: false,
  comments: [
    { author: 'robin', text: 'Say since which version.\nAnd for whom.' },
    { author: 'lee', text: 'Since 2.1.' },
  ],
};

const LINK = 'https://github.com/acme/docs/pull/7';

describe('renderReviewThreads', () => {
  it('quotes each comment with its place and author', () => {
    strictEqual(
      renderReviewThreads(LINK, [thread]),
      [
        'Address this review comment on https://github.com/acme/docs/pull/7.',
        '',
        'In `docs/limits.md`, line 12:',
        '',
        '> robin: Say since which version.',
        '> And for whom.',
        '>',
        '> lee: Since 2.1.',
      ].join('\n'),
    );
  });

  it('numbers several comments, and says when lines have changed or are unknown', () => {
    const text = renderReviewThreads(LINK, [thread, { ...thread, line: undefined, isOutdated: true }]);
    ok(text.startsWith('Address these 2 review comments'));
    ok(text.includes('\n1. In `docs/limits.md`, line 12:\n'));
    ok(text.includes('\n2. In `docs/limits.md`, as it was before the last commits:\n'));
  });

  it('shows invisible characters, and lets no text escape its quotation', () => {
    const text = 'a\u200bb\u202e\u2028c\rd';
    const prompt = renderReviewThreads(LINK, [{ ...thread, path: 'a`\n> b', comments: [{ author: 'x\n', text }] }]);
    ok(prompt.includes('a[U+200B]b[U+202E]'), prompt);
    const quoted = prompt.split('\n').slice(4);
    ok(
      quoted.every((line) => line.startsWith('>')),
      prompt,
    );
    ok(prompt.includes('In `` a` > b ``, line 12:'), prompt);
  });

  it('quotes the first and the last lines of a conversation with many', () => {
    const text = Array.from({ length: 300 }, (_, line) => `${line}`).join('\n');
    const lines = renderReviewThreads(LINK, [{ ...thread, comments: [{ author: 'x', text }] }])
      .split('\n')
      .slice(4);
    deepStrictEqual(
      [lines.length, ...lines.slice(139, 142), lines.at(-1)],
      [201, '> 139', '> … 100 lines left out', '> 240', '> 299'],
    );
  });

  it('quotes a bounded part of a long conversation', () => {
    const comments = Array.from({ length: 20 }, () => ({ author: 'x'.repeat(500), text: '\u200b'.repeat(60_000) }));
    ok(renderReviewThreads(LINK, [{ ...thread, path: 'p'.repeat(9_000), comments }]).length < 10_000);
  });
});
