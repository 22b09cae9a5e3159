import * as vscode from 'vscode';
import { type JobStore, markSeen } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { ServiceError } from '../../protocol/errors';
import type { LocalAccess } from '../platform/localAccess';
import { showErrorWithLog } from '../platform/log';
import { copiedLink, isOpenable, localReview } from '../platform/pullRequestLink';
import { toLabel, toNotice } from '../platform/sanitize';
import { reasonText } from './errorText';
import { serviceText } from './serviceText';

export interface OpenOptions {
  store: JobStore;
  localAccess: Pick<LocalAccess, 'reviewLink'>;
}

/**
 * Opens a job's pull request, or its review page at the local service, in the browser and marks the job as seen. An
 * unsafe URL is shown instead of opened. Returns whether it was opened.
 */
export async function openPullRequest({ store, localAccess }: OpenOptions, job: TrackedJob): Promise<boolean> {
  const reported = job.snapshot?.prLink;
  if (reported == null) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This job doesn’t have a pull request yet.'));
    return false;
  }
  const link = await openable(localAccess, job, reported);
  if (link === undefined) {
    return false;
  }
  const isSafe = isOpenable(link, job.location);
  if (isSafe) {
    // Passed as a string, because a `Uri` re-encodes the query and percent signs and would open a different URL.
    await vscode.env.openExternal(link as unknown as vscode.Uri);
  } else {
    await showUnsafe(link);
  }
  await markSeen(store, job);
  return isSafe;
}

/** Returns the URL to open in the browser; undefined if there is none at the moment (the user is notified). */
async function openable(
  localAccess: OpenOptions['localAccess'],
  job: TrackedJob,
  link: string,
): Promise<string | undefined> {
  const review = localReview(job);
  if (review === undefined) {
    return link;
  }
  try {
    return await localAccess.reviewLink(job.location, review);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    const reason = error.kind === 'rejected' ? toLabel(serviceText(error.coded, error.detail), 300) : reasonText(error);
    void showErrorWithLog(toNotice(vscode.l10n.t('Couldn’t open the review page. {0}', reason), 400));
    return undefined;
  }
}

async function showUnsafe(link: string): Promise<void> {
  const copy = vscode.l10n.t('Copy');
  const text = vscode.l10n.t('This link wasn’t opened because it isn’t a plain https URL: {0}', link);
  if ((await vscode.window.showWarningMessage(toNotice(text, 300), copy)) === copy) {
    await vscode.env.clipboard.writeText(copiedLink(link) ?? '');
  }
}
