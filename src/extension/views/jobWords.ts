import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import { jobStatus } from '../../jobs/jobStatus';
import type { PollHealth } from '../../jobs/pollHealth';
import { type Send, type TrackedJob, firstPrompt, pendingCreate } from '../../jobs/trackedJob';
import { firstLine, toLabel } from '../text';

const { t } = vscode.l10n;

/** What the job is called: the first line of its prompt, or its id where it was tracked by that. */
export function jobTitle(job: TrackedJob): string {
  const prompt = firstPrompt(job);
  return prompt === undefined ? t('Job {0}', toLabel(job.snapshot?.id ?? '', 40)) : toLabel(firstLine(prompt));
}

export function projectLabel(job: TrackedJob): string {
  const name = toLabel(job.home.projectName ?? job.home.projectId, 40);
  return job.home.service === LOCAL_SERVICE ? t('{0} (local)', name) : name;
}

/** The state of the job in words. */
export function statusText(job: TrackedJob): string {
  const status = jobStatus(job);
  switch (status) {
    case 'sending':
      return t('sending');
    case 'waiting':
      return waitingText(job);
    case 'rejected':
      return pendingCreate(job)?.reason?.kind === 'unauthorized' ? t('waiting for an API key') : t('not accepted');
    case 'unconfirmed':
      return t('may have been created');
    case 'active':
      return t('in progress');
    case 'completed':
      return job.snapshot?.prLink == null ? t('finished without a pull request') : t('pull request ready');
    case 'failed':
      return t('failed');
    case 'archived':
      return t('archived');
    case 'unknown':
      return toLabel(job.snapshot?.status ?? '', 40);
  }
}

function waitingText(job: TrackedJob): string {
  const state = job.sends.findLast((send) => send.kind === 'create')?.state;
  return state === 'throttled' ? t('not sent: limit reached') : t('not sent: service not reached');
}

/** The state of a prompt that was not accepted, in words. */
export function sendText(send: Send): string {
  switch (send.state) {
    case 'queued':
      return t('not sent');
    case 'sending':
      return t('sending');
    case 'rejected':
      return t('not accepted');
    case 'notSent':
      return t('not sent: service not reached');
    case 'throttled':
      return t('not sent: limit reached');
    case 'unconfirmed':
      return t('may have been received');
    default:
      return '';
  }
}

/** How old the news of a job is, when they are old; undefined while they are fresh. */
export function staleText(health: PollHealth | undefined, now: number): string | undefined {
  if (health?.failure === undefined) {
    return undefined;
  }
  if (health.failure === 'notFound') {
    return t('no longer found');
  }
  return health.lastSuccessAt === undefined
    ? t('not checked yet: no answer')
    : t('last checked {0}', relativeTime(health.lastSuccessAt, now));
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** "3 min. ago", in the language of the editor. Times in milliseconds. */
export function relativeTime(at: number, now: number): string {
  const age = Math.max(0, now - at);
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto', style: 'short' });
  for (const [unit, length] of UNITS) {
    if (age >= length) {
      return format.format(-Math.floor(age / length), unit);
    }
  }
  return t('just now');
}
