import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORGE_REQUEST_MS } from '../../base/limits';
import type { Logger } from '../../base/logger';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type Git, isBranchName } from '../../git/git';
import type { HostedAddress } from '../../git/remotes';
import {
  FETCH,
  fetchContents,
  fetchReferences,
  isPartialClone,
  RemoteReferences,
  remoteReferences,
  withPushDirectory,
} from '../git/pushBranch';
import type { UserGit } from '../git/userGit';
import { type Credential, type Credentials, pushTarget, withEither } from './credentials';
import type { Forge, ForgeHttp } from './forge';
import { ForgeFailure } from './forgeErrors';
import { type PullRequestAt, pullRequestIn } from './forges';
import type { LookedFor, SeenOnHost } from './publisher';
import { type Remote, type RemoteEndpoint, upstreamOf } from './remote';

/** Where a job's git directory has what was seen on the host. */
const SEEN = 'refs/docs-agent/host';

/** A repository that is looked at. */
interface Place {
  list: (patterns: readonly string[]) => Promise<RemoteReferences>;
  /** Brings commits with these references to the job's git directory. */
  fetch: (references: readonly string[], commits: readonly string[]) => Promise<unknown>;
}

/** Looks at a remote that is a folder. Git runs no other program in either repository. */
export async function lookAtFolder(git: Git, remote: Remote, sought: LookedFor): Promise<SeenOnHost> {
  const { hostGit: gitDir } = sought;
  const host = await disableRepositoryPrograms(git, { folder: gitDir, gitDir });
  const local = { ...host, environment: { ...host.environment, GIT_ALLOW_PROTOCOL: 'file' } };
  const ownPack = '--upload-pack=git-upload-pack';
  const placeOf = (folder: string): Place => ({
    list: async (patterns) =>
      new RemoteReferences(await git.run(local, ['ls-remote', '--symref', ownPack, '--', folder, ...patterns])),
    fetch: (references) => git.run(local, ['fetch', ...FETCH, ownPack, '--', folder, ...references]),
  });
  const folderOf = ({ address }: RemoteEndpoint) =>
    address !== undefined && 'folder' in address ? address.folder : '';
  const upstream = upstreamOf(remote);
  const own = placeOf(folderOf(remote));
  const places = { own, upstream: upstream === undefined ? own : placeOf(folderOf(upstream)) };
  const seen = await bringBranches(git, sought, await known(git, sought), remote.base, places);
  return { ...seen, pullRequest: null };
}

/** What is known of the job's branch: a line for each reference, with the commit first. */
function known(git: Git, { hostGit, branch }: LookedFor): Promise<string> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', `refs/heads/${branch}`, SEEN];
  return git.run({ folder: hostGit, gitDir: hostGit }, args);
}

/** Lists the branches, fetches only what is new, and gives it a name. Throws GitError or PushFailure. */
async function bringBranches(
  git: Git,
  { hostGit, branch }: LookedFor,
  knownReferences: string,
  wanted: string | null,
  { own, upstream }: { own: Place; upstream: Place },
  pullRef?: string,
): Promise<SeenOnHost> {
  const ofJob = [`refs/heads/${branch}`, ...(pullRef === undefined ? [] : [pullRef])];
  const ofTarget = ['HEAD', ...(wanted === null ? [] : [`refs/heads/${wanted}`])];
  const [listed, target = listed] = await (own === upstream
    ? Promise.all([own.list([...ofJob, ...ofTarget])])
    : Promise.all([own.list(ofJob), upstream.list(ofTarget)]));
  const theirs = ofJob.find((ref) => listed.has(ref));
  const commit = theirs && listed.commitOf(theirs);
  const isThere = wanted !== null && target.has(`refs/heads/${wanted}`);
  const name = isThere ? wanted : target.defaultBranch;
  const newest = target.commitOf(isThere ? `refs/heads/${wanted}` : 'HEAD');
  const base =
    name === undefined || newest === undefined || !isBranchName(name) ? undefined : { branch: name, commit: newest };
  const lacking = [
    { from: own, ref: theirs ?? '', id: commit ?? '' },
    { from: upstream, ref: `refs/heads/${base?.branch ?? ''}`, id: base?.commit ?? '' },
  ].filter(({ id }) => id !== '' && !knownReferences.includes(id));
  for (const from of new Set(lacking.map((each) => each.from))) {
    const those = lacking.filter((each) => each.from === from);
    await from.fetch(
      those.map(({ ref }) => ref),
      those.map(({ id }) => id),
    );
  }
  const changes = [
    commit === undefined ? `delete ${SEEN}/branch\n` : `update ${SEEN}/branch ${commit}\n`,
    base === undefined ? '' : `update ${SEEN}/base ${base.commit}\n`,
  ];
  await git.run({ folder: hostGit, gitDir: hostGit }, ['update-ref', '--stdin'], { input: changes.join('') });
  return { branch: commit ?? null, ...(base && { base }) };
}

/** A remote on a Git host, and what it takes to ask there. */
interface HostedRemote {
  git: Git;
  userGit: UserGit;
  remote: Remote;
  address: HostedAddress;
  /** Undefined for a host of an unknown kind. */
  forge: Forge | undefined;
  /** Where its software is. */
  origin: string;
  pushFolder: string;
  http: ForgeHttp;
  credentials: Credentials;
  log: Logger;
}

/** Looks at a remote on a Git host, as the user. Throws GitError or PushFailure, or the signal's reason. */
export async function lookAtHost(at: HostedRemote, sought: LookedFor): Promise<SeenOnHost> {
  const { git, userGit, remote, address, forge, credentials } = at;
  const { hostGit, prLink, signal } = sought;
  const lines = await known(git, sought);
  const upstream = upstreamOf(remote);
  const pull = prLink === null ? undefined : pullRequestIn(prLink, forge, at.origin);
  return withPushDirectory(git, at.pushFolder, hostGit, lines.slice(0, lines.indexOf(' ')), async (directory) => {
    // What git tells the host that it has.
    await writeFile(join(directory, 'packed-refs'), lines);
    const objects = join(hostGit, 'objects');
    const isPartial = await isPartialClone(hostGit);
    const own = () => credentials.own(userGit, directory, address, signal);
    const look = (credential: Credential | undefined): Promise<SeenOnHost> => {
      const placeOf = ({ pushUrl }: RemoteEndpoint): Place => {
        const target = pushTarget(pushUrl, credential, forge?.login);
        return {
          list: (patterns) =>
            remoteReferences(userGit, directory, target, patterns, { timeoutMs: FORGE_REQUEST_MS, signal }),
          fetch: async (references, commits) => {
            const limits = { signal, objects, isPartial };
            await fetchReferences(userGit, directory, target, references, limits);
            for (const commit of isPartial ? commits : []) {
              await fetchContents(userGit, directory, target, `refs/heads/${sought.branch}...${commit}`, limits);
            }
          },
        };
      };
      const place = placeOf(remote);
      const places = { own: place, upstream: upstream === undefined ? place : placeOf(upstream) };
      return bringBranches(git, sought, lines, remote.base, places, pull && forge?.pullRef?.(pull.number));
    };
    const credential = await credentials.find(userGit, directory, address, signal);
    const failed = (error: unknown): SeenOnHost => {
      signal.throwIfAborted();
      at.log.warn(`couldn’t see all that ${address.host} has`, error);
      return {};
    };
    const [branches, state] = await Promise.all([
      withEither(remote.pushUrl, credential, own, look).catch(failed),
      pull === undefined || credential === undefined
        ? { pullRequest: null }
        : stateOf(at, pull, credential, own, signal).catch(failed),
    ]);
    return { ...branches, ...state };
  });
}

/** Asks for the state of the job's pull request: with a given token, and with the user's own if that one is rejected. */
async function stateOf(
  at: HostedRemote,
  pull: PullRequestAt,
  credential: Credential,
  own: () => Promise<Credential | undefined>,
  signal: AbortSignal,
): Promise<SeenOnHost> {
  const { http, address, log } = at;
  const { forge, repository, number, url } = pull;
  const webUrl = url.slice(0, -(forge.pullPath + number).length);
  const api = { http, host: address.host, url: forge.apiUrl(at.origin), repository, webUrl, log, signal };
  const ask = (each: Credential) => forge.stateOf({ ...api, credential: each }, number);
  const state = await ask(credential).catch(async (error: unknown) => {
    const isRefused = error instanceof ForgeFailure && (error.status === 401 || error.status === 404);
    const second = isRefused && credential.source === 'given' ? await own() : undefined;
    if (second === undefined) {
      throw error;
    }
    return ask(second);
  });
  return { pullRequest: { url, state } };
}
