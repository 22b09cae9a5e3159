import type { CodedText } from '../../shared/protocol/codedText';
import type { JobStatus } from '../runner/jobState';
import type { Turn } from '../store/jobStore';
import { cutText } from '../text';
import { type ChangedFile, changes, totals } from './changesHtml';
import { escapeHtml, type HtmlPage, htmlPage } from './html';
import type { Language } from './language';
import type { MergeOutlook } from './merge';

/** What was decided about a job's work on its page; open until then. */
export type ReviewState = 'open' | 'merged' | 'closed';

/** The longest follow-up that the page sends, in UTF-16 units. */
export const MAX_FOLLOW_UP = 60_000;

/** What the page of a job is made of. */
export interface Review {
  status: JobStatus;
  /** Why the newest message failed. */
  error?: CodedText;
  /** What the user should know of the result. */
  note?: CodedText;
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
  /** The page of the code host where this is reviewed instead; undefined without one. */
  pullRequest?: string;
  merge: MergeOutlook;
  files: readonly ChangedFile[];
  /** What `git diff` prints; undefined when it is too large to show. */
  diff: string | undefined;
  /** Authorizes requests from this page that change something. */
  token: string;
  /** The page's script; empty for a page that is only read. */
  script: string;
  language: Language;
}

/** The page on which a person reads what the agent did, sends a follow-up, and merges or closes the work. */
export function renderReviewPage(review: Review): HtmlPage {
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

/** What the script needs to know. */
function dataOf({ token, commit, status, merge, language: { t } }: Review): string {
  const data: Record<string, string> = {
    token,
    commit,
    status,
    into: merge.into,
    head: merge.head,
    silent: t('The local service did not answer. Start it in the editor, then reload this page.'),
  };
  return Object.entries(data)
    .map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
    .join(' ');
}

function head(review: Review, title: string): string {
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
<p class="lead">${t('{0} on {1}, made from {2} at {3}', totals(review), code(review.branch), base, code(review.baseCommit.slice(0, 10)))}</p>
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

/** What the agent says it did, and what it was asked for. */
function summary({ turns, note, language }: Review): string {
  const { t, sentence } = language;
  const said = turns.findLast((turn) => turn.summary?.trim())?.summary?.trim() ?? '';
  const notes: Partial<Record<Turn['state'], string>> = { failed: t('failed'), cancelled: t('stopped'), done: '' };
  const asked = turns.map(({ prompt, state }) => {
    const how = notes[state] ?? t('in progress');
    return `<li><blockquote>${escapeHtml(prompt.trim())}</blockquote>${how && `<p class="note">${how}</p>`}</li>`;
  });
  return `<section aria-labelledby="summary">
<h2 id="summary">${t('Summary')}</h2>
${said === '' ? `<p class="note">${t('The agent said nothing about its work.')}</p>` : `<div class="said">${escapeHtml(said)}</div>`}
${note === undefined ? '' : `<p class="remark">${escapeHtml(sentence(note))}</p>`}
<details><summary>${turns.length === 1 ? t('Prompt') : t('Prompts')}</summary><ol class="prompts">${asked.join('\n')}</ol></details>
</section>`;
}

function followUp({ review, script, language: { t } }: Review): string {
  if (review !== 'open' || script === '') {
    return '';
  }
  return `<section class="follow-up" aria-labelledby="follow-up">
<h2 id="follow-up">${t('Follow-up')}</h2>
<textarea id="text" aria-labelledby="follow-up" aria-describedby="follow-up-hint" maxlength="${MAX_FOLLOW_UP}"></textarea>
<p class="hint" id="follow-up-hint">${t('To comment on single lines, open the changes in the editor.')}</p>
<p class="buttons"><button type="button" id="send" data-busy="${t('Sending…')}">${t('Send')}</button></p>
<p class="result" role="status"></p>
</section>`;
}

/** How the work gets into the user's branch. */
function decision({ review, pullRequest, merge, folder, branch, language: { t, sentence } }: Review): string {
  if (pullRequest !== undefined) {
    const link = escapeHtml(pullRequest);
    return section(
      t('Pull request'),
      `<p>${t('This work is reviewed and merged on the code host:')}</p>
<p><a href="${link}" rel="noreferrer">${link}</a></p>`,
    );
  }
  if (review !== 'open') {
    const isMerged = review === 'merged';
    const words = isMerged
      ? t('This work is merged into your branch.')
      : t('This review is closed. Nothing was merged; the branch is still there.');
    return section(
      isMerged ? t('Merged') : t('Closed'),
      `<p>${words} ${t('To have more done, send a follow-up from the editor.')}</p>`,
    );
  }
  return section(
    t('Merge'),
    `<p id="merge-words">${escapeHtml(sentence(merge.text))}</p>
<p id="close-words">${t('Closing merges nothing: the branch {0} stays as it is.', `<code>${escapeHtml(branch)}</code>`)}</p>
<details><summary>${t('On the command line')}</summary>
<p>${t('The branch is in your repository already. To merge it by hand, run this in {0}:', `<code>${escapeHtml(folder)}</code>`)}</p>
<pre class="command"><code>git merge ${escapeHtml(branch)}</code></pre></details>`,
  );
}

function section(title: string, body: string): string {
  return `<section aria-labelledby="decision"><h2 id="decision">${title}</h2>\n${body}\n</section>`;
}

/** The bar at the lower edge, for as long as there is something to decide. */
function buttons({ review, pullRequest, script, language: { t } }: Review): string {
  if (review !== 'open' || pullRequest !== undefined || script === '') {
    return '';
  }
  return `<footer class="bar">
<p class="result" id="decided" role="status"></p>
<p class="buttons">
<button type="button" class="primary" id="merge" aria-describedby="merge-words" data-busy="${t('Merging…')}">${t('Merge')}</button>
<button type="button" id="close" aria-describedby="close-words" data-busy="${t('Closing…')}">${t('Close')}</button>
</p>
</footer>`;
}
