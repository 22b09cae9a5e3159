import { READ_MS } from '../../base/limits';
import { rewrittenUrl, type Settings, userEnvironment } from '../../git/environment';
import type { Git } from '../../git/git';
import { literally, readSettings } from '../../git/repositorySettings';
import { type HostedAddress, remoteAddress } from '../../git/remotes';
import { getCanonicalHost } from '../../protocol/forgeKinds';
import { runProgram } from '../../git/runProgram';

/** The address of a remote. */
export interface RemoteEndpoint {
  /** What git pushes to, after the user's own URL rewriting. May contain a password. */
  pushUrl: string;
  /** Where that is; undefined for an address that must not be pushed to. */
  address: { folder: string } | HostedAddress | undefined;
  /** Patterns of the references in which the repository remembers the remote's branches (git-config(1), `fetch`). */
  references: string[];
}

/** The remote of a repository. */
export interface Remote extends RemoteEndpoint {
  name: string;
  /** The repository that the work is merged into: the one that the base branch tracks, if it is not the push target. */
  upstream: RemoteEndpoint | undefined;
  /** The branch on the remote that the local base branch tracks, without `refs/heads/`. */
  base: string | null;
}

/** The names that git-check-ref-format(1) allows. */
const BRANCH_REF = /^refs\/heads\/([^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]*)$/u;

/**
 * Finds the remote to push a job's branch to: the one that `branch.<base>.pushRemote` or `remote.pushDefault` names,
 * else the one that the base branch tracks, else `origin`, else the only one. Only reads the configuration. The user's
 * own URL rewriting applies, the repository's does not. Throws GitError.
 *
 * @param settings the user's configuration
 * @returns undefined if there is no remote
 */
export async function findRemote(
  git: Git,
  settings: Settings,
  folder: string,
  baseBranch: string | null,
): Promise<Remote | undefined> {
  const own = await readSettings(git, { folder }, namesFor(baseBranch));
  const last = (name: string): string | undefined => own.findLast(([key]) => key === name)?.[1];
  const first = (name: string): string | undefined => own.find(([key, value]) => key === name && value !== '')?.[1];
  const names = new Set(own.flatMap(([key]) => /^remote\.(.+)\.(?:url|pushurl)$/s.exec(key)?.[1] ?? []));
  const followed = baseBranch === null ? undefined : last(`branch.${baseBranch}.remote`);
  const known = (wanted: (string | undefined)[]) => wanted.find((each) => each !== undefined && names.has(each));
  const into = known([followed, 'origin']) ?? only(names);
  const setting = (key: string): string | undefined => last(key) ?? settings.findLast(([each]) => each === key)?.[1];
  const wanted = baseBranch === null ? undefined : setting(`branch.${baseBranch}.pushremote`);
  const name = known([wanted, setting('remote.pushdefault')]) ?? into;
  if (name === undefined) {
    return undefined;
  }
  const placeOf = (remote: string): RemoteEndpoint | undefined => {
    const pushUrl = first(`remote.${remote}.pushurl`);
    const url = pushUrl ?? first(`remote.${remote}.url`);
    const rewritten = url && rewrittenUrl(settings, url, pushUrl !== undefined);
    const fetched = own.flatMap(([key, value]) => (key === `remote.${remote}.fetch` ? value : []));
    return rewritten === undefined
      ? undefined
      : { pushUrl: rewritten, address: remoteAddress(rewritten, folder), references: trackingOf(remote, fetched) };
  };
  const place = placeOf(name);
  const merge = followed === into ? last(`branch.${baseBranch ?? ''}.merge`) : undefined;
  const base = BRANCH_REF.exec(merge ?? '')?.[1] ?? baseBranch;
  const upstream = into === undefined || into === name ? undefined : placeOf(into);
  return place && { name, ...place, upstream, base };
}

/** The repository on the same host that the push target is a fork of; undefined if there is none, or if it is the target. */
export function upstreamOf({ address, upstream }: Remote): RemoteEndpoint | undefined {
  const other = upstream?.address;
  if (address === undefined || other === undefined) {
    return undefined;
  }
  if ('folder' in address || 'folder' in other) {
    return 'folder' in address && 'folder' in other && address.folder !== other.folder ? upstream : undefined;
  }
  return address.origin === other.origin && address.path.toLowerCase() !== other.path.toLowerCase()
    ? upstream
    : undefined;
}

/** @param fetched the values of `remote.<name>.fetch` */
function trackingOf(remote: string, fetched: readonly string[]): string[] {
  const usual = `refs/remotes/${remote}/*`;
  const others = fetched.flatMap((value) => /^\+?[^:]*:(refs\/remotes\/[^*?[\\]*\/\*)$/.exec(value)?.[1] ?? []);
  return [...new Set([usual, ...others])];
}

function only(names: ReadonlySet<string>): string | undefined {
  return names.size === 1 ? [...names][0] : undefined;
}

/** The settings that are read: not those of other branches, which can be thousands. */
function namesFor(baseBranch: string | null): string {
  const ofBranch = baseBranch === null ? '' : `|branch\\.${literally(baseBranch)}\\.(remote|pushremote|merge)`;
  return `^(remote\\.(pushdefault|.+\\.(url|pushurl|fetch))${ofBranch})$`;
}

/**
 * Replaces the host with its real name if the address has one that only the user's ssh configuration knows (`Host
 * github-work`), which is common with two accounts. Opens no connection. Rejects with the signal's reason.
 */
export async function resolveSshAlias<T extends RemoteEndpoint>(
  remote: T,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<T> {
  const { address, pushUrl } = remote;
  if (address === undefined || 'folder' in address || /^https?:/i.test(pushUrl) || address.host.includes('.')) {
    return remote;
  }
  const host = await configuredName(address.host, environment, signal);
  return host === undefined ? remote : { ...remote, address: { ...address, host, origin: `https://${host}` } };
}

async function configuredName(name: string, environment: NodeJS.ProcessEnv, signal: AbortSignal) {
  try {
    const own = userEnvironment(environment);
    const run = { program: 'ssh', args: ['-G', '--', name], folder: '/', environment: own, timeoutMs: READ_MS };
    const end = await runProgram({ ...run, signal });
    const found = /^hostname (\S+)$/im.exec(end.stdout)?.[1]?.toLowerCase() ?? '';
    return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(found) && found !== name ? getCanonicalHost(found) : undefined;
  } catch {
    signal.throwIfAborted();
    // ssh is not installed. The push will report that.
    return undefined;
  }
}
