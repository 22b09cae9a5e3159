import * as vscode from 'vscode';
import type { JobStore } from '../jobs/jobStore';
import type { TrackedJob } from '../jobs/trackedJob';
import { safeLink } from './pullRequestLink';
import { toNotice } from './text';

const { t } = vscode.l10n;

/** Opens a job's pull request in the browser and counts its end as seen. An address that is not safe is only shown. Tells whether it was opened. */
export async function openPullRequest(store: JobStore, job: TrackedJob): Promise<boolean> {
  const link = job.snapshot?.prLink;
  if (link == null) {
    void vscode.window.showInformationMessage(
      t('This job has no pull request. See its row in the list for how far it is.'),
    );
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

/** Whoever has looked at what came of a job has seen that it ended. */
export async function markSeen(store: JobStore, job: TrackedJob): Promise<void> {
  if (job.unseen) {
    await store.append(job.key, { type: 'seen', at: Date.now() });
  }
}

async function showUnsafe(link: string): Promise<void> {
  const copy = t('Copy');
  const text = t('This address is no https link and is not opened: {0}', link);
  if ((await vscode.window.showWarningMessage(toNotice(text, 300), copy)) === copy) {
    await vscode.env.clipboard.writeText(link);
  }
}
