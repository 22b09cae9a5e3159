import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { ServiceError } from '../../protocol/errors';
import type { LocalAccess } from '../platform/localAccess';
import { offerLog } from '../platform/log';
import { localReview, safeLink } from '../platform/pullRequestLink';
import { toLabel, toNotice } from '../platform/sanitize';
import { reasonText } from './errorText';
import { serviceText } from './serviceText';

export interface OpenOptions {
  store: JobStore;
  localAccess: Pick<LocalAccess, 'reviewLink'>;
}

/**
 * Opens a job's pull request, or its review page at the local service, in the browser and counts its end as seen. An address
 * that is not safe is only shown. Tells whether it was opened.
 */
export async function openPullRequest({ store, localAccess }: OpenOptions, job: TrackedJob): Promise<boolean> {
  const told = job.snapshot?.prLink;
  if (told == null) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This job has no pull request. See its row in the list for how far it is.'),
    );
    return false;
  }
  const link = await openable(localAccess, job, told);
  if (link === undefined) {
    return false;
  }
  const isSafe = safeLink(link) !== undefined;
  if (isSafe) {
    // As a string: a `Uri` writes query and percent signs anew, and the address would not be the one that was given.
    await vscode.env.openExternal(link as unknown as vscode.Uri);
  } else {
    await showUnsafe(link);
  }
  await markSeen(store, job);
  return isSafe;
}

/** The address that a browser can open; undefined when there is none now, which the user was told. */
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
    return await localAccess.reviewLink(job.home, review);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    const reason = error.kind === 'rejected' ? toLabel(serviceText(error.coded, error.detail), 300) : reasonText(error);
    void offerLog(toNotice(vscode.l10n.t('The review page could not be opened. {0}', reason), 400));
    return undefined;
  }
}

/** Whoever has looked at what came of a job has seen that it ended. */
export async function markSeen(store: JobStore, job: TrackedJob): Promise<void> {
  if (job.unseen) {
    await store.append(job.key, { type: 'seen', at: Date.now() });
  }
}

async function showUnsafe(link: string): Promise<void> {
  const copy = vscode.l10n.t('Copy');
  const text = vscode.l10n.t('This address is no https link and is not opened: {0}', link);
  if ((await vscode.window.showWarningMessage(toNotice(text, 300), copy)) === copy) {
    await vscode.env.clipboard.writeText(link);
  }
}
