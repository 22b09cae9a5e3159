import { createHash } from 'node:crypto';
import type { Turn } from '../store/jobStore';
import { cutText } from '../cutText';
import { escapeHtml } from './escapeHtml';
import type { ChangedFile } from './numstat';
import { renderDiff } from './renderDiff';
import { REVIEW_STYLE } from './reviewStyle';

export interface Review {
  /** Oldest first. */
  turns: readonly Pick<Turn, 'prompt' | 'state'>[];
  repository: string;
  folder: string;
  baseBranch: string | null;
  baseCommit: string;
  branch: string;
  files: readonly ChangedFile[];
  /** What `git diff` prints; undefined when it is too large to show. */
  diff: string | undefined;
}

/** A prompt longer than this is folded: lines, and characters. */
const FOLD_LINES = 12;
const FOLD_LENGTH = 1200;

export interface ReviewPage {
  html: string;
  /** The page's Content-Security-Policy: no script, no request, one style sheet known by its hash. */
  policy: string;
}

/** The page on which a person reads what the agent did and finds the command that merges it. */
export function renderReviewPage(review: Review): ReviewPage {
  const style = createHash('sha256').update(REVIEW_STYLE).digest('base64');
  const title = escapeHtml(titleOf(review));
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Docs Agent</title>
<style>${REVIEW_STYLE}</style>
</head>
<body>
<header>${head(review, title)}</header>
<main>
${merge(review)}
${prompts(review)}
${fileList(review)}
${changes(review)}
</main>
</body>
</html>
`;
  return {
    html,
    policy: `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function titleOf({ turns }: Review): string {
  const firstLine = (turns[0]?.prompt.trim().split('\n', 1)[0] ?? '').trim();
  return cutText(firstLine, 140) || 'Documentation';
}

function head(review: Review, title: string): string {
  const base = review.baseBranch ?? 'detached';
  return `
<p class="kicker">Docs Agent · Review</p>
<h1>${title}</h1>
<p class="lead">${totals(review.files)} on <code>${escapeHtml(review.branch)}</code>, made from
<code>${escapeHtml(base)}</code> at <code>${escapeHtml(review.baseCommit.slice(0, 10))}</code></p>
<p class="lead">${escapeHtml(review.repository)}</p>`;
}

function merge({ folder, branch }: Review): string {
  return `<section aria-labelledby="merge">
<h2 id="merge">Merge</h2>
<p>The branch is in your repository already. To merge it, run this in <code>${escapeHtml(folder)}</code>:</p>
<pre class="command"><code>git merge ${escapeHtml(branch)}</code></pre>
</section>`;
}

function prompts({ turns }: Review): string {
  const items = turns.map(({ prompt, state }) => {
    const notes: Partial<Record<Turn['state'], string>> = { failed: 'failed', cancelled: 'stopped', done: '' };
    const note = notes[state] ?? 'in progress';
    return `<li>${quoted(prompt.trim())}${note && `<p class="note">${note}</p>`}</li>`;
  });
  return `<section aria-labelledby="prompts">
<h2 id="prompts">${turns.length === 1 ? 'Prompt' : 'Prompts'}</h2>
<ol class="prompts${turns.length === 1 ? ' single' : ''}">${items.join('\n')}</ol>
</section>`;
}

/** A long prompt is folded: what is to be reviewed stands below it. */
function quoted(prompt: string): string {
  const quote = `<blockquote>${escapeHtml(prompt)}</blockquote>`;
  const lines = prompt.split('\n').length;
  const isLong = lines > FOLD_LINES || prompt.length > FOLD_LENGTH;
  const summary = `${escapeHtml(cutText(prompt.split('\n', 1)[0] ?? '', 100))} (${lines} ${lines === 1 ? 'line' : 'lines'})`;
  return isLong ? `<details><summary>${summary}</summary>${quote}</details>` : quote;
}

function fileList({ files, diff }: Review): string {
  const items = files.map((file, index) => {
    const name = escapeHtml(file.from === undefined ? file.path : `${file.from} → ${file.path}`);
    const label =
      diff === undefined ? `<span class="path">${name}</span>` : `<a class="path" href="#f${index}">${name}</a>`;
    return `<li>${label} ${counts(file)}</li>`;
  });
  return `<nav aria-labelledby="files">
<h2 id="files">Files</h2>
<ul class="files">${items.join('\n')}</ul>
</nav>`;
}

function changes({ diff, baseCommit, branch }: Review): string {
  if (diff === undefined) {
    const command = `git diff ${baseCommit.slice(0, 10)}...${branch}`;
    return `<section aria-labelledby="changes"><h2 id="changes">Changes</h2>
<p>The changes are too large to show here. Read them with:</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre></section>`;
  }
  const files = renderDiff(diff).map(({ name, note, rows }, index) => {
    const table = `<div class="scroll" role="region" tabindex="0" aria-label="Changes in ${name}"><table><tbody>${rows}</tbody></table></div>`;
    return `<article id="f${index}" aria-labelledby="n${index}">
<h3 id="n${index}"><span class="path">${name}</span>${note && ` <span class="note">${note}</span>`}</h3>
${rows === '' ? '<p class="nothing">No text to compare.</p>' : table}
</article>`;
  });
  return `<section aria-labelledby="changes"><h2 id="changes">Changes</h2>${files.join('\n')}</section>`;
}

function totals(files: readonly ChangedFile[]): string {
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  const all = { added: sum((file) => file.added), deleted: sum((file) => file.deleted) };
  return `${files.length} ${files.length === 1 ? 'file' : 'files'} changed ${counts(all)}`;
}

function counts({ added, deleted }: Pick<ChangedFile, 'added' | 'deleted'>): string {
  if (added === null || deleted === null) {
    return '<span class="counts">binary</span>';
  }
  const words = `${added} added, ${deleted} deleted`;
  return `<span class="counts" role="img" aria-label="${words}"><ins>+${added}</ins> <del>−${deleted}</del></span>`;
}
