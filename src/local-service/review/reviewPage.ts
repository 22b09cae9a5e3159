import type { CodedText } from '../../protocol/codedText';
import type { JobStatus } from '../jobs/jobOperations';
import type { Turn } from '../store/jobStore';
import { cutText } from '../text';
import { escapeHtml, type HtmlPage, htmlPage } from './html';
import type { Language } from './language';
import type { MergePreview } from './merge';
import { type ChangedFile, changes, totals } from './renderDiff';

/** The decision about a job's work on its review page; open until there is one. */
export type ReviewState = 'open' | 'merged' | 'closed';

/** Maximum length of a follow-up from the page, in UTF-16 units. */
export const MAX_FOLLOW_UP = 60_000;

/** The data that a job's review page is rendered from. */
export interface ReviewPageData {
  status: JobStatus;
  /** Why the newest message failed. */
  error?: CodedText;
  /** What the user should know about the result. */
  note?: CodedText | undefined;
  review: ReviewState;
  /** Oldest first. */
  turns: readonly Pick<Turn, 'prompt' | 'state' | 'summary'>[];
  repository: string;
  folder: string;
  baseBranch: string | null;
  baseCommit: string;
  /** The commit that is shown. */
  commit: string;
  branch: string;
  /** The pull request on the code host, where this is reviewed instead; undefined without one. */
  pullRequest?: string;
  merge: MergePreview;
  files: readonly ChangedFile[];
  /** The output of `git diff`; undefined when it is too large to show. */
  diff: string | undefined;
  /** Authorizes requests from this page that change something. */
  token: string;
  /** The page's script; empty for a read-only page. */
  script: string;
  language: Language;
}

/** Renders the page where the user reads what the agent did, sends a follow-up, and merges or closes the work. */
export function renderReviewPage(review: ReviewPageData): HtmlPage {
  const { script, language, turns } = review;
  const { t } = language;
  const firstLine = (turns[0]?.prompt.trim().split('\n', 1)[0] ?? '').trim();
  const title = escapeHtml(cutText(firstLine, 140) || t('Documentation'));
  const body = `<header>${head(review, title)}</header>
<main id="review" ${dataOf(review)}>
${summary(review)}
${changes(review)}
${followUp(review)}
${decision(review)}
</main>
${buttons(review)}`;
  return htmlPage({ lang: language.tag, title, body, script });
}

/** The data attributes that the script reads. */
function dataOf({ token, commit, status, merge, language: { t } }: ReviewPageData): string {
  const data: Record<string, string> = {
    token,
    commit,
    status,
    into: merge.into,
    head: merge.head,
    silent: t('The local service didn’t respond. Start it in VS Code, then reload this page.'),
  };
  return Object.entries(data)
    .map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
    .join(' ');
}

function head(review: ReviewPageData, title: string): string {
  const { t, sentence } = review.language;
  const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
  const base = code(review.baseBranch ?? t('no branch'));
  const [state, words] = stateOf(review);
  const reason = review.error === undefined ? '' : sentence(review.error);
  const why = state === 'failed' ? ` <span class="why">${escapeHtml(reason)}</span>` : '';
  return `
<p class="kicker">${t('Docs Agent · Review')}</p>
<h1>${title}</h1>
<p class="state" id="state" data-state="${state}"><span class="word">${words}</span>${why}</p>
<p class="lead">${t('{0} on {1}, based on {2} at {3}', totals(review), code(review.branch), base, code(review.baseCommit.slice(0, 10)))}</p>
<p class="lead">${escapeHtml(review.repository)}</p>`;
}

function stateOf({ status, review, language: { t } }: ReviewPageData): [state: string, words: string] {
  if (status === 'active') {
    return ['active', t('In progress')];
  }
  if (review !== 'open') {
    return [review, review === 'merged' ? t('Merged') : t('Closed')];
  }
  return status === 'failed' ? ['failed', t('Failed')] : ['ready', t('Ready for review')];
}

/** What the agent says it did, and what it was asked for. */
function summary({ turns, note, language }: ReviewPageData): string {
  const { t, sentence } = language;
  const said = turns.findLast((turn) => turn.summary?.trim())?.summary?.trim() ?? '';
  const notes: Partial<Record<Turn['state'], string>> = { failed: t('failed'), cancelled: t('stopped'), done: '' };
  const asked = turns.map(({ prompt, state }) => {
    const how = notes[state] ?? t('in progress');
    return `<li><blockquote>${escapeHtml(prompt.trim())}</blockquote>${how && `<p class="note">${how}</p>`}</li>`;
  });
  return `<section aria-labelledby="summary">
<h2 id="summary">${t('Summary')}</h2>
${said === '' ? `<p class="note">${t('The agent didn’t provide a summary.')}</p>` : `<div class="said">${escapeHtml(said)}</div>`}
${note === undefined ? '' : `<p class="remark">${escapeHtml(sentence(note))}</p>`}
<details><summary>${turns.length === 1 ? t('Prompt') : t('Prompts')}</summary><ol class="prompts">${asked.join('\n')}</ol></details>
</section>`;
}

function followUp({ review, script, language: { t } }: ReviewPageData): string {
  if (review !== 'open' || script === '') {
    return '';
  }
  return `<section class="follow-up" aria-labelledby="follow-up">
<h2 id="follow-up">${t('Follow-up')}</h2>
<textarea id="text" aria-labelledby="follow-up" aria-describedby="follow-up-hint" maxlength="${MAX_FOLLOW_UP}"></textarea>
<p class="hint" id="follow-up-hint">${t('To comment on individual lines, open the changes in VS Code.')}</p>
<p class="buttons"><button type="button" id="send" data-busy="${t('Sending…')}">${t('Send')}</button></p>
<p class="result" role="status"></p>
</section>`;
}

/** How the work gets into the user's branch. */
function decision({ review, pullRequest, merge, folder, branch, language: { t, sentence } }: ReviewPageData): string {
  if (pullRequest !== undefined) {
    const link = escapeHtml(pullRequest);
    return section(
      t('Pull request'),
      `<p>${t('Review and merge this pull request on your Git host:')}</p>
<p><a href="${link}" rel="noreferrer">${link}</a></p>`,
    );
  }
  if (review !== 'open') {
    const isMerged = review === 'merged';
    const words = isMerged ? t('Merged into your branch.') : t('Closed without merging. The branch still exists.');
    return section(
      isMerged ? t('Merged') : t('Closed'),
      `<p>${words} ${t('To request more changes, send a follow-up from VS Code.')}</p>`,
    );
  }
  return section(
    t('Merge'),
    `<p id="merge-words">${escapeHtml(sentence(merge.text))}</p>
<p id="close-words">${t('Close without merging. Branch {0} is kept.', `<code>${escapeHtml(branch)}</code>`)}</p>
<details><summary>${t('On the command line')}</summary>
<p>${t('The branch is already in your repository. To merge it manually, run this in {0}:', `<code>${escapeHtml(folder)}</code>`)}</p>
<pre class="command"><code>git merge ${escapeHtml(branch)}</code></pre></details>`,
  );
}

function section(title: string, body: string): string {
  return `<section aria-labelledby="decision"><h2 id="decision">${title}</h2>\n${body}\n</section>`;
}

/** The bar at the bottom, shown until the work is merged. */
function buttons({ review, pullRequest, script, language: { t } }: ReviewPageData): string {
  if (review === 'merged' || pullRequest !== undefined || script === '') {
    return '';
  }
  const open = `<button type="button" class="primary" id="merge" aria-describedby="merge-words" data-busy="${t('Merging…')}">${t('Merge')}</button>
<button type="button" id="close" aria-describedby="close-words" data-busy="${t('Closing…')}">${t('Close')}</button>`;
  const closed = `<button type="button" id="reopen" data-busy="${t('Reopening…')}">${t('Reopen')}</button>`;
  return `<footer class="bar">
<p class="result" id="decided" role="status"></p>
<p class="buttons">
${review === 'open' ? open : closed}
</p>
</footer>`;
}

/** The review page's only style sheet. Classes that start with `d2h` are diff2html's classes for lines. */
export const REVIEW_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fafaf8, #141518); --paper: light-dark(#fff, #1b1d21); --ink: light-dark(#1d1f23, #e7e7e3);
  --soft: light-dark(#5b6068, #a3a8b0); --line: light-dark(#dfdfda, #33363c); --edge: light-dark(#8a8f97, #747a83);
  --link: light-dark(#0a58b0, #7db7f5); --on-link: light-dark(#fff, #10151c); --hunk: light-dark(#f1f3f7, #22262d);
  --plus: light-dark(#17692f, #86dba0); --plus-ground: light-dark(#e7f6ea, #15291c); --plus-mark: light-dark(#b4e5c0, #24593a);
  --minus: light-dark(#a4222c, #f5a3a6); --minus-ground: light-dark(#fdeeee, #301a1c); --minus-mark: light-dark(#f8c6c8, #6b2c31);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-contrast: more) {
  :root { --ground: Canvas; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --line: CanvasText; --edge: CanvasText; }
}
* { box-sizing: border-box; }
html { scroll-padding-block: 1rem 6rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
}
header, main, .bar { padding-inline: max(1rem, (100% - 64rem) / 2); }
header { padding-top: clamp(1.5rem, 5vw, 3.5rem); }
main { padding-bottom: 3rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.25rem); font-weight: 650; letter-spacing: -0.015em; max-width: 42rem; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.125rem; font-weight: 650; }
p { margin: 0 0 0.75rem; max-width: 42rem; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre, .path, .counts, table { font-family: var(--mono); }
code, .path, .counts { font-size: 0.875em; overflow-wrap: anywhere; }
.kicker { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.lead { margin: 0; max-width: none; color: var(--soft); }
.lead code { color: var(--ink); }
.note, .hint { margin: 0; color: var(--soft); font: 0.875rem/1.6 system-ui, sans-serif; }
.state { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0 0 1rem; }
.state .word { padding: 0.125rem 0.75rem; border: 1px solid; border-radius: 1rem; font-size: 0.875rem; font-weight: 600; color: var(--soft); }
.state[data-state='ready'] .word { color: var(--link); }
.state[data-state='merged'] .word { color: var(--plus); }
.state[data-state='failed'] .word { color: var(--minus); }
.said { max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.remark { margin-top: 1rem; padding-left: 0.75rem; border-left: 3px solid var(--edge); }
details { margin-top: 0.75rem; }
summary { width: fit-content; color: var(--soft); font-size: 0.875rem; cursor: pointer; }
details > :not(summary) { margin-top: 0.5rem; }
.prompts { margin: 0; padding: 0 0 0 1.5rem; }
.prompts li:only-child { margin-left: -1.5rem; list-style: none; }
.prompts li + li { margin-top: 1rem; }
.prompts li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
blockquote { margin: 0; max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.command {
  margin: 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper);
  white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5;
}
.command code { user-select: all; font-size: 0.9375rem; }
.files { margin: 0 0 1.5rem; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.files li { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.counts { white-space: nowrap; font-variant-numeric: tabular-nums; }
.counts ins { color: var(--plus); }
.counts del { color: var(--minus); }
ins, del { text-decoration: none; }
article {
  margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: clip;
  content-visibility: auto; contain-intrinsic-size: auto 40rem;
}
h3 {
  margin: 0; padding: 0.625rem 1rem; font-size: 0.9375rem; font-weight: 600; background: var(--paper);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 1;
}
h3 .path { font-size: inherit; margin-right: 0.5rem; }
.nothing { margin: 0; padding: 0.75rem 1rem; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; line-height: 1.55; tab-size: 4; }
td { padding: 0; vertical-align: top; }
td.n, td.s { width: 1%; color: var(--soft); white-space: nowrap; user-select: none; }
td.n { padding-left: 0.75rem; min-width: 3.5ch; text-align: right; font-variant-numeric: tabular-nums; }
td.s { padding-inline: 0.75rem 0.375rem; min-width: 1ch; }
td.c { padding-right: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
tr:first-child td { padding-top: 0.25rem; }
tr:last-child td { padding-bottom: 0.25rem; }
.d2h-ins td { background: var(--plus-ground); }
.d2h-del td { background: var(--minus-ground); }
.d2h-ins td.n, .d2h-ins td.s { color: var(--plus); }
.d2h-del td.n, .d2h-del td.s { color: var(--minus); }
.d2h-ins ins { background: var(--plus-mark); border-radius: 2px; }
.d2h-del del { background: var(--minus-mark); border-radius: 2px; }
.d2h-info td { padding-inline: 0.75rem 1rem; background: var(--hunk); color: var(--soft); overflow-wrap: anywhere; }
textarea {
  display: block; width: 100%; max-width: 42rem; min-height: 6rem; margin: 0 0 0.25rem; padding: 0.5rem 0.625rem; resize: vertical;
  font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; field-sizing: content;
}
button {
  font: inherit; font-size: 0.9375rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge);
  border-radius: 6px; padding: 0.375rem 0.875rem; min-height: 2.25rem; cursor: pointer;
}
button:hover { border-color: var(--ink); }
button.primary { background: var(--link); border-color: var(--link); color: var(--on-link); font-weight: 600; }
button[aria-disabled='true'] { opacity: 0.65; cursor: default; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0; }
.follow-up .buttons { margin-top: 0.75rem; }
.result { margin: 0; max-width: none; overflow-wrap: anywhere; }
.follow-up .result:not(:empty) { margin-top: 0.5rem; }
.result:not(:empty) { padding-left: 0.75rem; border-left: 3px solid var(--minus); }
.bar {
  position: sticky; bottom: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: end;
  padding-block: 0.75rem; background: var(--paper); border-top: 1px solid var(--line);
}
.bar .result { flex: 1 1 20rem; max-height: 30vh; overflow: auto; font-size: 0.9375rem; }
.bar .result:empty { display: none; }
@media (forced-colors: active) { button[aria-disabled='true'] { opacity: 1; color: GrayText; } }
@media (max-width: 40rem) {
  td.n { padding-left: 0.375rem; min-width: 2.5ch; }
  td.s { padding-inline: 0.375rem 0.25rem; }
  td.n:first-child { display: none; }
}
@media (scripting: none) { .bar, .follow-up { display: none; } }
@media print { .bar, .follow-up { display: none; } h3 { position: static; } }
`;
