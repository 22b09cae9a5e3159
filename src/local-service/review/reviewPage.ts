import type { SummarizedFile, SummaryReader } from '../../git/diff';
import type { CodedText } from '../../protocol/codedText';
import type { CheckState } from '../check/jobChecks';
import type { JobStatus } from '../jobs/jobOperations';
import type { Turn } from '../store/jobStore';
import { cutText } from '../text';
import { checkSection } from './checkSection';
import { escapeHtml, type HtmlPage, htmlPage } from './html';
import type { Language } from './language';
import type { MergePreview } from './merge';
import { changes, totals } from './renderDiff';

/** The decision about a job's work on its review page; open until there is one. */
export type ReviewState = 'open' | 'merged' | 'closed';

/** Maximum length of a follow-up from the page, in UTF-16 units. */
export const MAX_FOLLOW_UP = 60_000;

/** Maximum length of all shown prompts, in characters. Once it is reached, only the beginning of each is shown. */
const MAX_PROMPTS = 100_000;
const MIN_PROMPT = 200;

/** The data that a job's review page is rendered from. */
export interface ReviewPageData {
  status: JobStatus;
  /** Whether the user stopped the newest run, which then has the status `failed`. */
  stopped?: true;
  /** Why the newest message failed. */
  error?: CodedText;
  /** What the user should know about the result. */
  note?: CodedText | undefined;
  review: ReviewState;
  /** Oldest first. */
  turns: readonly Pick<Turn, 'prompt' | 'state' | 'summary'>[];
  /** What the agent wrote last; the summary for an agent that provides none. */
  lastMessage?: string | undefined;
  repository: string;
  folder: string;
  baseBranch: string | null;
  baseCommit: string;
  /** The commit that the changes are compared with; later than the base if earlier work is merged. */
  comparedWith: string;
  /** The commit that is shown. */
  commit: string;
  branch: string;
  /** Whether the branch was deleted after the merge. */
  isDeleted?: boolean;
  /** The pull request on the Git host, where this is reviewed instead; undefined without one. */
  pullRequest?: string;
  merge: MergePreview;
  files: readonly Pick<SummarizedFile, 'path' | 'from' | 'added' | 'deleted'>[];
  /** The number of further files, and of the lines in them. */
  more: SummaryReader['more'];
  /** What the check of the added lines has found so far. */
  check: CheckState;
  /** The output of `git diff`; undefined when it is too large to show. */
  diff: string | undefined;
  /** Authorizes requests from this page that change something. */
  token: string;
  /** The page's script; empty for a read-only page. */
  script: string;
  language: Language;
}

/** Renders the page where the user reads what the agent did, sends a follow-up, and merges or closes the work. */
export async function renderReviewPage(review: ReviewPageData): Promise<HtmlPage> {
  const { script, language, turns } = review;
  const { t } = language;
  const firstLine = (turns[0]?.prompt.trim().split('\n', 1)[0] ?? '').trim();
  const heading = escapeHtml(cutText(firstLine, 140) || t('Documentation'));
  // The page reloads when the agent has finished, and screen readers then read its title.
  const title = `${stateOf(review)[1]}: ${heading}`;
  const body = `<header>${head(review, heading)}</header>
<main id="review" ${dataOf(review)}>
${summary(review)}
${checkSection(review.check, language)}
${await changes(review)}
${followUp(review)}
${decision(review)}
</main>
${buttons(review)}`;
  return htmlPage({ lang: language.tag, title, body, script });
}

/** The data attributes that the script reads. */
function dataOf({ token, commit, status, check, merge, language: { t } }: ReviewPageData): string {
  const data: Record<string, string> = {
    token,
    commit,
    status,
    checking: String(check === 'running'),
    into: merge.into,
    head: merge.head,
    unsent: t('Send or delete your follow-up first.'),
    silent: t(
      'The local service didn’t respond. Copy any text you want to keep, start the service in VS Code, then open this page from there.',
    ),
  };
  return Object.entries(data)
    .map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
    .join(' ');
}

function head(review: ReviewPageData, title: string): string {
  const { t, sentence } = review.language;
  const [state, words] = stateOf(review);
  const reason = review.error === undefined ? '' : sentence(review.error);
  const why = state === 'failed' ? ` <span class="why">${escapeHtml(reason)}</span>` : '';
  return `
<p class="kicker">${t('Docs Agent · Review')}</p>
<h1>${title}</h1>
<p class="state" id="state" data-state="${state}"><span class="word">${words}</span>${why}</p>
<p class="lead">${comparison(review)}</p>
<p class="lead">${escapeHtml(review.repository)}</p>`;
}

/** How much is shown, and compared with what: after a merge, with the work that was merged. */
function comparison(review: ReviewPageData): string {
  const { branch, baseBranch, baseCommit, comparedWith, language } = review;
  const { t } = language;
  const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
  const [own, since] = [code(branch), code(comparedWith.slice(0, 10))];
  return comparedWith === baseCommit
    ? t('{0} on {1}, based on {2} at {3}', totals(review), own, code(baseBranch ?? t('a detached HEAD')), since)
    : t('{0} on {1} since {2}, which is already merged', totals(review), own, since);
}

function stateOf({ status, stopped, review, language: { t } }: ReviewPageData): [state: string, words: string] {
  if (status === 'active') {
    return ['active', t('In progress')];
  }
  if (review !== 'open') {
    return [review, review === 'merged' ? t('Merged') : t('Closed')];
  }
  if (stopped === true) {
    return ['stopped', t('Stopped')];
  }
  return status === 'failed' ? ['failed', t('Failed')] : ['ready', t('Ready for review')];
}

/** What the agent says it did, and what it was asked for. */
function summary({ turns, lastMessage, note, language }: ReviewPageData): string {
  const { t, sentence } = language;
  const said = turns.findLast((turn) => turn.summary?.trim())?.summary?.trim() ?? lastMessage?.trim() ?? '';
  const notes: Partial<Record<Turn['state'], string>> = { failed: t('failed'), cancelled: t('stopped'), done: '' };
  let left = MAX_PROMPTS;
  const asked = turns.map(({ prompt, state }) => {
    const how = notes[state] ?? t('in progress');
    const shown = cutText(prompt.trim(), Math.max(left, MIN_PROMPT));
    left -= shown.length;
    return `<li><blockquote>${escapeHtml(shown)}</blockquote>${how && `<p class="note">${how}</p>`}</li>`;
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
function decision(page: ReviewPageData): string {
  const { review, pullRequest, merge, folder, branch, language } = page;
  const { t, sentence } = language;
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
      `<p>${words} ${t('To request more changes, send a follow-up from VS Code.')}</p>${restoring(page)}`,
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

/** How to get back a branch that was deleted after the merge. */
function restoring({ isDeleted, folder, branch, commit, language: { t } }: ReviewPageData): string {
  return isDeleted !== true
    ? ''
    : `
<p>${t('The branch was deleted. To restore it, run this in {0}:', `<code>${escapeHtml(folder)}</code>`)}</p>
<pre class="command"><code>git branch ${escapeHtml(branch)} ${escapeHtml(commit)}</code></pre>`;
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
