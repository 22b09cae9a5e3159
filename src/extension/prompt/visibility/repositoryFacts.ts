import { namedForge } from '../../../git/forgeKind';
import { type HostedAddress, remoteAddress } from '../../../git/remoteAddress';
import { rewrittenUrl, userConfiguration } from '../../../git/userConfiguration';
import type { HostedPlace } from '../../../prompt/permalink';
import { type ChangeRepository, commitOf, defaultBase } from '../changes/changeSource';

/** What a hosted agent can know of a repository, as far as can be told from here. */
export interface RepositoryFacts {
  /** The branch that is checked out, if one is. */
  branch: string | undefined;
  /** Undefined where nothing was committed yet. */
  head: string | undefined;
  /** The newest commit of what is checked out that a code host was seen to have; undefined where there is none. */
  pushed: string | undefined;
  /** The name of that remote. */
  remoteName: string | undefined;
  /** The code host's repository; undefined where no remote is on one. */
  remote: Omit<HostedPlace, 'commit' | 'path' | 'lines'> | undefined;
}

/** Reads them by a handful of git commands, none of which asks a host. Throws GitError. */
export async function repositoryFacts(
  repository: ChangeRepository,
  environment: NodeJS.ProcessEnv,
  program: string,
): Promise<RepositoryFacts> {
  const { git, place } = repository;
  const [head, listed, settings, current] = await Promise.all([
    commitOf(repository, 'HEAD'),
    git.run(place, ['config', '--list', '--null']),
    userConfiguration(environment, place.folder, program).catch(() => []),
    git.run(place, ['branch', '--show-current']),
  ]);
  const branch = current.trim();
  const own = listed
    .split('\0')
    .map((entry) => [entry.split('\n', 1)[0] ?? '', entry.replace(/^[^\n]*\n/, '')] as const);
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

/** True when the remote was seen to have the commit. */
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
  const args = ['for-each-ref', '--format=%(refname)', `--contains=${head}`, 'refs/remotes/'];
  const holding = (await git.run(place, args)).split('\n');
  const remote = remotes.find((name) => holding.some((ref) => ref.startsWith(`refs/remotes/${name}/`)));
  if (remote !== undefined) {
    return { remote, commit: head };
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
  const forge = namedForge(origin);
  return { host, origin, repository: path, forge: forge === 'unknown' ? undefined : forge };
}
