import * as vscode from 'vscode';
import type { Snapshot } from '../../jobs/events';
import { jobStatus } from '../../jobs/jobStatus';
import type { PollHealth } from '../../jobs/pollSchedule';
import { type OutgoingPrompt, pendingCreate, type TrackedJob } from '../../jobs/trackedJob';
import { hasCode } from '../../protocol/codedText';
import { isReviewLink } from '../../protocol/localKey';
import type { PullRequestState } from '../platform/pullRequestStates';
import { toLabel } from '../platform/sanitize';
import type { Severity, StateLook } from './severity';
import { sendText, waitingLook, WARNING_COLOR } from './waiting';

/** The state of a prompt that has not started a run. */
type SendState = 'sending' | 'refused' | 'unconfirmed' | 'discarded';

/** How a run ended. */
export type EndState = 'ready' | 'pushed' | 'endedEarly' | 'finished' | 'failed' | 'stopped' | 'archived' | 'unknown';

/** The state of a job, as every view shows it. */
export type JobState = SendState | EndState | 'running' | 'unchecked' | 'merged' | 'closed';

interface LabeledLook extends StateLook {
  /** Omitted where the text comes from the prompt or the service. */
  label?: () => string;
}

const ERROR = 'problemsErrorIcon.foreground';

/** How each state is shown; for waiting prompts see `waitingLook`. */
const LOOKS: Readonly<Record<JobState, LabeledLook>> = {
  sending: { severity: 'waiting', icon: 'cloud-upload', label: () => vscode.l10n.t('sending') },
  refused: { severity: 'bad', icon: 'circle-slash', iconColor: ERROR },
  unconfirmed: {
    severity: 'warning',
    icon: 'question',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('not confirmed'),
  },
  discarded: { severity: 'plain', icon: 'cloud-upload', label: () => vscode.l10n.t('discarded before sending') },
  running: { severity: 'running', icon: 'sync~spin', label: () => vscode.l10n.t('in progress') },
  unchecked: {
    severity: 'warning',
    icon: 'cloud',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('in progress'),
  },
  ready: { severity: 'good', icon: 'git-pull-request', label: () => vscode.l10n.t('pull request ready') },
  pushed: {
    severity: 'warning',
    icon: 'git-pull-request',
    label: () => vscode.l10n.t('branch pushed, no pull request'),
  },
  endedEarly: {
    severity: 'warning',
    icon: 'warning',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('ended early'),
  },
  finished: { severity: 'plain', icon: 'pass', label: () => vscode.l10n.t('finished, no pull request') },
  merged: { severity: 'plain', icon: 'git-merge', label: () => vscode.l10n.t('merged') },
  closed: { severity: 'plain', icon: 'git-pull-request-closed', label: () => vscode.l10n.t('closed') },
  failed: { severity: 'bad', icon: 'error', iconColor: ERROR, label: () => vscode.l10n.t('failed') },
  stopped: { severity: 'plain', icon: 'stop-circle', label: () => vscode.l10n.t('stopped') },
  archived: { severity: 'plain', icon: 'archive', label: () => vscode.l10n.t('archived') },
  unknown: { severity: 'plain', icon: 'circle-outline' },
};

/** @param pull the state of the job's pull request, if known; the service only reports that it is ready */
export function jobState(job: TrackedJob, health?: PollHealth, pull?: PullRequestState): JobState {
  const create = pendingCreate(job);
  if (create !== undefined) {
    return sendState(create);
  }
  switch (jobStatus(job)) {
    case 'active':
      return health?.failure === undefined ? 'running' : 'unchecked';
    case 'completed':
      return pull === 'merged' || pull === 'closed' ? pull : endState(job.snapshot);
    default:
      return endState(job.snapshot);
  }
}

export function endState(end: Snapshot | undefined): EndState {
  switch (end?.status) {
    case 'failed':
      return end.stopped === true ? 'stopped' : 'failed';
    case 'archived':
      return 'archived';
    case 'completed':
      if (end.endedEarly === true) {
        return 'endedEarly';
      }
      return end.prLink === null ? 'finished' : lacksPullRequest(end) ? 'pushed' : 'ready';
    default:
      return 'unknown';
  }
}

function lacksPullRequest({ coded }: Snapshot): boolean {
  return coded?.note !== undefined && hasCode(coded.note, 'pushedWithoutPullRequest');
}

function sendState(send: OutgoingPrompt): SendState {
  switch (send.state) {
    case 'rejected':
      return 'refused';
    case 'unconfirmed':
    case 'discarded':
      return send.state;
    default:
      return 'sending';
  }
}

/** The state of the job as text, for use within a line. */
export function statusText(job: TrackedJob, pull?: PullRequestState): string {
  const create = pendingCreate(job);
  const state = jobState(job, undefined, pull);
  const label = create?.state === 'waiting' ? sendText(job, create) : labelOf(state, job.snapshot);
  return label ?? (state === 'unknown' ? serviceWord(job.snapshot) : sendText(job, create));
}

/** How a run ended, for the start of a line. */
export function endText(end: Snapshot): string {
  return asHeading(labelOf(endState(end), end) ?? serviceWord(end));
}

/** A local job without a remote has a review page instead of a pull request. */
function labelOf(state: JobState, snapshot: Snapshot | undefined): string | undefined {
  return state === 'ready' && isReviewLink(snapshot?.prLink ?? '', snapshot?.id ?? '')
    ? vscode.l10n.t('changes ready')
    : LOOKS[state].label?.();
}

function serviceWord(snapshot: Snapshot | undefined): string {
  return toLabel(snapshot?.status ?? '', 40);
}

export function jobSeverity(job: TrackedJob, health?: PollHealth, pull?: PullRequestState): Severity {
  return jobLook(job, health, pull).severity;
}

export function endSeverity(end: Snapshot): Severity {
  return LOOKS[endState(end)].severity;
}

export function sendSeverity(job: TrackedJob, send: OutgoingPrompt): Severity {
  return send.state === 'created' ? 'plain' : sendLook(job, send).severity;
}

export function jobIcon(job: TrackedJob, health?: PollHealth, pull?: PullRequestState): vscode.ThemeIcon {
  const isNew = job.unseen && jobState(job, health, pull) === 'ready';
  return isNew ? themeIcon('git-pull-request', 'charts.green') : iconOf(jobLook(job, health, pull));
}

export function sendIcon(job: TrackedJob, send: OutgoingPrompt): vscode.ThemeIcon {
  return iconOf(sendLook(job, send));
}

function jobLook(job: TrackedJob, health?: PollHealth, pull?: PullRequestState): StateLook {
  const create = pendingCreate(job);
  return create === undefined ? LOOKS[jobState(job, health, pull)] : sendLook(job, create);
}

function sendLook(job: TrackedJob, send: OutgoingPrompt): StateLook {
  return waitingLook(job, send) ?? LOOKS[sendState(send)];
}

function iconOf({ icon, iconColor }: StateLook): vscode.ThemeIcon {
  return themeIcon(icon, iconColor);
}

function themeIcon(icon: string, color?: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

/** Capitalizes a text that stands on its own. */
export function asHeading(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase(vscode.env.language) + text.slice(first.length);
}
