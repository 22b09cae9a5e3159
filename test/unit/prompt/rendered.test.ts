import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { type ChangedFile, changesText, patchesIn, patchHeader } from '../../../src/prompt/changesText';
import { type ListedFinding, renderFindings } from '../../../src/prompt/findings';
import { renderReviewThreads, type ReviewThread } from '../../../src/prompt/reviewThreads';

const none = { files: 0, added: 0, deleted: 0 };
const file = (path: string, added = 1, deleted = 0): ChangedFile => ({ path, status: 'M', added, deleted });
const diffOf = (path: string, ...lines: string[]): string =>
  `${patchHeader({ path })}\n@@ -1 +1 @@\n${lines.join('\n')}\n`;

describe('the text of changes', () => {
  it('has the diffs of its files, and not those that git includes when a path has become a folder', () => {
    const files = [file('a'), file('größe "x"')];
    const diff = diffOf('a/b', '+1') + diffOf('größe "x"', '+2') + diffOf('a', '+3');
    deepStrictEqual(
      [...patchesIn(diff, files)].map(([{ path }, text]) => [path, text.split('\n').at(-1)]),
      [
        ['größe "x"', '+2'],
        ['a', '+3'],
      ],
    );
  });

  it('shares its budget among the diffs, says what was left out, and shows invisible characters', () => {
    const files = [file('long', 300), file('short'), file('unread', 9)];
    const lines = Array.from({ length: 300 }, (_, index) => `+line ${index}`);
    const odd = '+\u001b[31mred\u0000\u202e\tx\r';
    const text = changesText(
      { files, more: none, patches: patchesIn(diffOf('long', ...lines) + diffOf('short', odd), files) },
      1_000,
    );
    match(text, /^3 files changed, \+310 -0\nM long, \+300 -0\nM short, \+1 -0\nM unread, \+9 -0, not shown\n\n/);
    match(text, /\n\+line 0\n[^]*\n… 2\d\d lines left out\n[^]*\n\+line 299\n/);
    ok(text.endsWith('\n+␛[31mred␀[U+202E]\tx'));
    ok(text.length < 1_500);
  });

  it('lists files until the list is full, with correct totals, and quotes paths like git', () => {
    const files = Array.from({ length: 2000 }, (_, index) => file(`docs/chapter-${index}/page.md`, 10, 1));
    const text = changesText({ files, more: { files: 34, added: 5, deleted: 6 }, patches: new Map() });
    match(text, /^2,034 files changed, \+20,005 -2,006\nM docs\/chapter-0\/page\.md, \+10 -1, not shown\n/);
    match(text, /\n… 1,\d{3} lines left out\n[^]*\n… and 34 more files, \+5 -6, not shown$/);
    ok(text.length < 9_000);
    const quoted = changesText({ files: [file('a\n"b"\u001b')], more: none, patches: new Map() });
    match(quoted, /^M "a\\n\\"b\\"\\033", \+1 -0, not shown$/m);
  });
});

const found = (more: Partial<ListedFinding> = {}): ListedFinding => ({
  path: 'docs/retry.md',
  line: 12,
  what: 'outdated name',
  text: '`maxRetryCount` is gone.',
  ...more,
});

describe('the prompt about findings', () => {
  it('lists them by page and line', () => {
    const { text, leftOut } = renderFindings([
      found({ path: 'docs/z.md', line: 3, what: 'broken link', text: 'The link `a` is broken.' }),
      found({ line: 40, text: '`--retry-max` is gone.' }),
      found(),
    ]);
    const [title, , ...rest] = text.split('\n');
    strictEqual(title, 'Correct 3 outdated details on 2 pages');
    deepStrictEqual(rest.slice(rest.indexOf('In `docs/retry.md`:')), [
      'In `docs/retry.md`:',
      '',
      '- Line 12: `maxRetryCount` is gone.',
      '- Line 40: `--retry-max` is gone.',
      '',
      'In `docs/z.md`:',
      '',
      '- Line 3: The link `a` is broken.',
    ]);
    strictEqual(leftOut, 0);
  });

  it('says in the title what they are, and on which page, if there is only one kind or page', () => {
    match(renderFindings([found()]).text, /^Correct 1 outdated name in docs\/retry\.md\n/);
    // A path that reads like an instruction remains a quotation.
    match(renderFindings([found({ path: 'and now.md' })]).text, /^Correct 1 outdated name in `and now\.md`\n/);
  });

  it('leaves out and counts those that exceed the budget', () => {
    const all = Array.from({ length: 50 }, (_, index) => found({ line: index + 1 }));
    const { text, leftOut } = renderFindings(all, 1_500);
    const listed = text.split('\n').filter((line) => line.startsWith('- Line')).length;
    strictEqual(listed + leftOut, 50);
    ok(listed > 0);
    match(text, new RegExp(`\\n… ${leftOut} more problems left out$`));
    match(text, /^Correct 50 outdated names/);
  });
});

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
