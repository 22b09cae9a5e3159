import { createHash } from 'node:crypto';
import type { Turn } from '../store/jobStore';
import { cutText } from '../cutText';
import { changes, fileList, totals } from './changesHtml';
import { decision } from './decisionHtml';
import { escapeHtml } from './escapeHtml';
import type { Language } from './language';
import type { Review } from './review';
import { REVIEW_STYLE } from './reviewStyle';

/** A prompt longer than this is folded: lines, and characters. */
const FOLD_LINES = 12;
const FOLD_LENGTH = 1200;

export interface ReviewPage {
  html: string;
  /** The page's Content-Security-Policy: one style sheet and one script, known by their hashes; requests to itself. */
  policy: string;
}

/** The page on which a person reads what the agent did, comments on it, and merges or closes it. */
export function renderReviewPage(review: Review): ReviewPage {
  const title = escapeHtml(titleOf(review));
  const { script, language } = review;
  const html = `<!doctype html>
<html lang="${language.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Docs Agent</title>
<style>${REVIEW_STYLE}</style>
</head>
<body ${dataOf(review)}>
<header>${head(review, title)}</header>
<main>
<div id="news" class="news" role="status"></div>
<div id="whisper" class="unseen" role="status"></div>
${decision(review)}
${prompts(review)}
${fileList(review)}
${changes(review)}
</main>
${script === '' ? '' : sendBar(review)}
${script === '' ? '' : `<script type="module">${script}</script>`}
</body>
</html>
`;
  return { html, policy: policyOf(script) };
}

function policyOf(script: string): string {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `style-src ${hash(REVIEW_STYLE)}`,
    ...(script === '' ? [] : [`script-src ${hash(script)}`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** What the script needs to know. */
function dataOf({ token, commit, status, review, turns, merge, language }: Review): string {
  const words: Record<string, string> = language.tag === 'en' ? {} : { words: JSON.stringify(language.script) };
  const shown = { into: merge.into, head: merge.head };
  const data: Record<string, string> = {
    token,
    commit,
    status,
    review,
    turns: String(turns.length),
    ...shown,
    ...words,
  };
  return Object.entries(data)
    .map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
    .join(' ');
}

function titleOf({ turns, language: { t } }: Review): string {
  const firstLine = (turns[0]?.prompt.trim().split('\n', 1)[0] ?? '').trim();
  return cutText(firstLine, 140) || t('Documentation');
}

function head(review: Review, title: string): string {
  const { t, sentence } = review.language;
  const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
  const base = code(review.baseBranch ?? t('no branch'));
  const branch = code(review.branch);
  const [state, words] = stateOf(review);
  return `
<p class="kicker">${t('Docs Agent · Review')}</p>
<h1>${title}</h1>
<p class="state" id="state" data-state="${state}"><span class="word">${words}</span>${
    state === 'failed' ? ` <span class="why">${escapeHtml(sentence(review.error ?? ''))}</span>` : ''
  }</p>
<p class="lead">${t('{0} on {1}, made from {2} at {3}', totals(review), branch, base, code(review.baseCommit.slice(0, 10)))}</p>
<p class="lead">${escapeHtml(review.repository)}</p>`;
}

function stateOf({ status, review, language: { t } }: Review): [state: string, words: string] {
  if (status === 'active') {
    return ['active', t('In progress')];
  }
  if (review !== 'open') {
    return [review, review === 'merged' ? t('Merged') : t('Closed')];
  }
  return status === 'failed' ? ['failed', t('Failed')] : ['ready', t('Ready for review')];
}

function prompts({ turns, language }: Review): string {
  const { t } = language;
  const items = turns.map(({ prompt, state }) => {
    const notes: Partial<Record<Turn['state'], string>> = { failed: t('failed'), cancelled: t('stopped'), done: '' };
    const note = notes[state] ?? t('in progress');
    return `<li>${quoted(prompt.trim(), language)}${note && `<p class="note">${note}</p>`}</li>`;
  });
  return `<section aria-labelledby="prompts">
<h2 id="prompts">${turns.length === 1 ? t('Prompt') : t('Prompts')}</h2>
<ol class="prompts${turns.length === 1 ? ' single' : ''}">${items.join('\n')}</ol>
</section>`;
}

/** A long prompt is folded: what is to be reviewed stands below it. */
function quoted(prompt: string, { t }: Language): string {
  const quote = `<blockquote>${escapeHtml(prompt)}</blockquote>`;
  const lines = prompt.split('\n').length;
  const isLong = lines > FOLD_LINES || prompt.length > FOLD_LENGTH;
  const first = escapeHtml(cutText(prompt.split('\n', 1)[0] ?? '', 100));
  const summary = lines === 1 ? t('{0} (1 line)', first) : t('{0} ({1} lines)', first, lines);
  return isLong ? `<details><summary>${summary}</summary>${quote}</details>` : quote;
}

/** Stays at the lower edge while there are comments to send. */
function sendBar({ language: { t } }: Review): string {
  return `<aside class="send" id="send" aria-label="${t('Your comments')}" hidden>
<p id="send-words"></p>
<button type="button" class="primary" id="send-button">${t('Send')}</button>
</aside>`;
}
