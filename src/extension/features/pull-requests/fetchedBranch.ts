import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { commitOf, type JobRepository, shownName, tell } from '../../platform/jobRepository';
import { toNotice } from '../../platform/sanitize';

/** Where a job's branch stands: in the repository itself, and as its remote has it. At least one of them. */
export interface FetchedBranch {
  local?: string | undefined;
  remote?: { name: string; commit: string } | undefined;
  /** Why it may be older than at the remote. */
  failure?: string | undefined;
}

/**
 * The branch of a job as it is now: fetched, where it comes from a remote. What can't be fetched is as it was fetched
 * last. Undefined when it is nowhere; told.
 *
 * @param isOwn the branch is made in the repository itself, by the local service
 */
export async function fetchedBranch(
  found: JobRepository,
  isOwn: boolean,
  log: Logger,
): Promise<FetchedBranch | undefined> {
  const { repository, ref, remote } = found;
  const local = await commitOf(repository, `refs/heads/${ref}`);
  if (remote === undefined || (isOwn && local !== undefined)) {
    if (local === undefined) {
      tell(
        vscode.l10n.t(
          'The branch {0} is not in {1}: it was deleted, perhaps. Open the pull request instead.',
          toNotice(ref, 100),
          shownName(repository),
        ),
      );
    }
    return local === undefined ? undefined : { local };
  }
  const failure = await fetchIt(found, remote, log);
  const name = `refs/remotes/${remote}/${ref}`;
  const commit = await commitOf(repository, name);
  if (commit === undefined && local === undefined) {
    const why = failure ?? vscode.l10n.t('there is no such branch');
    tell(
      vscode.l10n.t(
        'The branch {0} could not be fetched from {1}: {2}. Nothing was changed.',
        toNotice(ref, 100),
        toNotice(remote, 60),
        why,
      ),
    );
    return undefined;
  }
  return { local, remote: commit === undefined ? undefined : { name: `${remote}/${ref}`, commit }, failure };
}

/** Why it did not work, in git's words. */
async function fetchIt({ repository, ref }: JobRepository, remote: string, log: Logger): Promise<string | undefined> {
  const title = vscode.l10n.t('Fetching the branch {0}…', toNotice(ref, 80));
  try {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      // Written out: a clone of one branch alone keeps no others by itself.
      repository.fetch(remote, `+refs/heads/${ref}:refs/remotes/${remote}/${ref}`),
    );
    return undefined;
  } catch (error) {
    log.warn(`the branch of a job could not be fetched from ${remote}`, error);
    return gitWords(error);
  }
}

/** What git says of a failure, on one line without a stop: the line that tells why. */
export function gitWords(error: unknown): string {
  const { stderr } = error as { stderr?: unknown };
  const lines = (typeof stderr === 'string' ? stderr : '').split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(fatal|error):/.test(each)) ?? lines.at(-1);
  const text = line ?? (error instanceof Error ? error.message : String(error));
  return toNotice(text.replace(/^(fatal|error): /, '').replace(/[.:]\s*$/, ''), 200);
}
