import type { SummarizedFile, SummaryReader } from '../../git/diff';
import type { CodedText } from '../../protocol/codedText';
import { pathOf } from '../../protocol/routes';
import { toEnglish } from '../codedText';
import type { JobStatus } from '../jobs/jobStatus';
import type { Job, Turn } from '../store/jobStore';
import { cutText } from '../text';
import { PROGRAM_NAME } from '../commandLine';
import type { ChangedFile } from './changedWords';
import { escapeHtml, type HtmlPage, htmlPage } from './html';

const MAX_HEADING = 140;

/** How much of each prompt is shown, in characters. */
const MAX_PROMPT = 4_000;

/** The data that a job's review page is rendered from. */
export interface ReviewPageData {
  job: Pick<Job, 'id' | 'branch' | 'prLink' | 'review' | 'repository'>;
  status: JobStatus;
  /** Whether the user stopped the newest run, which then has the status `failed`. */
  stopped?: true;
  /** Why the newest run failed. */
  error?: CodedText;
  /** What the user should know about the result. */
  note: CodedText | undefined;
  /** Oldest first. */
  turns: readonly Pick<Turn, 'prompt' | 'summary'>[];
  /** What the agent wrote last, for an agent that provides no summary. */
  lastMessage: string | undefined;
  /** The user's work tree. */
  folder: string;
  /** The commits that are compared; the base is later than the job's if earlier work is merged. */
  base: string;
  commit: string;
  isBranchGone: boolean;
  files: readonly SummarizedFile[];
  /** The number of further files, and of the lines in them. */
  more: SummaryReader['more'];
  /** The changed words of `files`; undefined when there is too much to show. */
  changes: readonly ChangedFile[] | undefined;
}

/** Renders the page where the user reads what the agent did, and which commands to continue with. It changes nothing. */
export function renderReviewPage(page: ReviewPageData): HtmlPage {
  const firstLine = (page.turns[0]?.prompt.trim().split('\n', 1)[0] ?? '').trim();
  const heading = escapeHtml(cutText(firstLine, MAX_HEADING) || 'Documentation');
  const [state, words] = stateOf(page);
  const why = state === 'failed' && page.error ? ` <span>${escapeHtml(toEnglish(page.error))}</span>` : '';
  const body = `<header>
<p class="kicker">Docs Agent · Review</p>
<h1>${heading}</h1>
<p class="state" data-state="${state}"><span class="word">${words}</span>${why}</p>
<p class="lead">${totals(page)} on ${code(page.job.branch)}, since ${code(page.base.slice(0, 10))}</p>
<p class="lead">${escapeHtml(page.job.repository)}</p>
</header>
<main>
${section('summary', 'Summary', summary(page))}
${section('changes', 'Changes', changes(page))}
${decision(page)}
</main>`;
  return htmlPage({ title: `${words}: ${heading}`, body });
}

function stateOf({ status, stopped, job }: ReviewPageData): [state: string, words: string] {
  if (status === 'active') {
    return ['active', 'In progress'];
  }
  if (job.review !== null) {
    return job.review === 'merged' ? ['merged', 'Merged'] : ['closed', 'Closed'];
  }
  if (stopped === true) {
    return ['stopped', 'Stopped'];
  }
  return status === 'failed' ? ['failed', 'Failed'] : ['ready', 'Ready for review'];
}

/** What the agent says it did, and what it was asked for. */
function summary({ turns, lastMessage, note }: ReviewPageData): string {
  const said = (turns.findLast((turn) => turn.summary?.trim())?.summary ?? lastMessage ?? '').trim();
  const prompts = turns.map(({ prompt }) => `<li>${escapeHtml(cutText(prompt.trim(), MAX_PROMPT))}</li>`).join('\n');
  return `${said === '' ? '<p class="note">The agent didn’t provide a summary.</p>' : `<div class="said">${escapeHtml(said)}</div>`}
${note === undefined ? '' : `<p class="remark">${escapeHtml(toEnglish(note))}</p>`}
<details><summary>${turns.length === 1 ? 'Prompt' : 'Prompts'}</summary><ol class="prompts">${prompts}</ol></details>`;
}

function changes({ files, more, changes: shown, base, job }: ReviewPageData): string {
  const items = files.map((file, index) => {
    const name = `<span class="path">${escapeHtml(file.path)}</span>`;
    return `<li>${shown === undefined ? name : `<a href="#f${index}">${name}</a>`} ${counts(file)}</li>`;
  });
  const rest = more.files === 0 ? [] : [`<li>Files that aren’t listed: ${more.files} ${counts(more)}</li>`];
  const list = `<ul class="files">${[...items, ...rest].join('\n')}</ul>`;
  if (shown === undefined) {
    return `<p>The changes are too large to show here. View them with:</p>
${command(`git diff ${base.slice(0, 10)}...${job.branch}`)}
${list}`;
  }
  const articles = files.map(({ path }, index) => {
    const { notes = [], hunks = [] } = shown[index] ?? {};
    const marks = notes.length === 0 ? '' : ` <span class="note">${escapeHtml(notes.join(', '))}</span>`;
    const text = hunks.length === 0 ? '<p class="nothing">No text changes.</p>' : '';
    return `<article id="f${index}">
<h3><span class="path">${escapeHtml(path)}</span>${marks}</h3>
${text}${hunks.map((hunk) => `<pre class="hunk">${hunk}</pre>`).join('\n')}
</article>`;
  });
  return [files.length > 1 ? list : '', ...articles].join('\n');
}

/** How the work gets into the user's branch. */
function decision({ job, folder, base, commit, isBranchGone }: ReviewPageData): string {
  const { id, branch, prLink, review } = job;
  const there = code(folder);
  if (prLink !== null) {
    const link = escapeHtml(prLink);
    return section('next', 'Pull request', `<p><a href="${link}" rel="noreferrer">${link}</a></p>`);
  }
  if (isBranchGone) {
    const text = `<p>The branch was deleted. To restore it, run this in ${there}:</p>`;
    return section('next', 'Branch', text + command(`git branch ${branch} ${commit}`));
  }
  const git = `<p>The branch is in your repository, ${there}:</p>
${command(`git diff ${base.slice(0, 10)}...${branch}\ngit switch ${branch}\ngit merge ${branch}`)}`;
  const decide = `<p>Decide in VS Code, or with the command that started the service: accept the changes (merge them as one commit), or discard them (close the job).</p>
${command(`${PROGRAM_NAME} merge ${id}\n${PROGRAM_NAME} close ${id}`)}`;
  return section('next', 'Branch', review === null ? `${git}\n${decide}` : git);
}

function section(id: string, title: string, body: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${body}\n</section>`;
}

function command(text: string): string {
  return `<pre class="command"><code>${escapeHtml(text)}</code></pre>`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function totals({ files, more }: ReviewPageData): string {
  const sum = (which: 'added' | 'deleted') => files.reduce((all, file) => all + (file[which] ?? 0), more[which]);
  const count = files.length + more.files;
  return `${count} ${count === 1 ? 'file' : 'files'} changed ${counts({ added: sum('added'), deleted: sum('deleted') })}`;
}

function counts({ added, deleted }: Pick<SummarizedFile, 'added' | 'deleted'>): string {
  return added === null || deleted === null
    ? '<span class="counts">binary</span>'
    : `<span class="counts" role="img" aria-label="${added} added, ${deleted} deleted"><b class="plus">+${added}</b> <b class="minus">−${deleted}</b></span>`;
}

/** Explains how to open the review page, to anyone who has only its URL. */
export function renderClosedPage(origin: string, jobId: string): HtmlPage {
  const request = `curl -X POST -H "Authorization: Bearer $(cat KEYFILE)" ${origin}${pathOf('openReview', { projectId: 'PROJECT', jobId })}`;
  const title = 'Open this review from VS Code';
  const body = `<header><p class="kicker">Docs Agent</p><h1>${title}</h1></header>
<main>
<p>For security, this page can’t be opened by its URL alone. In VS Code, open the job’s page and choose <b>Open in Browser</b>. Do this again after the local service restarts.</p>
<p>Without VS Code, use this command to get a one-time URL for the page. PROJECT and KEYFILE are in the line that the service printed when it started:</p>
${command(request)}
</main>`;
  return htmlPage({ title, body });
}
