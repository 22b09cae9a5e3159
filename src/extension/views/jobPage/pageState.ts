import * as vscode from 'vscode';
import type { Snapshot } from '../../../jobs/events';
import { isStopped, jobStatus } from '../../../jobs/jobStatus';
import type { PollHealth } from '../../../jobs/pollHealth';
import { type TrackedJob, pendingCreate, waitsForKey } from '../../../jobs/trackedJob';
import type { UsualRun } from '../../../jobs/usualRun';
import type { PullRequestState } from '../../review/pullRequestStates';
import { reasonText, sendReasonText } from '../../services/errorText';
import { toLabel, toText } from '../../text';
import { followUpText, staleText, statusText, unusualText } from '../jobWords';
import type { PageState, Tone } from './model';
import { inEditorLanguage } from '../../serviceWords';

/** The longest text of a service that is shown as one, in characters. */
const MAX_TOLD = 2000;

export interface StateFacts {
  job: TrackedJob;
  health: PollHealth | undefined;
  usual: UsualRun | undefined;
  /** How its pull request, or its work at the local service, stands, where that is known. */
  pull?: PullRequestState | undefined;
  now: number;
}

/** How the job stands, and what the user should know of it. */
export function pageState(facts: StateFacts): PageState {
  const { job } = facts;
  const text = isGivenUp(job) ? vscode.l10n.t('given up before it was sent') : statusText(job, facts.pull);
  return { text: asHeading(text), tone: jobTone(job, facts.health, facts.pull), notes: notes(facts) };
}

export function jobTone(job: TrackedJob, health?: PollHealth, pull?: PullRequestState): Tone {
  const create = pendingCreate(job);
  switch (jobStatus(job)) {
    case 'sending':
      return 'waiting';
    case 'waiting':
      return isGivenUp(job) ? 'plain' : 'waiting';
    case 'rejected':
      return create !== undefined && waitsForKey(create) ? 'warning' : 'bad';
    case 'unconfirmed':
      return 'warning';
    case 'active':
      return health?.failure === undefined ? 'running' : 'warning';
    case 'completed':
      return pull === 'merged' || pull === 'closed'
        ? 'plain'
        : endTone(job.snapshot ?? { status: 'completed', prLink: null });
    case 'failed':
      return isStopped(job) ? 'plain' : 'bad';
    case 'archived':
    case 'unknown':
      return 'plain';
  }
}

/** How an end is told by its colour. */
export function endTone(end: Pick<Snapshot, 'status' | 'prLink' | 'note' | 'endedEarly' | 'stopped'>): Tone {
  if (end.status === 'failed') {
    return end.stopped === true ? 'plain' : 'bad';
  }
  if (end.status === 'completed' && end.endedEarly === true) {
    return 'warning';
  }
  return end.status !== 'completed' || end.prLink === null ? 'plain' : end.note === undefined ? 'good' : 'warning';
}

export function isGivenUp(job: TrackedJob): boolean {
  return pendingCreate(job)?.state === 'discarded';
}

function notes({ job, health, usual, now }: StateFacts): string[] {
  const { snapshot } = job;
  const create = pendingCreate(job);
  const stale = staleText(health, now);
  const told = [
    job.untracked ? vscode.l10n.t('This job was removed from the list and is not checked any more.') : undefined,
    snapshot?.error == null ? undefined : toText(inEditorLanguage(snapshot.error), MAX_TOLD),
    snapshot?.note === undefined ? undefined : toText(inEditorLanguage(snapshot.note), MAX_TOLD),
    create === undefined ? undefined : sendReasonText(create),
    stale === undefined ? undefined : asHeading(stale),
    health?.failure === undefined ? undefined : uncheckedReason(health.failure),
    unusualText(job, usual, now),
    followUpText(job, health),
  ];
  return told.filter((note) => note !== undefined && note !== '').map((note) => asHeading(note ?? ''));
}

/** Why a job can't be checked. */
export function uncheckedReason(failure: NonNullable<PollHealth['failure']>): string {
  switch (failure) {
    case 'notFound':
      return vscode.l10n.t(
        'The service does not know this job any more: it was deleted there, or the project’s ID has changed. Check the project ID, or remove the job from the list.',
      );
    case 'rejected':
      return vscode.l10n.t('The service refuses to tell about this job.');
    default:
      return reasonText({ kind: failure });
  }
}

/** A sentence of its own begins with a capital letter. */
export function asHeading(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase(vscode.env.language) + text.slice(first.length);
}

/** One line of a service's text. */
export function asFact(text: string): string {
  return toLabel(text, 300);
}
