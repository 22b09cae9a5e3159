import * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { toNotice } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { isCommentTyped, openChanges } from './openChanges';
import type { ReviewApp } from './register';

/**
 * Brings the open changes of a job up to date after a follow-up, and offers to show what is new. Replaces the
 * notification about the end of the run, so it is shown in a window that has the focus, too.
 *
 * @param reviewed the commit that the open changes lead to; undefined if they show one run, which stays as it is
 */
export async function showChangesOutdated(
  options: ReviewApp,
  job: TrackedJob,
  reviewed: string | undefined,
): Promise<void> {
  await untilFocused();
  await options.store.claimNotice(job);
  const { opened, log } = options;
  const text = noticeOf(toNotice(jobTitle(job), 80), reviewed);
  const update = async (): Promise<void> => {
    if (
      await untilReplaceable(
        () => opened.isOpen(job.key),
        () => opened.activeJob === job.key,
      )
    ) {
      // What is new stays new until the user asks for it.
      const seen = { ...seenUpTo(reviewed, options.seen), noteReviewed: async () => undefined };
      await openChanges({ ...options, seen }, { jobId: job.key });
    }
  };
  const updating = reviewed === undefined ? undefined : opened.updateOnce(job.key, update);
  updating?.catch((error: unknown) => log.error('couldn’t update the open changes of a job', error));
  const show = vscode.l10n.t('Show New Changes');
  if ((await vscode.window.showInformationMessage(text, show)) === show) {
    await openChanges({ ...options, seen: seenUpTo(reviewed, options.seen) }, { jobId: job.key, since: 'lastReview' });
  }
}

function noticeOf(title: string, reviewed: string | undefined): string {
  if (reviewed === undefined) {
    return vscode.l10n.t('The agent updated “{0}”.', title);
  }
  return isCommentTyped()
    ? vscode.l10n.t('The agent updated “{0}”. The open changes will be updated when your comment is saved.', title)
    : vscode.l10n.t('The agent updated “{0}”. The tab with its changes is up to date.', title);
}

/** In the meantime, the job's page may have shown a later version. */
function seenUpTo(reviewed: string | undefined, seen: ReviewApp['seen']): ReviewApp['seen'] {
  return reviewed === undefined
    ? seen
    : { reviewedCommit: async () => reviewed, noteReviewed: (job, commit) => seen.noteReviewed(job, commit) };
}

/**
 * Waits until the changes are in front, because opening others takes the focus, and until no comment is typed. Returns
 * false if they are closed before that.
 */
async function untilReplaceable(isOpen: () => boolean, isInFront: () => boolean): Promise<boolean> {
  while (isOpen() && (!isInFront() || isCommentTyped())) {
    await next(
      vscode.window.tabGroups.onDidChangeTabs,
      vscode.window.tabGroups.onDidChangeTabGroups,
      vscode.workspace.onDidChangeTextDocument,
      vscode.workspace.onDidCloseTextDocument,
    );
  }
  return isOpen();
}

async function untilFocused(): Promise<void> {
  while (!vscode.window.state.focused) {
    await next(vscode.window.onDidChangeWindowState);
  }
}

/** Resolves with the next event of any of these. */
function next(...events: readonly vscode.Event<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    const listening: vscode.Disposable[] = [];
    for (const event of events) {
      event(
        () => {
          listening.forEach((each) => {
            each.dispose();
          });
          resolve();
        },
        undefined,
        listening,
      );
    }
  });
}
