import * as vscode from 'vscode';
import type { PollHealth } from '../../../jobs/pollHealth';
import { type TrackedJob, pendingCreate } from '../../../jobs/trackedJob';
import type { UsualRun } from '../../../jobs/usualRun';
import type { PullRequestState } from '../../review/pullRequestStates';
import { reasonText, sendReasonText } from '../../services/errorText';
import { toLabel, toText } from '../../text';
import { asHeading, jobSeverity, statusText } from '../../presentation/jobState';
import { staleText, unusualText } from '../../presentation/jobText';
import { followUpText } from '../../presentation/waiting';
import type { PageState } from './model';
import { failureText, noteText } from '../../presentation/serviceText';

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
  return {
    text: asHeading(statusText(job, facts.pull)),
    tone: jobSeverity(job, facts.health, facts.pull),
    notes: notes(facts),
  };
}

function notes({ job, health, usual, now }: StateFacts): string[] {
  const { snapshot } = job;
  const create = pendingCreate(job);
  const stale = staleText(health, now);
  const told = [
    job.untracked ? vscode.l10n.t('This job was removed from the list and is not checked any more.') : undefined,
    toText(failureText(snapshot), MAX_TOLD),
    toText(noteText(snapshot), MAX_TOLD),
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

/** One line of a service's text. */
export function asFact(text: string): string {
  return toLabel(text, 300);
}
