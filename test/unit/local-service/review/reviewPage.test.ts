import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { toChangedFiles } from '../../../../src/local-service/review/changedWords';
import { renderReviewPage, type ReviewPageData } from '../../../../src/local-service/review/reviewPage';
import { plain as coded } from '../../../support/codedText';

const job: ReviewPageData['job'] = {
  id: 'j1',
  branch: 'docs-agent/j1',
  prLink: null,
  review: null,
  repository: 'https://git.example.org/docs.git',
};
const file = (path: string) => ({ path, status: 'M', added: 1, deleted: 1 });
/** The changes of a file with this text between two words. */
const changesOf = (text: string) =>
  toChangedFiles(`diff --git a/a b/a\nrename from ${text}\n@@ -1 +1 @@ ${text}\n-old\n+${text}\n~\n ${text}\n~`, [
    file('a'),
  ]);
const page: ReviewPageData = {
  job,
  status: 'completed',
  note: undefined,
  turns: [{ prompt: 'Document retries\n\nIn full.', summary: 'I wrote about retries.' }],
  lastMessage: undefined,
  folder: '/home/robin/docs',
  base: '0123456789abcdef0123456789abcdef01234567',
  commit: 'fedcba9876543210fedcba9876543210fedcba98',
  isBranchGone: false,
  files: [file('README.md')],
  more: { files: 0, added: 0, deleted: 0 },
  changes: changesOf('new'),
};
const render = (more: Partial<ReviewPageData> = {}): string => renderReviewPage({ ...page, ...more }).html;
const withJob = (more: Partial<ReviewPageData['job']>): string => render({ job: { ...job, ...more } });

/** All elements and attributes of a page, without text and attribute values. */
const skeleton = (html: string): string =>
  [...html.replace(/<style.*?<\/style>/gs, '').matchAll(/<\/?[^>]*>/g)]
    .map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
    .join('');

describe('the review page', () => {
  it('shows title, prompt, summary, branch, counts, the changed words, and the commands', () => {
    const html = render();
    for (const part of [
      '<h1>Document retries</h1>',
      'In full.',
      'I wrote about retries.',
      '<code>docs-agent/j1</code>, since <code>0123456789</code>',
      'aria-label="1 added, 1 deleted"',
      '<del>old</del><ins>new</ins>',
      '/home/robin/docs',
      'git diff 0123456789...docs-agent/j1\ngit switch docs-agent/j1\ngit merge docs-agent/j1<',
      'service.mjs merge j1\n',
      'service.mjs close j1<',
    ]) {
      assert.ok(html.includes(part), part);
    }
  });

  it('is read-only: it allows its style sheet and nothing else', () => {
    const { html, policy } = renderReviewPage(page);
    const style = createHash('sha256').update(/<style>(.*)<\/style>/s.exec(html)?.[1] ?? '');
    const others = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    assert.equal(policy, `default-src 'none'; style-src 'sha256-${style.digest('base64')}'; ${others}`);
    assert.doesNotMatch(html, /<(script|link|img|iframe|form|button|input|textarea)|style=|\son\w+=/i);
  });

  it('shows the state of the work', () => {
    const error = coded('The agent <stopped>.');
    for (const [more, words] of [
      [{}, /^Ready for review/],
      [{ status: 'active' }, /^In progress/],
      [{ status: 'failed', error }, /^Failed.*The agent &lt;stopped&gt;\./],
      [{ status: 'failed', stopped: true, error }, /^Stopped<\/span>$/],
      [{ job: { ...job, review: 'merged' } }, /^Merged/],
      [{ job: { ...job, review: 'closed' } }, /^Closed/],
    ] satisfies [Partial<ReviewPageData>, RegExp][]) {
      assert.match(/<span class="word">(.*?)<\/p>/s.exec(render(more))?.[1] ?? '', words);
    }
  });

  it('says how to continue: on the Git host, with the branch, or by restoring it', () => {
    const hosted = withJob({ prLink: 'https://git.example.org/pulls/1?a=1&b=2' });
    assert.match(hosted, /<a href="https:\/\/git\.example\.org\/pulls\/1\?a=1&amp;b=2"/);
    assert.doesNotMatch(hosted, /git merge|service\.mjs/);
    const closed = withJob({ review: 'closed' });
    assert.match(closed, /git merge/);
    assert.doesNotMatch(closed, /service\.mjs/);
    const merged = render({ job: { ...job, review: 'merged' }, isBranchGone: true });
    assert.match(merged, /git branch docs-agent\/j1 fedcba9876543210fedcba9876543210fedcba98/);
  });

  it('shows the command instead of changes that are too large to show', () => {
    const html = render({ changes: undefined });
    assert.ok(html.includes('too large to show'));
    assert.doesNotMatch(html, /<article|href="#f0"/);
  });

  it('cuts long prompts', () => {
    const html = render({ turns: Array(50).fill({ prompt: '\u0001'.repeat(500_000), summary: null }) });
    assert.ok(html.length < 2_500_000, String(html.length));
    assert.equal(html.match(/<li>⟨U\+0001⟩.*?…<\/li>/g)?.length, 50);
  });

  /** A page in which every text from elsewhere is this one. */
  const pageOf = (text: string): string =>
    render({
      job: { ...job, branch: text, repository: text },
      turns: [{ prompt: `x${text}`, summary: `x${text}` }],
      note: coded(text),
      error: coded(text),
      status: 'failed',
      folder: text,
      base: text,
      files: [file(text)],
      changes: changesOf(text),
    });

  it('escapes all text so that it creates no elements', () => {
    const evil = fc.oneof(
      fc.constantFrom(
        ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'><svg/onload=1>", '&lt;b&gt;', '</style>'],
      ),
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', '/', 'a', ' ', '\u202e', '{', '}') }),
    );
    const harmless = skeleton(pageOf('a'));
    fc.assert(
      fc.property(evil, (text) => {
        fc.pre(text.trim() !== '');
        assert.equal(skeleton(pageOf(text)), harmless);
      }),
      { numRuns: 500 },
    );
  });

  it('shows invisible characters and characters that change the text direction, and keeps emoji whole', () => {
    const family = '👩‍👩‍👧 ❤️ 🏳️‍🌈';
    const tags = Array.from('AGENTS', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
    const hidden = ['\u00ad', '\u115f', '\u180b', '\u200b', '\u202e', '\u2060', '\u2800', '\u{e0100}', ...tags];
    const html = pageOf(`${hidden.join('x')} ${family}`);
    assert.deepEqual(
      hidden.filter((each) => html.replaceAll(family, '').includes(each)),
      [],
    );
    const shown = hidden.map((each) => (each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'));
    const text = shown.map((number) => `⟨U+${number}⟩`).join('x');
    assert.ok(html.split(`${text} ${family}`).length > 8, html);
  });
});
