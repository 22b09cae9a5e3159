import type * as vscode from 'vscode';
import { type GitApi, type GitRepository, GIT_STATUS } from '../services/gitExtension';
import type { JobRepository } from './jobRepository';

/** One file of a change: what it is called, as it was and as it is now; undefined where there is no such side. */
export type ChangedFile = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** What a remote calls the branch from which others leave. */
const MAIN = ['HEAD', 'main', 'master'];
/** What it is called elsewhere: asked for only where nothing else tells. */
const OTHER_BASES = ['main', 'master', 'develop', 'trunk'];

/**
 * The commit at which a branch left: where the service tells it, that one; else the newest that it shares with what is
 * checked out and with the main branches of its remotes, so that what others did there before is not taken for its own.
 * Undefined when the branch holds nothing that all of them do not.
 *
 * @param told the commit that the service names
 */
export async function baseOf(
  { repository, ref, remote }: Pick<JobRepository, 'repository' | 'ref' | 'remote'>,
  commit: string,
  told?: string | null,
): Promise<string | undefined> {
  if (told != null && told !== commit && (await mergeBase(repository, told, commit)) === told) {
    return told;
  }
  const { HEAD, remotes } = repository.state;
  const asked = remotes.map(({ name }) => name).filter((name) => name === remote || name === 'upstream');
  const current = HEAD?.name === ref ? [] : ['HEAD'];
  const likely = [...current, ...asked.flatMap((name) => MAIN.map((main) => `refs/remotes/${name}/${main}`))];
  const others = [...asked.map((name) => `refs/remotes/${name}`), 'refs/heads'];
  return (
    (await newestBase(repository, likely, commit)) ??
    newestBase(
      repository,
      others.flatMap((folder) => OTHER_BASES.map((name) => `${folder}/${name}`)),
      commit,
    )
  );
}

async function newestBase(
  repository: GitRepository,
  others: readonly string[],
  commit: string,
): Promise<string | undefined> {
  let newest: string | undefined;
  for (const other of others) {
    const base = await mergeBase(repository, other, commit);
    if (base === undefined || base === commit || base === newest) {
      continue;
    }
    if (newest === undefined || (await mergeBase(repository, newest, base)) === newest) {
      newest = base;
    }
  }
  return newest;
}

async function mergeBase(repository: GitRepository, one: string, other: string): Promise<string | undefined> {
  return repository.getMergeBase(one, other).catch(() => undefined);
}

/** The files that differ between two commits, as the editor's view of several files takes them. */
export async function changedFiles(
  api: GitApi,
  repository: GitRepository,
  base: string,
  commit: string,
): Promise<ChangedFile[]> {
  const changes = await repository.diffBetween(base, commit);
  return changes.map(({ uri, originalUri, status }) => [
    uri,
    status === GIT_STATUS.indexAdded ? undefined : api.toGitUri(originalUri, base),
    status === GIT_STATUS.indexDeleted || status === GIT_STATUS.deleted ? undefined : api.toGitUri(uri, commit),
  ]);
}
