import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readStart } from '../../../base/files';
import { readReviewName } from '../../../jobs/store/reviewFiles';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import type { Core } from '../../application';
import type { ReviewPorts } from './register';

/** The folder of the comments on changes. */
export const reviewFolder = (data: string): string => `${data}/review`;

/** What a workspace keeps of the branches to go back to, by the root folder of the repository. */
export const WAY_BACK_KEY = 'docsAgent.wayBack';

/**
 * Shows again what the last window had: the way back from a job's branch, and comments on changes.
 *
 * @param load loads the commands; called only if there is something to restore
 */
export function restorePullRequests(
  { data, workspaceState, store, log }: Core,
  load: () => Promise<ReviewPorts>,
): void {
  const restoreBranch = async (): Promise<void> => {
    if (Object.keys(workspaceState.get<object>(WAY_BACK_KEY, {})).length > 0) {
      await (await (await load()).wayBack()).refresh();
    }
  };
  const restoreComments = async (): Promise<void> => {
    const files = await readdir(reviewFolder(data)).catch(() => []);
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const isKept = files.some((file) => ['comment', 'sent'].includes(readReviewName(file)?.kind ?? ''));
    if (isKept || (await isJobCheckedOut(store.jobs, folders))) {
      await (await (await load()).review()).load();
    }
  };
  restoreBranch().catch((error: unknown) => log.error('couldn’t offer to leave the branch of a job', error));
  restoreComments().catch((error: unknown) => log.error('couldn’t show comments on changes', error));
}

/** How much of a file with the name of a branch is read, in bytes. */
const MAX_HEAD = 4096;

/**
 * True when one of the folders has a job's branch checked out. Reads only one small file per folder, because every new
 * window asks.
 */
export async function isJobCheckedOut(jobs: readonly TrackedJob[], folders: readonly string[]): Promise<boolean> {
  const branches = new Set(jobs.filter(isListed).map(({ snapshot }) => snapshot?.ref));
  const heads = folders.map((folder) => readStart(join(folder, '.git/HEAD'), MAX_HEAD));
  return (await Promise.all(heads)).some((head) => {
    const branch = /^ref: refs\/heads\/(.+)$/m.exec(head ?? '')?.[1];
    return branch !== undefined && branches.has(branch);
  });
}
