import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Finding } from '../../../../src/checks/finding';
import { escapeHtml } from '../../../../src/local-service/review/html';
import { ENGLISH, languageFor } from '../../../../src/local-service/review/language';
import { renderReviewPage, type ReviewPageData } from '../../../../src/local-service/review/reviewPage';
import { plain as coded } from '../../../support/codedText';

const plain: ReviewPageData = {
  status: 'completed',
  review: 'open',
  merge: { text: coded('Merging adds one commit to your branch “main”.'), into: 'main', head: '' },
  commit: 'fedcba9876543210fedcba9876543210fedcba98',
  token: 'token',
  script: 'const text = "<p>";',
  language: ENGLISH,
  turns: [{ prompt: 'Document retries\n\nIn full.', state: 'done', summary: 'I wrote about retries.' }],
  repository: 'https://git.example.org/docs.git',
  folder: '/home/robin/docs',
  baseBranch: 'main',
  baseCommit: '0123456789abcdef0123456789abcdef01234567',
  comparedWith: '0123456789abcdef0123456789abcdef01234567',
  branch: 'docs-agent/j1',
  files: [{ path: 'README.md', added: 1, deleted: 1 }],
  more: { files: 0, added: 0, deleted: 0 },
  check: undefined,
  diff: 'diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-old\n+new\n',
};

/** All elements and attributes of a page, without text and attribute values. */
const skeleton = (html: string): string =>
  [...html.replace(/<(style|script).*?<\/\1>/gs, '').matchAll(/<\/?[^>]*>/g)]
    .map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
    .join('');

/** Findings in which every field is this text. */
const hostileFindings = (text: string): Finding[] => {
  const place = { path: text, line: 1, column: 1, endColumn: 2 };
  const removed = { commit: text, subject: text, date: 0 };
  return [
    { rule: 'gone-name', place, name: text, kind: 'identifier', written: text, removed, successor: text },
    { rule: 'unknown-name', place, name: text, kind: 'identifier', certainty: 'likely' },
    { rule: 'broken-link', place, target: text, problem: 'file' },
    { rule: 'missing-image', place, target: text },
    { rule: 'invalid-code', place, language: text, message: text },
  ];
};

/** A diff whose hunk header and only line contain this text. */
const diffOf = (text: string): string =>
  `diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@ ${text}\n ${text}\n`;

describe('renderReviewPage', () => {
  it('shows title, prompt, summary, base, branch, counts, the change and the merge command', async () => {
    const { html } = await renderReviewPage(plain);
    for (const part of [
      '<h1>Document retries</h1>',
      'In full.',
      'I wrote about retries.',
      '<code>main</code>',
      '<code>docs-agent/j1</code>',
      'id="f0"',
      'aria-label="1 added, 1 deleted"',
      'git merge docs-agent/j1',
      '/home/robin/docs',
      'class="d2h-ins',
      'class="d2h-del',
    ]) {
      assert.ok(html.includes(part), part);
    }
  });

  it('shows what the check found between the summary and the changes', async () => {
    const check = { findings: hostileFindings('x'), more: 0, coverage: { pages: 1, names: 1, notChecked: [] } };
    const { html } = await renderReviewPage({ ...plain, check });
    const ids = [...html.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id);
    assert.deepEqual(ids.slice(0, 3), ['summary', 'check', 'changes']);
    assert.match(html, /data-checking="false"/);
    assert.match((await renderReviewPage({ ...plain, check: 'running' })).html, /data-checking="true"/);
  });

  it('says what the changes are compared with', async () => {
    const lead = async (more: Partial<ReviewPageData>): Promise<string> => {
      const { html } = await renderReviewPage({ ...plain, ...more });
      return /<p class="lead">(.*)<\/p>/.exec(html.replace(/<\/?code>/g, '"'))?.[1] ?? '';
    };
    assert.match(await lead({}), /on "docs-agent\/j1", based on "main" at "0123456789"$/);
    const comparedWith = 'abcdef0123456789abcdef0123456789abcdef01';
    assert.match(await lead({ comparedWith }), /on "docs-agent\/j1" since "abcdef0123", which is already merged$/);
  });

  it('allows only its own style sheet, its own script and same-origin requests', async () => {
    const { html, policy } = await renderReviewPage(plain);
    const hashOf = (element: RegExp): string =>
      createHash('sha256')
        .update(element.exec(html)?.[1] ?? '')
        .digest('base64');
    const own = `style-src 'sha256-${hashOf(/<style>(.*)<\/style>/s)}'; script-src 'sha256-${hashOf(/<script type="module">(.*)<\/script>/s)}'`;
    const others = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    const types = "require-trusted-types-for 'script'; trusted-types 'none'";
    assert.equal(policy, `default-src 'none'; ${own}; connect-src 'self'; ${others}; ${types}`);
    assert.doesNotMatch(html, /<(link|img|iframe|form)|<script src|style=|\son\w+=/i);
  });

  it('is a read-only page without a script', async () => {
    const { html, policy } = await renderReviewPage({ ...plain, script: '' });
    assert.doesNotMatch(html, /<(script|button|textarea|footer)/);
    assert.doesNotMatch(policy, /script-src|connect-src/);
  });

  it('shows the state of the work', async () => {
    const shown = async (more: Partial<ReviewPageData>): Promise<string> =>
      /<span class="word">(.*?)<\/p>/s.exec((await renderReviewPage({ ...plain, ...more })).html)?.[1] ?? '';
    assert.match(await shown({}), /^Ready for review/);
    assert.match(await shown({ status: 'active' }), /^In progress/);
    assert.match(
      await shown({ status: 'failed', error: coded('The agent <stopped>.') }),
      /^Failed.*The agent &lt;stopped&gt;\./,
    );
    assert.match(
      await shown({ status: 'failed', stopped: true, error: coded('You stopped it.') }),
      /^Stopped<\/span>$/,
    );
    assert.match(await shown({ review: 'merged' }), /^Merged/);
    assert.match(await shown({ review: 'closed' }), /^Closed/);
  });

  it('offers to reopen a closed review, but not merged work', async () => {
    const buttons = async (review: ReviewPageData['review']): Promise<string[]> => {
      const { html } = await renderReviewPage({ ...plain, review });
      const found = html.matchAll(/<button type="button"[^>]* id="(\w+)"|id="(reopen|send)"/g);
      return Array.from(found, ([, one, other]) => one ?? other ?? '');
    };
    assert.deepEqual(await buttons('closed'), ['reopen']);
    assert.deepEqual(await buttons('merged'), []);
  });

  it('links to the pull request if there is one and offers no merge', async () => {
    const { html } = await renderReviewPage({ ...plain, pullRequest: 'https://git.example.org/pulls/1?a=1&b=2' });
    assert.match(html, /<a href="https:\/\/git\.example\.org\/pulls\/1\?a=1&amp;b=2"/);
    assert.doesNotMatch(html, /id="merge"/);
  });

  it('shows the command instead of a diff that is too large to show', async () => {
    const { html } = await renderReviewPage({ ...plain, diff: undefined });
    assert.ok(html.includes('git diff 0123456789...docs-agent/j1'));
    assert.ok(html.includes('too large to show'));
    assert.ok(!html.includes('href="#f0"'));
  });

  it('shows the same for a diff that gets too large as HTML', async () => {
    const lines = (count: number) => plain.diff! + `+${'"'.repeat(1_900)}\n`.repeat(count);
    assert.match((await renderReviewPage({ ...plain, diff: lines(300) })).html, /<article/);
    const { html } = await renderReviewPage({ ...plain, diff: lines(400) });
    assert.doesNotMatch(html, /<article|href="#f0"/);
    assert.match(html, /too large to show/);
  });

  it('cuts long prompts', async () => {
    const turn = { prompt: '\u0001'.repeat(500_000), state: 'done', summary: 'Done.' } as const;
    for (const count of [1, 50]) {
      const { html } = await renderReviewPage({ ...plain, turns: Array(count).fill(turn) });
      assert.ok(html.length < 1_000_000, String(html.length));
      assert.equal(html.match(/<blockquote>⟨U\+0001⟩.*?…<\/blockquote>/g)?.length, count);
    }
  });

  it('folds a long list of files, so that the changes come first', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ path: `${index}.md`, added: 1, deleted: 0 }));
    const list = async (count: number): Promise<string> => {
      const { html } = await renderReviewPage({ ...plain, diff: plain.diff!.repeat(2), files: files(count) });
      return html.slice(html.indexOf('id="changes"'), html.indexOf('<article'));
    };
    assert.doesNotMatch(await list(10), /<details/);
    assert.match(await list(11), /<details><summary>11 files<\/summary><nav/);
  });

  it('escapes all text so that it creates no elements', async () => {
    const evil = fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "'><svg/onload=1>",
        '&lt;b&gt;',
        '{{{a}}}',
        '</style>',
      ),
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', '/', 'a', ' ', '\u202e', '{', '}') }),
    );
    const page = async (text: string): Promise<string> => {
      const { html } = await renderReviewPage({
        ...plain,
        turns: [{ prompt: `x${text}`, state: 'done', summary: `x${text}` }],
        merge: { text: coded(text), into: text, head: text },
        error: coded(text),
        status: 'failed',
        repository: text,
        folder: text,
        baseBranch: text,
        branch: text,
        files: [{ path: text, from: text, added: 1, deleted: 0 }],
        check: { findings: hostileFindings(text), more: 0, coverage: { pages: 1, names: 1, notChecked: [] } },
        diff: diffOf(text),
      });
      return html;
    };
    const harmless = skeleton(await page('a'));
    await fc.assert(
      fc.asyncProperty(evil, async (text) => {
        fc.pre(text.trim() !== '');
        assert.equal(skeleton(await page(text)), harmless);
      }),
      { numRuns: 500 },
    );
  });

  it('escapes file names in a diff', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const diff = `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
    assert.doesNotMatch((await renderReviewPage({ ...plain, diff })).html, /<img/);
  });
});

describe('escapeHtml', () => {
  it('shows invisible characters and characters that change the text direction', () => {
    assert.equal(escapeHtml('a\u202eb\u0000c\u2066'), 'a⟨U+202E⟩b⟨U+0000⟩c⟨U+2066⟩');
    assert.equal(escapeHtml('tab\tline\n'), 'tab\tline\n');
  });
});

describe('invisible characters on the review page', () => {
  const tags = Array.from('AGENTS', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
  const hidden = [
    '\u00ad',
    '\u034f',
    '\u115f',
    '\u1160',
    '\u17b4',
    '\u17b5',
    '\u180b',
    '\u180f',
    '\u200b',
    '\u2060',
  ].concat(['\u2800', '\u3164', '\ufe01', '\ufeff', '\uffa0', '\ufff9', '\ufffb', '\u{e0100}', ...Array.from(tags)]);
  const numbers = hidden.map((each) => `⟨U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
  const text = `Hello${hidden.join('x')}`;
  const shown = `Hello${numbers.join('x')}`;
  const family = '👩‍👩‍👧 ❤️ 🏳️‍🌈';

  it('are shown as code points in prompts, file names and lines, while emoji stay whole', async () => {
    const files = [{ path: `a${text}`, from: `b${text}`, added: 1, deleted: 0 }];
    const { html: listed } = await renderReviewPage({ ...plain, files, diff: undefined });
    const { html } = await renderReviewPage({
      ...plain,
      ...{ files, diff: diffOf(text), status: 'failed', error: coded(text), branch: text },
      turns: [{ prompt: `${text} ${family}`, state: 'done', summary: null }],
    });
    assert.deepEqual(
      hidden.filter((each) => html.replaceAll(family, '').includes(each)),
      [],
    );
    assert.ok(html.includes(`<blockquote>${shown} ${family}</blockquote>`));
    assert.ok(listed.includes(`b${shown} → a${shown}`));
    assert.ok(html.split(shown).length > 4);
  });

  it('are shown as code points in a changed line, while emoji stay whole', async () => {
    const diff = plain.diff?.replace('-old\n+new', `-Hello ${family}\n+${text} 👩‍👩‍👦 ❤ 🏳️‍🌈`) ?? '';
    const { html } = await renderReviewPage({ ...plain, diff });
    const rows = html.slice(html.indexOf('<table>')).replace(/<\/?(?:ins|del)>/g, '');
    assert.ok(rows.includes(`${shown} 👩‍👩‍👦 ❤ 🏳️‍🌈`), rows);
    assert.ok(rows.includes(`Hello ${family}`), rows);
  });
});

describe('review page language', () => {
  it('is German for a browser that asks for it', async () => {
    const language = await languageFor('de-AT,de;q=0.9,en;q=0.8');
    const { html } = await renderReviewPage({ ...plain, language });
    assert.match(html, /<html lang="de">/);
    for (const part of ['Bereit zum Review', '1 Datei geändert', 'Mergen</button>', '1 hinzugefügt']) {
      assert.ok(html.includes(part), part);
    }
    assert.deepEqual(
      ['Ready for review', 'file changed', 'Merge</button>', 'without merging', 'based on'].filter((part) =>
        html.includes(part),
      ),
      [],
    );
  });

  it('is English when German is not requested or has a lower preference', async () => {
    for (const asked of ['', 'en-GB,en;q=0.9,de;q=0.8', 'fr,ja', 'de;q=0', '*', ';;q=,de;q=x']) {
      assert.equal((await languageFor(asked)).tag, 'en', asked);
    }
    assert.equal((await languageFor('fr, de-CH;q=0.5')).tag, 'de');
  });
});
