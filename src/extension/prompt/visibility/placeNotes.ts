import { PLAIN_DIFF } from '../../../git/diffSummary';
import { GitError } from '../../../git/git';
import { NO_REMOTE, notVisible, permalink } from '../../../prompt/permalink';
import type { ChangeRepository } from '../changes/changeSource';
import type { RepositoryFacts } from './repositoryFacts';

/** A file as the user has it. */
export interface PlacedFile {
  /** From the repository's root, with slashes. */
  path: string;
  /** The editor holds text that is not on the disk. */
  isDirty: boolean;
  lines?: { start: number; end: number };
}

/**
 * A permalink where the file is clean and its commit is pushed, or why the agent does not see the file as it is here.
 *
 * @param isLocal the agent is the local service's, which sees what is committed
 */
export async function placeNotes(
  repository: ChangeRepository,
  { head, pushed, remote }: RepositoryFacts,
  { path, isDirty, lines }: PlacedFile,
  isLocal: boolean,
): Promise<string[]> {
  if (head === undefined || !(await contains(repository, head, path))) {
    return [notVisible(isLocal, 'not in git')];
  }
  const isSame = async (commit: string): Promise<boolean> =>
    !isDirty && (await contains(repository, commit, path)) && !(await differs(repository, commit, path));
  if (!(await isSame(head))) {
    return [notVisible(isLocal, 'uncommitted changes')];
  }
  if (remote !== undefined && pushed !== undefined && (pushed === head || (await isSame(pushed)))) {
    const place = { commit: pushed, path, ...(lines === undefined ? {} : { lines }) };
    return [`Permalink: ${permalink({ ...remote, ...place })}`];
  }
  if (isLocal) {
    return [];
  }
  return [remote === undefined ? NO_REMOTE : notVisible(false, 'commits that are not pushed')];
}

async function contains({ git, place }: ChangeRepository, commit: string, path: string): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}:${path}`];
  return (await git.run(place, args).catch(() => '')).trim() !== '';
}

/** Throws GitError. */
async function differs({ git, place }: ChangeRepository, commit: string, path: string): Promise<boolean> {
  try {
    await git.run(place, [...PLAIN_DIFF, '--quiet', commit, '--', path]);
    return false;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return true;
    }
    throw error;
  }
}
