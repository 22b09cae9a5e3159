import * as vscode from 'vscode';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { Surroundings } from '../../protocol/surroundings';
import { numberText } from '../platform/numberText';
import { pullRequestNumber } from '../platform/pullRequestLink';
import { toLabel } from '../platform/sanitize';
import { asHeading, changesText, filesText, timeText } from './jobText';

type Around = Surroundings | undefined;

/** The name of the branch that the work goes to; empty if it is unknown. */
export function baseName(around: Around): string {
  return toLabel(around?.mergedInto ?? around?.base?.branch ?? around?.pullRequest?.base ?? '', 60);
}

/** How to publish the branch that has merged work. */
export function publishText(branch: string): string {
  return vscode.l10n.t(
    'The merge is only on this machine until you publish {0}, with Publish Branch or Sync Changes in Source Control.',
    branch,
  );
}

/** “main has 3 new commits”, or “1 conflict with main”; undefined if the job has all of them, or its work is merged. */
export function baseText(around: Around): string | undefined {
  const { newCommits = 0, conflicts = [] } = around?.base ?? {};
  if (newCommits === 0 || around?.pullRequest?.state === 'merged') {
    return undefined;
  }
  const base = baseName(around);
  if (conflicts.length > 0) {
    return conflicts.length === 1
      ? vscode.l10n.t('1 conflict with {0}', base)
      : vscode.l10n.t('{0} conflicts with {1}', numberText(conflicts.length), base);
  }
  return newCommits === 1
    ? vscode.l10n.t('{0} has 1 new commit', base)
    : vscode.l10n.t('{0} has {1} new commits', base, numberText(newCommits));
}

/** Whether only the agent can bring the new commits of the base into the work. */
export function hasConflicts(around: Around): boolean {
  return (around?.base?.conflicts.length ?? 0) > 0;
}

/** The files in which the new commits of the base conflict with the work. */
export function conflictsText(around: Around): string {
  return toLabel(around?.base?.conflicts.join(', ') ?? '', 300);
}

/** What others have done around a job, and what is in no branch: a few words each. */
export function aroundTexts(job: TrackedJob): string[] {
  const { surroundings: around } = job.snapshot ?? {};
  const { unsaved, continues } = around ?? {};
  return [
    unsaved && job.endedAt !== undefined ? vscode.l10n.t('not in a branch yet: {0}', filesText(unsaved)) : undefined,
    baseText(around),
    continues === undefined ? undefined : vscode.l10n.t('continues {0}', pullRequestNumber(continues)),
  ].filter((text) => text !== undefined);
}

/** The same as sentences, with the files that conflict. The name of a branch is not capitalized. */
export function aroundNotes(job: TrackedJob): string[] {
  const { surroundings: around, review } = job.snapshot ?? {};
  const [base, files] = [baseText(around), conflictsText(around)];
  const merged = review === 'merged' && around?.mergedInto !== undefined ? [publishText(baseName(around))] : [];
  const notes = aroundTexts(job).map((text) =>
    text === base ? [text, files].filter(Boolean).join(': ') : asHeading(text),
  );
  return [...merged, ...notes];
}

/** The same as facts. */
export function aroundFacts({ snapshot }: TrackedJob): { label: string; text: string | undefined }[] {
  const { surroundings: around } = snapshot ?? {};
  const { unsaved, continues } = around ?? {};
  return [
    { label: vscode.l10n.t('Base branch'), text: baseText(around) },
    { label: vscode.l10n.t('Conflicts'), text: baseText(around) && conflictsText(around) },
    { label: vscode.l10n.t('Not in a branch yet'), text: unsaved && changesText(unsaved) },
    { label: vscode.l10n.t('Continues'), text: continues },
  ];
}

/** “resumes at 21:00”, with the day unless it is today. */
export function resumesText(resumesAt: string, now: number): string {
  const at = new Date(resumesAt);
  return at.toDateString() === new Date(now).toDateString()
    ? vscode.l10n.t('resumes at {0}', timeText(at.getTime()))
    : vscode.l10n.t('resumes on {0}', dayText(at));
}

function dayText(at: Date): string {
  const format = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return at.toLocaleString(vscode.env.language, format);
}

/** What someone who follows up should know before sending: a sentence each. */
export function followUpNotes({ snapshot }: TrackedJob): string[] {
  const { surroundings: around, stopped = false } = snapshot ?? {};
  const { pullRequest, unsaved } = around ?? {};
  const [number, base] = [pullRequestNumber(pullRequest?.url ?? ''), baseText(around)];
  return [
    pullRequest?.state === 'merged'
      ? vscode.l10n.t(
          '{0} was merged: this starts from {1} on a new branch.',
          number,
          baseName(around) || vscode.l10n.t('the base branch'),
        )
      : undefined,
    pullRequest?.state === 'closed' ? vscode.l10n.t('{0} was closed without merging.', number) : undefined,
    unsaved && continuesWith(unsaved.files, stopped),
    base &&
      (hasConflicts(around)
        ? vscode.l10n.t('{0}, for the agent to resolve.', base)
        : vscode.l10n.t('{0}, which the agent gets.', base)),
  ].filter((text) => text !== undefined);
}

function continuesWith(files: number, isStopped: boolean): string {
  if (files === 1) {
    return isStopped
      ? vscode.l10n.t('Continues with 1 changed file of the stopped run.')
      : vscode.l10n.t('Continues with 1 changed file of the last run.');
  }
  const count = numberText(files);
  return isStopped
    ? vscode.l10n.t('Continues with {0} changed files of the stopped run.', count)
    : vscode.l10n.t('Continues with {0} changed files of the last run.', count);
}
