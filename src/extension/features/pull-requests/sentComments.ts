import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ComposedComment, SavedComment } from '../../../jobs/store/reviewSchema';
import { type TrackedJob, pendingPrompts } from '../../../jobs/trackedJob';
import { commentBlock, findRemainingBlocks } from '../../../prompt/reviewComments';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { versionUri } from '../../platform/fileVersions';
import { type KnownBranch, knownBranch } from '../../platform/jobRepository';
import { followComment } from './commentThreads';

/** The comments as they were put into a prompt, without those whose text has changed since. */
export function asComposed(composed: readonly ComposedComment[], comments: readonly SavedComment[]): ComposedComment[] {
  const texts = new Map(comments.map((each) => [each.id, commentBlock(each).text]));
  return composed.filter(({ id, text }) => texts.get(id) === text);
}

/**
 * Checks the prompts of a job that were saved since `before`. Returns the ids of the comments in them, and how many
 * comments put into the same prompt are no longer in it. A comment changed after it was put there counts as not sent.
 */
export function sentComments(
  job: TrackedJob,
  before: TrackedJob | undefined,
  composed: readonly ComposedComment[],
  comments: readonly SavedComment[],
): { sent: Set<string>; left: number } {
  const known = new Set(before?.prompts.map(({ id }) => id));
  const current = new Set(asComposed(composed, comments));
  const sent = new Set<string>();
  let left = 0;
  for (const { id, text: prompt, at, state } of job.prompts) {
    const put = composed.filter((each) => each.jobKey === job.key && each.at <= at);
    const held =
      known.has(id) || state === 'discarded'
        ? []
        : findRemainingBlocks(prompt, put).filter((each) => current.has(each));
    held.forEach((each) => sent.add(each.id));
    if (held.length > 0) {
      left = put.filter((each) => !sent.has(each.id) && comments.some((other) => other.id === each.id)).length;
    }
  }
  return { sent, left };
}

/** Returns those of a job's sent comments that are only in prompts that were discarded. */
export function discardedComments({ prompts }: TrackedJob, sent: readonly SavedComment[]): SavedComment[] {
  const blocks = sent.map((comment) => ({ ...commentBlock(comment), comment }));
  const found = new Map<SavedComment, number>();
  for (const { text: prompt, at } of prompts.filter(({ state }) => state === 'discarded')) {
    findRemainingBlocks(prompt, blocks).forEach(({ comment }) => found.set(comment, at));
  }
  for (const { text: prompt, at } of found.size === 0 ? [] : prompts.filter(({ state }) => state !== 'discarded')) {
    // An edited prompt replaces the earlier one, which counts as discarded.
    const isLater = ({ comment }: { comment: SavedComment }): boolean => at >= (found.get(comment) ?? Infinity);
    findRemainingBlocks(prompt, blocks)
      .filter(isLater)
      .forEach(({ comment }) => found.delete(comment));
  }
  return [...found.keys()];
}

/** Says that comments put into a prompt were missing from what was sent. */
export function showUnsentComments(count: number): void {
  const text =
    count === 1
      ? vscode.l10n.t('One comment was removed from the follow-up and wasn’t sent. It’s still on its line.')
      : vscode.l10n.t(
          '{0} comments were removed from the follow-up and weren’t sent. They’re still on their lines.',
          count,
        );
  void vscode.window.showInformationMessage(text);
}

/** Says that a comment was changed both here and in another window. */
export function showBothVersionsKept(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('This comment was changed in another window. Your text was saved as a separate comment.'),
  );
}

/** Returns how many of the job's prompts were discarded. */
export function countDiscarded(job: TrackedJob | undefined): number {
  return job?.prompts.filter(({ state }) => state === 'discarded').length ?? 0;
}

/** Whether a follow-up has yet to be accepted. It may contain comments, which the last run then did not know. */
export function isFollowUpPending(job: TrackedJob | undefined): boolean {
  return job !== undefined && pendingPrompts(job).length > 0;
}

/**
 * Decides at the end of a run what became of the comments that were sent. Leaves them where they are, because the
 * editors that may be open show an older version.
 */
export async function decideOutcomes(
  job: TrackedJob,
  comments: readonly SavedComment[],
  localAvailable: boolean,
): Promise<{ before: SavedComment; now: SavedComment }[]> {
  const sent = comments.filter((each) => each.jobKey === job.key && each.sent?.state === 'sent');
  if (sent.length === 0 || isFollowUpPending(job)) {
    return [];
  }
  if (job.snapshot?.status === 'failed') {
    return sent.map((before) => ({ before, now: withState(before, 'open') }));
  }
  // The branch of a hosted job would have to be fetched first.
  const branch = job.location.service === LOCAL_SERVICE ? await knownBranch(job, localAvailable) : undefined;
  if (branch === undefined) {
    return [];
  }
  const decided: { before: SavedComment; now: SavedComment }[] = [];
  for (const before of sent) {
    // Comparing a rewritten page takes a while, and there may be many comments on it.
    await setImmediate();
    const { sent: after } = await followComment(before, versionAt(branch, before));
    decided.push({ before, now: withState(before, after?.state ?? 'sent') });
  }
  return decided;
}

function withState(comment: SavedComment, state: NonNullable<SavedComment['sent']>['state']): SavedComment {
  return { ...comment, sent: comment.sent && { ...comment.sent, state } };
}

/** The newest version of a comment’s file, or the old one for a comment on the old side. */
function versionAt({ repository, base, commit }: KnownBranch, { path, side, jobKey }: SavedComment): vscode.Uri {
  return versionUri(repository, { path, commit: side === 'new' ? commit : base, jobKey, side });
}
