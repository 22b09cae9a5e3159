import { setImmediate } from 'node:timers/promises';
import type * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { SavedComment } from '../../../jobs/store/reviewSchema';
import { pendingPrompts, type TrackedJob } from '../../../jobs/trackedJob';
import { versionUri } from '../../platform/fileVersions';
import { type KnownBranch, knownBranch } from '../../platform/jobRepository';
import { followComment } from './commentThreads';

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
  const branch = job.home.service === LOCAL_SERVICE ? await knownBranch(job, localAvailable) : undefined;
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
