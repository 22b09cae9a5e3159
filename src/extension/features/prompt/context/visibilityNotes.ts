import { PLAIN_DIFF } from '../../../../git/diff';
import { rewrittenUrl, userConfiguration } from '../../../../git/environment';
import { type ChangeRepository, GitError } from '../../../../git/git';
import { literally, readSettings } from '../../../../git/readSettings';
import { type HostedAddress, remoteAddress } from '../../../../git/remotes';
import { inferForgeKind } from '../../../../protocol/forgeKinds';
import { type HostedPlace, NO_REMOTE, notVisible, permalink } from '../../../../prompt/permalink';
import { resolveCommit, defaultBase } from '../changes/changeSource';

/** A file in its current state. */
export interface PlacedFile {
  /** Path from the repository's root, with slashes. */
  path: string;
  /** Whether the editor has unsaved changes. */
  isDirty: boolean;
  lines?: { start: number; end: number };
}

/**
 * Returns a permalink if the file is clean and its commit is pushed, otherwise why the agent sees something different.
 *
 * @param isLocal whether the agent belongs to the local service, which sees only committed work
 */
export async function getVisibilityNotes(
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

/** Whether the working copy of the file differs from the commit. Throws GitError. */
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

/** What a hosted agent can see of a repository, to the extent that this can be determined locally. */
export interface RepositoryFacts {
  /** The branch that is checked out, if any. */
  branch: string | undefined;
  /** Undefined when there is no commit yet. */
  head: string | undefined;
  /** The newest commit in the current history that a Git host is known to have; undefined when there is none. */
  pushed: string | undefined;
  /** The name of that remote. */
  remoteName: string | undefined;
  /** The repository at the Git host; undefined when no remote points to one. */
  remote: Omit<HostedPlace, 'commit' | 'path' | 'lines'> | undefined;
}

/** Reads the facts with a few git commands, without network access. Throws GitError. */
export async function repositoryFacts(
  repository: ChangeRepository,
  environment: NodeJS.ProcessEnv,
  program: string,
): Promise<RepositoryFacts> {
  const { git, place } = repository;
  const branch = (await git.run(place, ['branch', '--show-current'])).trim();
  const [head, own, settings] = await Promise.all([
    resolveCommit(repository, 'HEAD'),
    readSettings(git, place, `^(remote\\..+\\.url|branch\\.${literally(branch)}\\.remote)$`),
    userConfiguration(environment, place.folder, program).catch(() => []),
  ]);
  const hosted = new Map<string, HostedAddress>();
  for (const [key, url] of own) {
    const name = /^remote\.(.+)\.url$/s.exec(key)?.[1];
    const address = name && remoteAddress(rewrittenUrl(settings, url, false), place.folder);
    if (name !== undefined && address && !('folder' in address) && !hosted.has(name)) {
      hosted.set(name, address);
    }
  }
  const followed = own.findLast(([key]) => key === `branch.${branch}.remote`)?.[1];
  const order = [...new Set([followed, 'origin', ...hosted.keys()])].filter(
    (name): name is string => name !== undefined && hosted.has(name),
  );
  const found = head === undefined ? undefined : await newestPushed(repository, head, order);
  const remoteName = found?.remote ?? order[0];
  const address = hosted.get(remoteName ?? '');
  return {
    branch: branch === '' ? undefined : branch,
    head,
    pushed: found?.commit,
    remoteName,
    remote: address && remoteOf(address),
  };
}

/** Whether the remote is known to have the commit. */
export async function isPushed(repository: ChangeRepository, commit: string, remote: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`, `refs/remotes/${remote}/`];
  return (await repository.git.run(repository.place, args)).trim() !== '';
}

async function newestPushed(
  repository: ChangeRepository,
  head: string,
  remotes: readonly string[],
): Promise<{ remote: string; commit: string } | undefined> {
  const { git, place } = repository;
  for (const remote of remotes) {
    if (await isPushed(repository, head, remote)) {
      return { remote, commit: head };
    }
  }
  const base = await defaultBase(repository);
  for (const name of remotes) {
    const candidates = ['@{upstream}', ...(base === undefined ? [] : [base]), `refs/remotes/${name}/HEAD`];
    for (const candidate of candidates) {
      const fork = await git.run(place, ['merge-base', head, candidate]).catch(() => '');
      const commit = fork.trim();
      if (commit !== '' && (await isPushed(repository, commit, name))) {
        return { remote: name, commit };
      }
    }
  }
  return undefined;
}

function remoteOf({ host, origin, path }: HostedAddress): RepositoryFacts['remote'] {
  return { host, origin, repository: path, forge: inferForgeKind(origin) };
}
