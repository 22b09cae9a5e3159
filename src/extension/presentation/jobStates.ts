import * as vscode from 'vscode';
import type { Snapshot } from '../../jobs/events';
import { jobStatus } from '../../jobs/jobStatus';
import type { PollHealth } from '../../jobs/ports';
import { type OutgoingPrompt, pendingCreate, type TrackedJob, waitsForKey } from '../../jobs/trackedJob';
import { type ActiveState, type EndState, getActiveState, getEndState } from '../../protocol/jobState';
import type { JobStatus } from '../api';
import { localReview } from '../platform/pullRequestLink';
import type { PullRequestState } from '../../protocol/surroundings';
import type { ActionName } from './jobActions';
import { ERROR_COLOR, type Look, WARNING_COLOR } from './severity';
import { baseName, resumesText } from './surroundings';

/** The groups of the list, in display order. */
export const JOB_GROUPS = ['attention', 'running', 'ready', 'done'] as const;

export type JobGroup = (typeof JOB_GROUPS)[number];

/** The state of a prompt that has not become a job. */
type PromptState = 'sending' | 'waiting' | 'needsKey' | 'rejected' | 'unconfirmed' | 'discarded';

/** The state of a job, as every view shows it. */
export type JobState = PromptState | ActiveState | EndState | 'unchecked' | 'merged' | 'closed';

/** What a notification about several jobs counts together. */
export type Digest = 'ready' | 'failed' | 'stopped' | 'archived' | 'without';

/** What the user is told when a run has ended. */
export interface Notice {
  digest: Digest;
  /** Shown as a warning. */
  isWarning?: true;
  /** Shown even if the user wants only what needs attention. */
  isImportant?: true;
  /**
   * @param why the reason or the note, if there is one
   * @param place the host of the pull request, or the project of a job without one
   */
  text: (title: string, why: string, place: string) => string;
  /** In order of preference: the first two that are available are offered. */
  offers: readonly ActionName[];
}

interface StateRow extends Look {
  /** What other extensions and chat tools see. */
  status: JobStatus;
  group: JobGroup;
  /** For use within a line; absent where the text comes from the service or from what a prompt waits for. */
  label?: (snapshot?: Snapshot, now?: number) => string;
  /** The most likely actions, if these aren't simply the first ones that are available. */
  first?: readonly ActionName[];
  /** Further ones that the job's page shows as buttons: at most two. */
  also?: readonly ActionName[];
  /** What a follow-up does, if that isn't obvious. */
  effect?: () => string;
  /** Why a follow-up that was queued until the end of the run is on hold, if not because it failed. */
  hold?: () => { label: string; detail: string };
  notice?: Notice;
}

const SHOW_OR_GO_ON = ['showJob', 'retryJob', 'sendFollowUp'] as const;

/** The only table of the states of a job. Every view takes from it. */
export const STATES: Readonly<Record<JobState, StateRow>> = {
  sending: {
    status: 'sending',
    group: 'running',
    severity: 'waiting',
    icon: 'cloud-upload',
    label: () => vscode.l10n.t('sending'),
  },
  // What the prompt waits for says the rest: see `waitingLook`.
  waiting: { status: 'waiting', group: 'running', severity: 'waiting', icon: 'clock' },
  needsKey: { status: 'rejected', group: 'attention', severity: 'warning', icon: 'key' },
  rejected: {
    status: 'rejected',
    group: 'attention',
    severity: 'bad',
    icon: 'circle-slash',
    iconColor: ERROR_COLOR,
    label: () => vscode.l10n.t('rejected'),
  },
  unconfirmed: {
    status: 'unconfirmed',
    group: 'attention',
    severity: 'warning',
    icon: 'question',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('not confirmed'),
  },
  discarded: {
    status: 'waiting',
    group: 'done',
    severity: 'plain',
    icon: 'cloud-upload',
    label: () => vscode.l10n.t('replaced or discarded'),
  },
  running: {
    status: 'active',
    group: 'running',
    severity: 'running',
    icon: 'sync~spin',
    label: () => vscode.l10n.t('in progress'),
    first: ['cancelJob'],
  },
  unchecked: {
    status: 'active',
    group: 'running',
    severity: 'warning',
    icon: 'cloud',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('in progress'),
    first: ['cancelJob'],
  },
  // The agent's usage limit ends a run, which goes on when the limit is reset.
  onHold: {
    status: 'active',
    group: 'running',
    severity: 'waiting',
    icon: 'watch',
    label: (snapshot, now = Date.now()) => resumesText(snapshot?.surroundings?.resumesAt ?? '', now),
    first: ['cancelJob'],
    effect: () =>
      vscode.l10n.t(
        'This run is on hold until the agent’s usage limit is reset. A follow-up can interrupt it or wait until it finishes.',
      ),
  },
  queued: {
    status: 'active',
    group: 'running',
    severity: 'waiting',
    icon: 'clock',
    label: () => vscode.l10n.t('queued'),
    first: ['cancelJob'],
    effect: () =>
      vscode.l10n.t(
        'This run is queued until that of another job ends. A follow-up can replace it or wait until it finishes.',
      ),
  },
  finishing: {
    status: 'active',
    group: 'running',
    severity: 'running',
    icon: 'sync~spin',
    label: () => vscode.l10n.t('finishing'),
    first: ['cancelJob'],
  },
  idle: {
    status: 'active',
    group: 'running',
    severity: 'warning',
    icon: 'warning',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('idle'),
    first: ['cancelJob'],
  },
  ready: {
    status: 'completed',
    group: 'ready',
    severity: 'good',
    icon: 'git-pull-request',
    label: () => vscode.l10n.t('pull request ready'),
    notice: {
      digest: 'ready',
      isImportant: true,
      text: (title, _, host) =>
        host === ''
          ? vscode.l10n.t('Pull request ready: {0}', title)
          : vscode.l10n.t('Pull request ready on {0}: {1}', host, title),
      offers: ['openPullRequest', 'sendFollowUp'],
    },
  },
  // A local job without a remote has a review page instead of a pull request.
  changesReady: {
    status: 'completed',
    group: 'ready',
    severity: 'good',
    icon: 'git-pull-request',
    label: () => vscode.l10n.t('changes ready'),
    first: ['reviewChanges'],
    notice: {
      digest: 'ready',
      isImportant: true,
      text: (title, _, project) => vscode.l10n.t('Changes ready to review in {0}: {1}', project, title),
      offers: ['reviewChanges', 'sendFollowUp'],
    },
  },
  pushed: {
    status: 'completed',
    group: 'ready',
    severity: 'warning',
    icon: 'git-pull-request',
    label: () => vscode.l10n.t('pushed'),
    notice: {
      digest: 'without',
      isWarning: true,
      isImportant: true,
      text: (title, note) => vscode.l10n.t('Branch pushed, no pull request: {0} ({1})', title, note),
      offers: ['openPullRequest', 'signInToGitHost'],
    },
  },
  endedEarly: {
    status: 'completed',
    group: 'ready',
    severity: 'warning',
    icon: 'warning',
    iconColor: WARNING_COLOR,
    label: () => vscode.l10n.t('partial'),
    notice: {
      digest: 'ready',
      isWarning: true,
      isImportant: true,
      text: (title, note) => vscode.l10n.t('Ended early: {0} ({1})', title, note),
      offers: ['showJob', 'sendFollowUp'],
    },
  },
  finished: {
    status: 'completed',
    group: 'done',
    severity: 'plain',
    icon: 'pass',
    label: () => vscode.l10n.t('finished, no pull request'),
    notice: {
      digest: 'without',
      text: (title) => vscode.l10n.t('Finished without a pull request: {0}', title),
      offers: ['showJob', 'sendFollowUp'],
    },
  },
  merged: {
    status: 'completed',
    group: 'done',
    severity: 'plain',
    icon: 'git-merge',
    label: (snapshot) => {
      const branch = baseName(snapshot?.surroundings);
      return branch === '' ? vscode.l10n.t('merged') : vscode.l10n.t('merged into {0}', branch);
    },
    // Nothing is left to decide.
    first: ['openPullRequest'],
  },
  closed: {
    status: 'completed',
    group: 'done',
    severity: 'plain',
    icon: 'git-pull-request-closed',
    label: () => vscode.l10n.t('closed'),
  },
  failed: {
    status: 'failed',
    group: 'attention',
    severity: 'bad',
    icon: 'error',
    iconColor: ERROR_COLOR,
    label: () => vscode.l10n.t('failed'),
    first: ['retryJob'],
    // See what it has published, find out why, or put it aside.
    also: ['openPullRequest', 'showLog', 'archiveJob', 'untrackJob'],
    effect: () => vscode.l10n.t('This job failed. A follow-up starts another run.'),
    notice: {
      digest: 'failed',
      isWarning: true,
      isImportant: true,
      text: (title, why) =>
        why === '' ? vscode.l10n.t('Job failed: {0}', title) : vscode.l10n.t('Job failed: {0} ({1})', title, why),
      offers: SHOW_OR_GO_ON,
    },
  },
  stopped: {
    status: 'failed',
    group: 'done',
    severity: 'plain',
    icon: 'stop-circle',
    label: () => vscode.l10n.t('stopped'),
    first: ['retryJob'],
    also: ['openPullRequest'],
    effect: () => vscode.l10n.t('This job was stopped. Send a follow-up to continue it.'),
    hold: () => ({
      label: vscode.l10n.t('on hold: the run was stopped'),
      detail: vscode.l10n.t(
        'The run was stopped, so this follow-up wasn’t sent. Send it now, edit it, or discard it. Otherwise it’s sent after the next run that finishes.',
      ),
    }),
    notice: {
      digest: 'stopped',
      text: (title) => vscode.l10n.t('Job stopped: {0}', title),
      offers: SHOW_OR_GO_ON,
    },
  },
  archived: {
    status: 'archived',
    group: 'done',
    severity: 'plain',
    icon: 'archive',
    label: () => vscode.l10n.t('archived'),
    also: ['unarchiveJob'],
    effect: () => vscode.l10n.t('This job is archived. The service may reject follow-ups.'),
    hold: () => ({
      label: vscode.l10n.t('on hold: the job is archived'),
      detail: vscode.l10n.t(
        'The job was archived, so this follow-up wasn’t sent. Send it now, edit it, or discard it. Otherwise it’s sent after the next run that finishes.',
      ),
    }),
    notice: {
      digest: 'archived',
      text: (title) => vscode.l10n.t('Job archived: {0}', title),
      offers: ['showJob', 'sendFollowUp'],
    },
  },
  unknown: {
    status: 'unknown',
    group: 'running',
    severity: 'plain',
    icon: 'circle-outline',
  },
};

/** What decides about the state of a job besides its record. */
export interface StateContext {
  health?: PollHealth | undefined;
  /** The state of its pull request, or of its work at the local service; the service only reports that it is ready. */
  pull?: PullRequestState | undefined;
}

export function getJobState(job: TrackedJob, { health, pull }: StateContext = {}): JobState {
  const create = pendingCreate(job);
  if (create !== undefined) {
    return getPromptState(create);
  }
  switch (jobStatus(job)) {
    case 'active':
      return health?.failure === undefined
        ? getActiveState((job.awaitsActive ? undefined : job.snapshot) ?? {})
        : 'unchecked';
    case 'completed':
      return pull === 'merged' || pull === 'closed' ? pull : endStateOf(job);
    default:
      return endStateOf(job);
  }
}

/** The state of a prompt that was not accepted, or not yet. */
export function getPromptState(prompt: OutgoingPrompt): PromptState {
  switch (prompt.state) {
    case 'waiting':
      return waitsForKey(prompt) ? 'needsKey' : 'waiting';
    case 'rejected':
    case 'unconfirmed':
    case 'discarded':
      return prompt.state;
    default:
      return 'sending';
  }
}

/** How a run ended, by what the service reported at that time. */
export function endStateOf(job: Pick<TrackedJob, 'location' | 'snapshot'>): EndState {
  return getEndState(job.snapshot ?? {}, localReview(job) !== undefined);
}
