import type { Clock } from '../../base/async';
import { FORGE_REQUEST_MS } from '../../base/limits';
import { inferForgeKind } from '../../protocol/forgeKinds';
import { bitbucket } from './bitbucket';
import type { HostedAddress } from '../../git/remotes';
import { coded, type CodedText } from '../../protocol/codedText';
import type { Forge, ForgeHttp } from './forge';
import { ForgeFailure, toForgeFailure } from './forgeErrors';
import { gitea } from './gitea';
import { github } from './github';
import { gitlab } from './gitlab';

/** All known kinds of Git hosts. */
export const FORGES: readonly Forge[] = [github, gitlab, gitea, bitbucket];

/** How long to remember that a host is of no known kind before probing it again, in milliseconds. */
const REMEMBER_UNKNOWN_MS = 10 * 60_000;

/** True for the link of a pull request itself, but not for the page where one is opened. */
export function isPullRequestLink(link: string): boolean {
  const start = link.replace(/\d{1,20}$/, '');
  return start !== link && FORGES.some(({ pullPath }) => start.endsWith(pullPath));
}

/** An address on the same host as seen from where its software is, which may be below a path. */
export function siteAddress(origin: string, address: HostedAddress): HostedAddress {
  const url = `${address.origin}/${address.path}`;
  return url.startsWith(`${origin}/`) ? { ...address, origin, path: url.slice(origin.length + 1) } : address;
}

/** The pull request that a link leads to; undefined if it is none on the host, whose software is at the origin. */
export function pullRequestIn({ pullPath }: Forge, link: string, origin: string) {
  const [, start = '', number = ''] = /^(.*\D)(\d{1,20})$/s.exec(link) ?? [];
  if (!start.endsWith(pullPath) || !URL.canParse(link) || new URL(link).hostname !== new URL(origin).hostname) {
    return undefined;
  }
  const root = new URL(`${origin}/`).pathname;
  const path = new URL(link).pathname.slice(root.length, -(pullPath + number).length);
  return { repository: decodeURIComponent(path), number, url: link };
}

/** What is known of a Git host's kind. */
interface Detected {
  /** Undefined for an unknown kind. */
  forge: Forge | undefined;
  /** Why the kind couldn't be found out; undefined if the host has answered. */
  problem?: CodedText | undefined;
}

/** Determines the kind of a Git host: by its name, otherwise by probing it without credentials. */
export class ForgeDetector {
  private readonly known = new Map<string, { found: Detected; until: number }>();

  constructor(
    private readonly http: Pick<ForgeHttp, 'send'>,
    private readonly clock: Clock,
  ) {}

  /** Finds out which software a host runs, and where: GitLab and Gitea can be below a path. Rejects with the signal's reason. */
  async detect(
    { origin, path }: Pick<HostedAddress, 'origin' | 'path'>,
    signal: AbortSignal,
  ): Promise<Detected & { origin: string }> {
    const found = await this.detectAt(origin, signal);
    // An owner and a name follow.
    const [, first] = /^([\w.~-]+)\/[^/]+\/./.exec(path) ?? [];
    if (found.forge !== undefined || first === undefined) {
      return { ...found, origin };
    }
    const below = `${origin}/${first}`;
    const { forge, problem } = await this.detectAt(below, signal);
    return forge === undefined ? { forge, problem: found.problem ?? problem, origin } : { forge, origin: below };
  }

  /** @param origin with the scheme, the port if it is not the default, and the path if the software is below one */
  private async detectAt(origin: string, signal: AbortSignal): Promise<Detected> {
    const named = inferForgeKind(origin);
    if (named !== undefined) {
      return { forge: FORGES.find(({ kind }) => kind === named) };
    }
    const remembered = this.known.get(origin);
    if (remembered !== undefined && remembered.until > this.clock.monotonic()) {
      return remembered.found;
    }
    const found = await this.probe(origin, signal);
    if (found.problem === undefined) {
      const until = found.forge === undefined ? this.clock.monotonic() + REMEMBER_UNKNOWN_MS : Infinity;
      this.known.set(origin, { found, until });
    }
    return found;
  }

  private async probe(origin: string, signal: AbortSignal): Promise<Detected> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(FORGE_REQUEST_MS)]);
    const { host } = new URL(origin);
    const probes = FORGES.flatMap((forge) => (forge.probe === undefined ? [] : [{ forge, ...forge.probe }]));
    const all = await Promise.all(
      probes.map(async ({ forge, path, isOwn }): Promise<Detected> => {
        const request = { method: 'GET', url: origin + path, headers: { accept: 'application/json' } } as const;
        try {
          const answer = await this.http.send({ ...request, signal: limited });
          const { status, headers } = answer;
          if (isOwn(answer)) {
            return { forge };
          }
          // A proxy answers for a host that is down.
          const isBusy = status === 429 || status >= 500;
          return { forge: undefined, ...(isBusy && { problem: toForgeFailure(host, '', status, headers, '').coded }) };
        } catch (error) {
          return {
            forge: undefined,
            problem: error instanceof ForgeFailure ? error.coded : coded('hostSilent', { host }),
          };
        }
      }),
    );
    signal.throwIfAborted();
    return (
      all.find(({ forge }) => forge !== undefined) ??
      all.find(({ problem }) => problem !== undefined) ?? { forge: undefined }
    );
  }
}
