import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { followUpObstacle, jobStatus, promptToRetry } from '../../../jobs/jobStatus';
import type { JobStore } from '../../../jobs/jobStore';
import type { PollHealth } from '../../../jobs/pollSchedule';
import { hasFollowUp, type RunTimeStats } from '../../../jobs/runs';
import {
  firstPrompt,
  firstSend,
  type OutgoingPrompt,
  pendingCreate,
  pendingSends,
  type TrackedJob,
  waitsForKey,
} from '../../../jobs/trackedJob';
import { COMMANDS, UNSEEN_COLOR } from '../../ids';
import { localDecision } from '../../platform/localWork';
import { isOnGithub, localReview } from '../../platform/pullRequestLink';
import type { PullRequestDetails } from '../../../client';
import type { PullRequestState } from '../../platform/pullRequestStates';
import { firstLine, toLabel, toTooltip } from '../../platform/sanitize';
import { sendReasonText } from '../../presentation/errorText';
import { jobIcon, type JobState, jobState, sendIcon, statusText } from '../../presentation/jobState';
import {
  type AgeFormats,
  changesText,
  jobTitle,
  projectLabel,
  relativeTime,
  shortAge,
  staleText,
  unusualText,
} from '../../presentation/jobText';
import { allReviewTexts, reviewIcon, reviewTexts } from '../../presentation/reviewState';
import { failureText, noteText } from '../../presentation/serviceText';
import { followUpText, sendText, waitingLook } from '../../presentation/waiting';

/** The number of prompt lines that a tooltip shows. */
const PROMPT_LINES = 6;

/** The maximum title length in a row, in characters. */
const MAX_TITLE = 60;

/** What a row depends on besides its job. */
export interface RowContext {
  usual?: RunTimeStats | undefined;
  /** The section already shows the state. */
  stateIsSaid: boolean;
  /** The number of unsent comments on its changes. */
  comments: number;
  /** The state of its pull request, if known. */
  pull: PullRequestState | undefined;
  /** What else is known of its open pull request. */
  details: PullRequestDetails | undefined;
  /** A preview of its branch is offered. */
  canPreview: boolean;
  /** The agent has worked on it since its changes were reviewed. */
  hasNewChanges: boolean;
  ages: () => AgeFormats;
  /** Neither its section nor the rest of the list says its project. */
  showsProject: boolean;
}

/** The row of a job. Its tooltip is created when it is first needed. */
export function jobItem(
  job: TrackedJob,
  health: PollHealth | undefined,
  now: number,
  { usual, stateIsSaid, comments, pull, details, canPreview, hasNewChanges, ages, showsProject }: RowContext,
): vscode.TreeItem {
  const open = pendingSends(job).length > 0;
  const folding = open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
  // A longer title would leave no room for the description; the tooltip shows it in full.
  const item = new vscode.TreeItem(toLabel(jobTitle(job), MAX_TITLE), folding);
  const stale = staleText(health, now);
  const waiting = followUpText(job, health);
  const notes =
    comments === 0
      ? undefined
      : comments === 1
        ? vscode.l10n.t('1 unsent comment')
        : vscode.l10n.t('{0} unsent comments', comments);
  const said = statusText(job, pull);
  const state = jobState(job, health, pull);
  // The group already says that it is done.
  const shownState = stateIsSaid && state === 'finished' ? vscode.l10n.t('no pull request') : said;
  const isSaid = stateIsSaid && SAID_BY_GROUP.has(state);
  const isReady = state === 'ready';
  const review = isReady ? reviewTexts(details) : [];
  const changes = job.snapshot?.changes ?? details?.changes;
  const unusual = unusualText(job, usual, now);
  const counts = changes && changesText(changes);
  const age = stale ?? shortAge(job.updatedAt, now, ages());
  const shown = [waiting, notes, isSaid ? undefined : shownState, ...review, counts, unusual, age];
  const fullAge = stale ?? relativeTime(job.updatedAt, now, () => ages().relative);
  const facts = [waiting, notes, said, ...review, counts, unusual, fullAge, projectLabel(job)];
  item.id = `job:${job.key}`;
  item.resourceUri = rowUri(job.key);
  // Omits what icon and group already show; the accessibility label contains everything.
  item.description = [...shown, showsProject ? projectLabel(job) : undefined]
    .filter((fact) => fact !== undefined)
    .join(' · ');
  item.iconPath = (isReady ? reviewIcon(details) : undefined) ?? jobIcon(job, health, pull);
  const preview = { jobKey: job.key, preview: true };
  item.command = { command: COMMANDS.showJob, title: vscode.l10n.t('Show Job'), arguments: [preview] };
  const words = [
    comments > 0 && 'comments;',
    canPreview && 'preview;',
    (hasNewChanges || hasFollowUp(job)) && 'newChanges;',
  ];
  item.contextValue = contextValue(job, pull) + words.filter((word) => word !== false).join('');
  const unseen = job.unseen ? vscode.l10n.t('unread') : '';
  item.accessibilityInformation = {
    label: [jobTitle(job), ...facts, unseen].filter((fact) => fact !== undefined && fact !== '').join(', '),
  };
  return item;
}

/** The row of a follow-up that has not been accepted yet, below its job. */
export function sendItem(job: TrackedJob, send: OutgoingPrompt, health?: PollHealth): vscode.TreeItem {
  const item = new vscode.TreeItem(toLabel(firstLine(send.prompt)));
  item.id = `send:${job.key}:${send.id}`;
  const state = sendText(job, send, health);
  item.description = state;
  item.iconPath = sendIcon(job, send);
  item.contextValue = `;send;${unsentWords(send)}`;
  item.accessibilityInformation = { label: `${vscode.l10n.t('Follow-up')}: ${toLabel(send.prompt)}, ${state}` };
  return item;
}

/** State, facts and the beginning of the prompt; all untrusted text is escaped. */
export function jobTooltip(
  job: TrackedJob,
  health: PollHealth | undefined,
  now: number,
  pull: PullRequestState | undefined,
  details?: PullRequestDetails,
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  for (const [name, value] of facts(job, health, now, pull, details)) {
    const words = toTooltip(toLabel(value, 300)).split(' ');
    // `appendText` makes spaces non-breaking, so that lines would break within words.
    words.reduce((text, word) => text.appendMarkdown(' ').appendText(word), tooltip.appendMarkdown(`**${name}:**`));
    tooltip.appendMarkdown('  \n');
  }
  const create = pendingCreate(job);
  if (create !== undefined) {
    tooltip.appendMarkdown('\n\n').appendText(toTooltip(sendReasonText(create)));
  }
  return appendPrompt(tooltip, firstPrompt(job));
}

export function sendTooltip(job: TrackedJob, send: OutgoingPrompt, health?: PollHealth): vscode.MarkdownString {
  const told = waitingLook(job, send, health)?.detail ?? sendReasonText(send);
  const tooltip = new vscode.MarkdownString().appendText(toTooltip(told));
  return appendPrompt(tooltip, send.prompt);
}

/** Shows enough of the prompt to recognize it; a long one could fill the screen. */
function appendPrompt(tooltip: vscode.MarkdownString, prompt: string | undefined): vscode.MarkdownString {
  if (prompt === undefined) {
    return tooltip;
  }
  const lines = prompt.trim().split(/\r?\n/);
  const shown = lines.slice(0, PROMPT_LINES).map((line) => toLabel(line, 200));
  const more = lines.length - PROMPT_LINES;
  const rest = more <= 0 ? [] : [more === 1 ? vscode.l10n.t('… 1 more line') : vscode.l10n.t('… {0} more lines', more)];
  tooltip.appendMarkdown('\n\n---\n\n');
  for (const line of [...shown, ...rest]) {
    tooltip.appendText(toTooltip(line)).appendMarkdown('  \n');
  }
  return tooltip;
}

function facts(
  job: TrackedJob,
  health: PollHealth | undefined,
  now: number,
  pull: PullRequestState | undefined,
  details: PullRequestDetails | undefined,
): [string, string][] {
  const { snapshot } = job;
  const changes = snapshot?.changes ?? details?.changes;
  const optional: [string, string | null | undefined][] = [
    [
      vscode.l10n.t('Status'),
      [statusText(job, pull), staleText(health, now)].filter((text) => text !== undefined).join(', '),
    ],
    [vscode.l10n.t('Reason'), failureText(snapshot)],
    [vscode.l10n.t('Details'), noteText(snapshot)],
    [vscode.l10n.t('Project'), projectLabel(job)],
    [vscode.l10n.t('Service'), job.home.baseUrl],
    [localReview(job) === undefined ? vscode.l10n.t('Pull request') : vscode.l10n.t('Review page'), snapshot?.prLink],
    [vscode.l10n.t('Review'), pull === undefined || pull === 'open' ? allReviewTexts(details).join(', ') : undefined],
    [vscode.l10n.t('Changes'), changes && changesText(changes)],
    [vscode.l10n.t('Branch'), snapshot?.ref],
    [vscode.l10n.t('Repository'), snapshot?.repository],
    [job.home.service === LOCAL_SERVICE ? vscode.l10n.t('Agent') : vscode.l10n.t('Model'), snapshot?.model],
    [vscode.l10n.t('Sent'), new Date(job.createdAt).toLocaleString(vscode.env.language)],
    [
      vscode.l10n.t('Finished'),
      job.endedAt === undefined ? undefined : new Date(job.endedAt).toLocaleString(vscode.env.language),
    ],
    [vscode.l10n.t('Job ID'), snapshot?.id],
  ];
  return optional.filter((fact): fact is [string, string] => fact[1] != null && fact[1] !== '');
}

/** The usual states of the jobs in their group. */
const SAID_BY_GROUP: ReadonlySet<JobState> = new Set(['running', 'unchecked', 'ready']);

/** What can be done with an unsent prompt: nothing while it is being sent. */
function unsentWords(send: OutgoingPrompt): string {
  switch (send.state) {
    case 'queued':
    case 'sending':
      return '';
    case 'waiting':
      return waitsForKey(send) ? 'unsent;key;' : 'unsent;pending;';
    default:
      return 'unsent;';
  }
}

/** Words for the menus' `when` clauses, each between semicolons. */
function contextValue(job: TrackedJob, pull: PullRequestState | undefined): string {
  const words: string[] = ['job', jobStatus(job)];
  if (job.snapshot !== undefined) {
    words.push('known');
  }
  if (followUpObstacle(job) === undefined) {
    words.push('followUp');
  }
  if (promptToRetry(job) !== undefined) {
    words.push('retry');
  }
  if (firstSend(job) !== undefined) {
    words.push('prompt');
  }
  if (job.snapshot?.prLink != null) {
    words.push(localReview(job) === undefined ? 'link' : 'review');
  }
  if (isOnGithub(job)) {
    words.push('github');
  }
  if (job.snapshot?.ref != null) {
    words.push('branch');
  }
  words.push(job.pinned ? 'pinned' : 'loose');
  if (job.untracked) {
    words.push('removed');
  }
  if (job.home.service === LOCAL_SERVICE) {
    words.push('local');
  }
  const decision = localDecision(job, pull);
  if (decision === 'open' || decision === 'closed') {
    words.push(decision === 'open' ? 'reviewOpen' : 'reviewClosed');
  }
  const create = pendingCreate(job);
  return `;${words.join(';')};${create === undefined ? '' : unsentWords(create)}`;
}

/** The URI scheme of job rows, for which the editor requests decorations. */
const SCHEME = 'docs-agent-job';

function rowUri(jobKey: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${jobKey}` });
}

/** A color, and a badge where there is room, for each row whose end has not been seen. */
export class UnseenMarks implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly store: JobStore) {
    this.subscriptions = [
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      store.onDidChange(({ job, before }) => {
        if (job.unseen !== (before?.unseen ?? false)) {
          this.changed.fire(rowUri(job.key));
        }
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const isUnseen = uri.scheme === SCHEME && this.store.get(uri.path.slice(1))?.unseen === true;
    const color = new vscode.ThemeColor(UNSEEN_COLOR);
    return isUnseen ? new vscode.FileDecoration('●', vscode.l10n.t('Unread'), color) : undefined;
  }
}
