import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORGE_REQUEST_MS } from '../../base/limits';
import { type Git, isBranchName } from '../../git/git';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import type { LookedFor, SeenOnHost } from '../forges/publisher';
import {
  FETCH,
  fetchContents,
  fetchReferences,
  isPartialClone,
  type PushTarget,
  RemoteReferences,
  remoteReferences,
} from './pushBranch';
import type { UserGit } from './userGit';

/** Where a job's git directory has what was seen on the host. */
export const SEEN = 'refs/docs-agent/host';

/** A repository that is looked at. */
export interface SeenRepository {
  list: (patterns: readonly string[]) => Promise<RemoteReferences>;
  /** Brings the commit that a reference names to the job's git directory. */
  fetch: (ref: string, commit: string) => Promise<unknown>;
}

/** A repository on a Git host. `known`: what the job's git directory has, as `knownCommits` tells it. */
export function hostedRepository(
  { userGit, directory, known }: { userGit: UserGit; directory: string; known: string },
  target: PushTarget,
  { hostGit, branch, signal }: LookedFor,
): SeenRepository {
  return {
    list: (patterns) => remoteReferences(userGit, directory, target, patterns, { timeoutMs: FORGE_REQUEST_MS, signal }),
    fetch: async (ref, commit) => {
      // What git tells the host that it has.
      await writeFile(join(directory, 'packed-refs'), known);
      const isPartial = await isPartialClone(hostGit);
      const limits = { signal, objects: join(hostGit, 'objects'), isPartial };
      await fetchReferences(userGit, directory, target, [ref], limits);
      if (isPartial) {
        await fetchContents(userGit, directory, target, `refs/heads/${branch}...${commit}`, limits);
      }
    },
  };
}

/** A repository that is a folder. Git runs no other program in it, nor in the job's. */
export async function folderRepository(git: Git, folder: string, hostGit: string): Promise<SeenRepository> {
  const { environment, ...host } = await disableRepositoryPrograms(git, { folder: hostGit, gitDir: hostGit });
  const local = { ...host, environment: { ...environment, GIT_ALLOW_PROTOCOL: 'file' } };
  const at = ['--upload-pack=git-upload-pack', '--', folder];
  return {
    list: async (patterns) => new RemoteReferences(await git.run(local, ['ls-remote', '--symref', ...at, ...patterns])),
    fetch: (ref) => git.run(local, ['fetch', ...FETCH, ...at, ref]),
  };
}

/** The commits of a job's git directory that a host may know: a line for each, with its reference. */
export function knownCommits(git: Git, { hostGit, branch }: LookedFor): Promise<string> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', `refs/heads/${branch}`, SEEN];
  return git.run({ folder: hostGit, gitDir: hostGit }, args);
}

/**
 * Lists the branches, fetches only what is new, and gives it a name in the job's git directory. Throws GitError,
 * PushFailure, or the signal's reason.
 *
 * @param wanted the target branch; the default branch if it is null or missing
 * @param upstream the repository with the target branch
 * @param pullRef where the job's commits may be if there is no branch
 */
export async function bringBranches(
  git: Git,
  { hostGit, branch }: LookedFor,
  { known, wanted, pullRef }: { known: string; wanted: string | null; pullRef?: string | undefined },
  own: SeenRepository,
  upstream = own,
): Promise<SeenOnHost> {
  const refs = [`refs/heads/${branch}`, ...(pullRef === undefined ? [] : [pullRef])];
  const targets = ['HEAD', ...(wanted === null ? [] : [`refs/heads/${wanted}`])];
  const [listed, target = listed] = await (own === upstream
    ? Promise.all([own.list([...refs, ...targets])])
    : Promise.all([own.list(refs), upstream.list(targets)]));
  const ref = refs.find((each) => listed.has(each)) ?? '';
  const commit = listed.commitOf(ref);
  const isThere = wanted !== null && target.has(`refs/heads/${wanted}`);
  const name = (isThere ? wanted : target.defaultBranch) ?? '';
  const newest = target.commitOf(isThere ? `refs/heads/${wanted}` : 'HEAD');
  const base = newest === undefined || !isBranchName(name) ? undefined : { branch: name, commit: newest };
  for (const [from, each, id] of [
    [own, ref, commit],
    [upstream, `refs/heads/${name}`, base?.commit],
  ] as const) {
    if (id !== undefined && !known.includes(id)) {
      await from.fetch(each, id);
    }
  }
  const changes = [
    commit === undefined ? `delete ${SEEN}/branch\n` : `update ${SEEN}/branch ${commit}\n`,
    base === undefined ? '' : `update ${SEEN}/base ${base.commit}\n`,
  ];
  await git.run({ folder: hostGit, gitDir: hostGit }, ['update-ref', '--stdin'], { input: changes.join('') });
  return { branch: commit ?? null, ...(base && { base }) };
}
