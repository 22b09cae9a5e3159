import * as vscode from 'vscode';
import { LOCAL_SERVICE, type Snapshot } from '../../../jobs/events';
import type { HistorySpan, JobHistory, Moment, Outcome } from '../../../jobs/jobHistory';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import { waitsForRun } from '../../../jobs/waiting';
import type { WorkEnd } from '../../platform/localWork';
import { localReview, pullRequestName } from '../../platform/pullRequestLink';
import { toLabel, toText } from '../../platform/sanitize';
import { sendReasonText, uncheckedReason } from '../../presentation/errorText';
import { describeEnd, promptLook } from '../../presentation/describeJob';
import { asHeading, timeText } from '../../presentation/jobText';
import { failureText, noteText } from '../../presentation/serviceText';
import type { Entry, Span, Timeline } from './model';
import { PAGE_ACTIONS, sendActions } from './pageActions';

/** Longer prompts are cut on the page, but copied whole. In characters. */
const MAX_PROMPT = 50_000;

const MAX_TOLD = 2000;

/**
 * The history of a job as text.
 *
 * @param ends when its work was merged or closed
 */
export function pageTimeline(
  job: TrackedJob,
  { from, to, spans, moments }: JobHistory,
  runs: ReadonlySet<string> = new Set(),
  ends: readonly WorkEnd[] = [],
): Timeline {
  const told = moments.filter((moment, index) => !isToldByEnd(job, moment, moments[index + 1]));
  const entries = told.map((moment) => ({ id: moment.id, at: moment.at, ...toEntry(job, moment, runs) }));
  return {
    from,
    to,
    spans: spans.map((span) => toSpan(job, span)),
    entries: [...entries, ...ends.map(workEndEntry)].toSorted((a, b) => a.at - b.at),
  };
}

/** The review of a local job appears shortly before its run ends, and both would say that the changes are ready. */
function isToldByEnd(job: TrackedJob, moment: Moment, next: Moment | undefined): boolean {
  return moment.kind === 'pullRequest' && isReview(job, moment.snapshot) && next?.kind === 'ended';
}

/** A run that was only seen at its end has no duration. */
function worthTelling(duration: number): { duration?: number } {
  return duration < 1000 ? {} : { duration };
}

function workEndEntry({ id, at, state }: WorkEnd): Entry {
  const title = state === 'merged' ? vscode.l10n.t('merged') : vscode.l10n.t('closed');
  return { id, at, kind: 'pullRequest', tone: 'plain', title: asHeading(title) };
}

function toSpan({ home }: TrackedJob, span: HistorySpan): Span {
  const { kind, from, to } = span;
  switch (span.kind) {
    case 'waiting':
      return {
        kind,
        from,
        to,
        text: to === undefined ? vscode.l10n.t('Waiting to send') : vscode.l10n.t('Waited to send'),
      };
    case 'idle':
      return { kind, from, to, text: vscode.l10n.t('Idle') };
    case 'unchecked': {
      const why = span.failure === undefined ? vscode.l10n.t('Not tracked') : uncheckedReason(span.failure);
      return { kind, from, to, text: why };
    }
    case 'running': {
      const cutOff = to === undefined ? undefined : vscode.l10n.t('Interrupted by a follow-up');
      const end = span.end === undefined ? cutOff : asHeading(describeEnd({ home, snapshot: span.end }).label);
      const tone =
        span.end === undefined
          ? to === undefined
            ? 'running'
            : 'plain'
          : describeEnd({ home, snapshot: span.end }).severity;
      return {
        kind,
        from,
        to,
        text: to === undefined ? vscode.l10n.t('In progress') : vscode.l10n.t('Run'),
        end,
        tone,
      };
    }
  }
}

type EntryContent = Omit<Entry, 'id' | 'at'>;

function toEntry(job: TrackedJob, moment: Moment, runs: ReadonlySet<string>): EntryContent {
  switch (moment.kind) {
    case 'prompt':
      return promptEntry(job, moment.send, runs.has(moment.send.id));
    case 'outcome':
      return outcomeEntry(moment);
    case 'began':
      return moment.to === undefined
        ? { kind: 'state', tone: 'running', title: vscode.l10n.t('In progress') }
        : { kind: 'state', tone: 'plain', title: vscode.l10n.t('Run'), ...worthTelling(moment.to - moment.at) };
    case 'ended':
      return endEntry(job, moment.snapshot, moment.isNewLink);
    case 'status':
      return {
        kind: 'state',
        tone: 'plain',
        title: vscode.l10n.t('Service status: {0}', toLabel(moment.snapshot.status, 40)),
      };
    case 'pullRequest':
      return {
        kind: 'pullRequest',
        tone: 'good',
        title: isReview(job, moment.snapshot)
          ? asHeading(vscode.l10n.t('changes ready'))
          : vscode.l10n.t('Pull request opened'),
        text: linkText(job, moment.snapshot),
      };
    case 'tracked':
      return { kind: 'state', tone: 'plain', title: vscode.l10n.t('Tracking started'), text: trackedText(job) };
    case 'resumed':
      return { kind: 'followUp', tone: 'plain', title: vscode.l10n.t('Follow-up (sent elsewhere)') };
    case 'removed':
      return { kind: 'state', tone: 'plain', title: vscode.l10n.t('Removed from the list') };
    case 'restored':
      return { kind: 'state', tone: 'plain', title: vscode.l10n.t('Restored to the list') };
    case 'unchecked': {
      const { from, to, failure } = moment.span;
      const duration = to === undefined ? undefined : to - from;
      const text = uncheckedReason(failure);
      return { kind: 'pollFailed', tone: 'warning', title: vscode.l10n.t('Update failed'), text, duration };
    }
  }
}

/** @param hasChanges whether the changes of its run can be shown */
function promptEntry(job: TrackedJob, send: OutgoingPrompt, hasChanges: boolean): EntryContent {
  const text = toText(send.prompt, MAX_PROMPT);
  const copy = { id: PAGE_ACTIONS.copyPrompt, label: vscode.l10n.t('Copy Prompt') };
  const changes = { id: 'reviewChanges', label: vscode.l10n.t('Show Changes') };
  const actions = [...sendActions(job, send), ...(hasChanges ? [changes] : []), copy];
  return {
    kind: send.kind === 'create' ? 'prompt' : 'followUp',
    tone: send.state === 'created' ? 'plain' : promptLook(job, send).severity,
    title: sendTitle(send),
    text,
    actions,
  };
}

function sendTitle(send: OutgoingPrompt): string {
  const isFirst = send.kind === 'create';
  switch (send.state) {
    case 'created':
      return isFirst ? vscode.l10n.t('Prompt') : vscode.l10n.t('Follow-up');
    case 'discarded':
      return isFirst ? vscode.l10n.t('Prompt (discarded)') : vscode.l10n.t('Follow-up (discarded)');
    case 'queued':
    case 'sending':
      return isFirst ? vscode.l10n.t('Prompt (sending)') : vscode.l10n.t('Follow-up (sending)');
    case 'unconfirmed':
      return isFirst ? vscode.l10n.t('Prompt (not confirmed)') : vscode.l10n.t('Follow-up (not confirmed)');
    default:
      if (waitsForRun(send)) {
        return vscode.l10n.t('Follow-up (queued)');
      }
      return isFirst ? vscode.l10n.t('Prompt (unsent)') : vscode.l10n.t('Follow-up (unsent)');
  }
}

function outcomeEntry({ outcome, times, isPast }: Extract<Moment, { kind: 'outcome' }>): EntryContent {
  const { type, reason } = outcome;
  if (type === 'discarded') {
    return { kind: 'state', tone: 'plain', title: vscode.l10n.t('Prompt discarded') };
  }
  const neededKey = isPast && reason?.kind === 'unauthorized';
  const why = neededKey ? '' : sendReasonText({ state: type, reason });
  const often = times > 1 ? vscode.l10n.t('Tried {0} times.', times.toLocaleString(vscode.env.language)) : '';
  const text = [why, often].filter((part) => part !== '').join(' ');
  const tone = type === 'rejected' && reason?.kind !== 'unauthorized' ? 'bad' : 'warning';
  return { kind: 'state', tone, title: outcomeTitle(outcome, isPast), text };
}

function outcomeTitle({ type, reason }: Outcome, isPast: boolean): string {
  switch (type) {
    case 'rejected':
      if (reason?.kind !== 'unauthorized') {
        return vscode.l10n.t('Rejected by the service');
      }
      return isPast ? vscode.l10n.t('Waited for an API key') : vscode.l10n.t('API key required');
    case 'throttled':
      return isPast
        ? vscode.l10n.t('Waited: rate limit')
        : vscode.l10n.t('Queued until {0}: rate limit', timeText(reason?.until));
    case 'unconfirmed':
      return vscode.l10n.t('No response');
    default:
      return isPast ? vscode.l10n.t('Couldn’t be sent') : vscode.l10n.t('Couldn’t be sent yet');
  }
}

function endEntry(job: TrackedJob, snapshot: Snapshot, isNewLink: boolean): EntryContent {
  const why = asHeading(toText(failureText(snapshot) || noteText(snapshot), MAX_TOLD));
  const text = why === '' && isNewLink ? linkText(job, snapshot) : why;
  const { label, severity } = describeEnd({ home: job.home, snapshot });
  const isPullRequest = isNewLink && snapshot.status === 'completed';
  return {
    kind: isPullRequest ? 'pullRequest' : 'state',
    tone: severity,
    title: asHeading(label),
    ...(text === '' ? {} : { text }),
  };
}

/** A local job without a remote has a review page instead of a pull request. */
function isReview({ home }: TrackedJob, snapshot: Snapshot): boolean {
  return localReview({ home, snapshot }) !== undefined;
}

function linkText({ home }: TrackedJob, snapshot: Snapshot): string {
  return toLabel(pullRequestName({ home, snapshot }), 300);
}

function trackedText({ home }: TrackedJob): string {
  return home.service === LOCAL_SERVICE
    ? vscode.l10n.t('Earlier activity isn’t shown here.')
    : vscode.l10n.t('Earlier activity is available only in the service.');
}
