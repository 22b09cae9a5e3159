import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobHistory, Run } from '../../../jobs/jobHistory';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import { pullRequestName } from '../../platform/pullRequestLink';
import { toLabel, toText } from '../../platform/sanitize';
import { describeEnd, MAX_NOTE, promptLook } from '../../presentation/describeJob';
import { sendReasonText } from '../../presentation/errorText';
import { formatOf } from '../../presentation/format';
import { getJobState, STATES } from '../../presentation/jobStates';
import { asHeading } from '../../presentation/jobText';
import { failureText, noteText } from '../../presentation/serviceText';
import { promptText, waitingLook } from '../../presentation/waiting';
import type { Entry } from './model';
import { PAGE_ACTIONS, sendActions } from './pageActions';

/** Longer prompts are cut on the page, but copied whole. In characters. */
const MAX_PROMPT = 50_000;

/**
 * The prompts of a job, how each run ended, and what became of its work, in chronological order.
 *
 * @param reviewable the ids of the prompts whose own changes can be shown
 * @param hostedEnd what became of its pull request
 */
export function pageHistory(
  job: TrackedJob,
  { prompts, runs }: JobHistory,
  reviewable: ReadonlySet<string>,
  hostedEnd: Run['review'],
): Entry[] {
  const entries = [
    ...prompts.map((prompt) => promptEntry(job, prompt, reviewable.has(prompt.id))),
    ...runs.flatMap((run) => [
      ...originEntries(job, run),
      runEntry(job, run, run === runs.at(-1)),
      ...reviewEntries(run.id, run.review),
    ]),
    ...reviewEntries('pull request', hostedEnd),
  ];
  return entries.toSorted((a, b) => a.at - b.at);
}

function promptEntry(job: TrackedJob, prompt: OutgoingPrompt, isReviewable: boolean): Entry {
  const { id, at, kind, state } = prompt;
  const isFirst = kind === 'create';
  const isAccepted = state === 'created';
  // The top of the page says why the first prompt was not accepted.
  const why = isAccepted || isFirst ? '' : (waitingLook(job, prompt)?.detail ?? sendReasonText(prompt));
  const changes = { id: 'reviewChanges', label: vscode.l10n.t('Show Changes') };
  const copy = { id: PAGE_ACTIONS.copyPrompt, label: vscode.l10n.t('Copy Prompt') };
  return {
    ...{ id, at, kind: isFirst ? 'prompt' : 'followUp' },
    tone: isAccepted ? 'plain' : promptLook(job, prompt).severity,
    title: isFirst ? vscode.l10n.t('Prompt') : vscode.l10n.t('Follow-up'),
    ...(isAccepted ? {} : { note: promptText(job, prompt) }),
    ...(why === '' ? {} : { why }),
    text: toText(prompt.text, MAX_PROMPT),
    actions: [...sendActions(job, prompt), ...(isReviewable ? [changes] : []), copy],
  };
}

/** What began a run, if that was not a prompt from here. */
function originEntries({ location }: TrackedJob, { id, from, origin }: Run): Entry[] {
  switch (origin) {
    case 'tracked': {
      const text =
        location.service === LOCAL_SERVICE
          ? vscode.l10n.t('Earlier activity isn’t shown here.')
          : vscode.l10n.t('Earlier activity is available only in the service.');
      return [
        { id: `${id} origin`, at: from, kind: 'state', tone: 'plain', title: vscode.l10n.t('Tracking started'), text },
      ];
    }
    case 'resumed':
      return [
        {
          id: `${id} origin`,
          at: from,
          kind: 'followUp',
          tone: 'plain',
          title: vscode.l10n.t('Follow-up (sent elsewhere)'),
        },
      ];
    case undefined:
      return [];
  }
}

function runEntry(job: TrackedJob, { id, from, to, end: snapshot }: Run, isLast: boolean): Entry {
  const { location } = job;
  if (to === undefined) {
    const { severity, label } = STATES[getJobState(job)];
    return { id, at: from, kind: 'state', tone: severity, title: asHeading(label?.(job.snapshot) ?? '') };
  }
  // A run that was only seen at its end has no duration.
  const note = to - from < 1000 ? {} : { note: formatOf(vscode.env.language).duration(to - from) };
  if (snapshot === undefined) {
    return { id, at: to, kind: 'state', tone: 'plain', title: vscode.l10n.t('Interrupted by a follow-up'), ...note };
  }
  const { label, severity } = describeEnd({ location, snapshot });
  // The top of the page says why the last one failed.
  const why = isLast ? '' : failureText(snapshot) || noteText(snapshot);
  const text = asHeading(toText(why, MAX_NOTE)) || toLabel(pullRequestName({ location, snapshot }));
  return {
    ...{ id, at: to, kind: severity === 'good' ? 'pullRequest' : 'state', tone: severity, title: asHeading(label) },
    ...note,
    ...(text === '' ? {} : { text }),
  };
}

/** What became of the work. */
function reviewEntries(id: string, review: Run['review']): Entry[] {
  if (review === undefined) {
    return [];
  }
  const title = review.state === 'merged' ? vscode.l10n.t('merged') : vscode.l10n.t('closed');
  return [{ id: `${id} end`, at: review.at, kind: 'pullRequest', tone: 'plain', title: asHeading(title) }];
}
