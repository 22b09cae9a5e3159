import { rewrittenUrl, type Settings, userEnvironment } from '../../git/environment';
import type { Git } from '../../git/git';
import { type HostedAddress, realName, remoteAddress } from '../../git/remotes';
import { runProgram } from '../../git/runProgram';

/** A remote's address. */
export interface RemotePlace {
  /** What git pushes to, after the user's own rewriting; may hold a password. */
  pushUrl: string;
  /** Where that is; undefined for an address to which nothing may be pushed. */
  address: { folder: string } | HostedAddress | undefined;
}

/** The remote of a repository. */
export interface Remote extends RemotePlace {
  name: string;
  /** The repository into which the work goes, where it is not the one that is pushed to but that which is followed. */
  upstream: RemotePlace | undefined;
  /** The branch on the remote that the local base branch follows, without `refs/heads/`. */
  base: string | null;
}

/** As git-check-ref-format(1) allows it. */
const BRANCH_REF = /^refs\/heads\/([^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]*)$/u;

/**
 * The remote to which a job's branch goes: that which `branch.<base>.pushRemote` or `remote.pushDefault` names, else
 * that which the base branch follows, else `origin`, else the only one. Reads the configuration and runs nothing; only the user's own rewriting of addresses counts, not the
 * repository's. Throws GitError.
 *
 * @param settings the user's configuration
 * @returns undefined where there is none
 */
export async function findRemote(
  git: Git,
  settings: Settings,
  folder: string,
  baseBranch: string | null,
): Promise<Remote | undefined> {
  const own = parseConfiguration(await git.run({ folder }, ['config', '--list', '--null']));
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
  const placeOf = (remote: string): RemotePlace | undefined => {
    const pushUrl = first(`remote.${remote}.pushurl`);
    const url = pushUrl ?? first(`remote.${remote}.url`);
    const rewritten = url && rewrittenUrl(settings, url, pushUrl !== undefined);
    return rewritten === undefined ? undefined : { pushUrl: rewritten, address: remoteAddress(rewritten, folder) };
  };
  const place = placeOf(name);
  const merge = followed === into ? last(`branch.${baseBranch ?? ''}.merge`) : undefined;
  const base = BRANCH_REF.exec(merge ?? '')?.[1] ?? baseBranch;
  const upstream = into === undefined || into === name ? undefined : placeOf(into);
  return place && { name, ...place, upstream, base };
}

function only(names: ReadonlySet<string>): string | undefined {
  return names.size === 1 ? [...names][0] : undefined;
}

/** @param listed what `git config --list --null` prints: name LF value NUL */
function parseConfiguration(listed: string): [string, string][] {
  return listed.split('\0').map((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

const SSH_TIMEOUT_MS = 10_000;

/**
 * The remote with the host's real name, where its address has one that only the user's ssh configuration knows (`Host
 * github-work`), as people have them who use two accounts. Connects to nobody. Rejects with the signal's reason.
 */
export async function withRealHost<T extends RemotePlace>(
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
    const run = { program: 'ssh', args: ['-G', '--', name], folder: '/', environment: own, timeoutMs: SSH_TIMEOUT_MS };
    const end = await runProgram({ ...run, signal });
    const found = /^hostname (\S+)$/im.exec(end.stdout)?.[1]?.toLowerCase() ?? '';
    return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(found) && found !== name ? realName(found) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error) {
      // There is no ssh; the push will say so.
      return undefined;
    }
    throw error;
  }
}
