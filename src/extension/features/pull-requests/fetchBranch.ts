import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { JobChanges } from '../../../protocol/changes';
import { fetchJobBranch, gitErrorText } from '../../platform/branchToFetch';
import type { GitRepository } from '../../platform/gitExtension';
import { resolveCommit, type JobRepository, shownName, showWarning } from '../../platform/jobRepository';
import { toNotice } from '../../platform/sanitize';
import type { ReviewApp } from './register';

/** The commits that a job's branch points to, locally and at its remote. At least one is set. */
export interface FetchedBranch {
  local?: string | undefined;
  remote?: { name: string; commit: string } | undefined;
  /** Why the branch may be older than at the remote. */
  failure?: string | undefined;
}

/**
 * Returns the current state of a job's branch, fetching it first if it comes from a remote. If fetching fails, returns
 * the last fetched state. Undefined when the branch does not exist anywhere (the user is notified).
 *
 * @param isOwn whether the local service creates the branch in the repository itself
 * @param merged the commit that the repository keeps when it has deleted the branch after a merge
 */
export async function fetchBranch(
  found: JobRepository,
  isOwn: boolean,
  log: Logger,
  merged?: string | null,
): Promise<FetchedBranch | undefined> {
  const { repository, ref, remote } = found;
  const local = await resolveCommit(repository, `refs/heads/${ref}`);
  if (local === undefined && merged != null && (await hasCommit(repository, merged))) {
    return { local: merged };
  }
  if (remote === undefined || (isOwn && local !== undefined)) {
    if (local === undefined) {
      showWarning(
        vscode.l10n.t(
          'Branch {0} isn’t in {1}. It may have been deleted. Open the pull request instead.',
          toNotice(ref, 100),
          shownName(repository),
        ),
      );
    }
    return local === undefined ? undefined : { local };
  }
  const failure = await fetchIt(found, remote, log);
  const name = `refs/remotes/${remote}/${ref}`;
  const commit = await resolveCommit(repository, name);
  if (commit === undefined && local === undefined) {
    const why = failure ?? vscode.l10n.t('branch not found');
    showWarning(
      vscode.l10n.t(
        'Couldn’t fetch branch {0} from {1}: {2}. Nothing was changed.',
        toNotice(ref, 100),
        toNotice(remote, 60),
        why,
      ),
    );
    return undefined;
  }
  return { local, remote: commit === undefined ? undefined : { name: `${remote}/${ref}`, commit }, failure };
}

export function hasCommit(repository: GitRepository, commit: string): Promise<boolean> {
  return repository.getCommit(commit).then(
    () => true,
    () => false,
  );
}

/** Returns why the fetch failed, in git's words. */
async function fetchIt(found: JobRepository, remote: string, log: Logger): Promise<string | undefined> {
  const title = vscode.l10n.t('Fetching branch {0}…', toNotice(found.ref, 80));
  try {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      fetchJobBranch(found, remote),
    );
    return undefined;
  } catch (error) {
    log.warn(`couldn’t fetch the branch of a job from ${remote}`, error);
    return gitErrorText(error);
  }
}

export type ReportedWork = Pick<JobChanges, 'base' | 'commit' | 'rounds'>;

/** The commits that the branch started from and ends with, and those of each run, according to the local service. */
export async function readReportedWork(
  { localAccess, log }: Pick<ReviewApp, 'localAccess' | 'log'>,
  { location, snapshot }: TrackedJob,
): Promise<ReportedWork | undefined> {
  if (location.service !== LOCAL_SERVICE || snapshot === undefined) {
    return undefined;
  }
  try {
    return await localAccess.changes(location, snapshot.id);
  } catch (error) {
    log.warn(`couldn’t read the base of the branch of job ${snapshot.id} from the local service`, error);
    return undefined;
  }
}
