import { type ForgeKind, namedForge } from '../../git/forgeKind';
import type { Clock } from '../../shared/util/clock';
import type { ForgeAnswer, ForgeHttp } from './forgeHttp';

export type { ForgeKind } from '../../git/forgeKind';

/** A host that answered as none of them may be another one after this time, in milliseconds. */
const REMEMBER_UNKNOWN_MS = 10 * 60_000;

/** How long a host may take to be known, in milliseconds. */
const PROBE_MS = 15_000;

/** Tells what runs on a code host: by its name, else by asking it without credentials. */
export class HostKinds {
  private readonly known = new Map<string, { kind: ForgeKind; until: number }>();

  constructor(
    private readonly http: ForgeHttp,
    private readonly clock: Clock,
  ) {}

  /** @param origin with the scheme, and the port where it is not the usual one. Rejects with the signal's reason. */
  async of(origin: string, signal: AbortSignal): Promise<ForgeKind> {
    const named = namedForge(origin);
    if (named !== undefined) {
      return named;
    }
    const remembered = this.known.get(origin);
    if (remembered !== undefined && remembered.until > this.clock.monotonic()) {
      return remembered.kind;
    }
    const kind = await this.ask(origin, signal);
    if (kind !== undefined) {
      const until = kind === 'unknown' ? this.clock.monotonic() + REMEMBER_UNKNOWN_MS : Infinity;
      this.known.set(origin, { kind, until });
    }
    return kind ?? 'unknown';
  }

  /** Undefined when it could not be asked. */
  private async ask(origin: string, signal: AbortSignal): Promise<ForgeKind | undefined> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
    const get = (path: string): Promise<ForgeAnswer | undefined> =>
      this.http
        .send({ method: 'GET', url: origin + path, headers: { accept: 'application/json' }, signal: limited })
        .catch(() => undefined);
    const [gitlab, gitea, github] = await Promise.all([get('/api/v4/version'), get('/api/v1/version'), get('/api/v3')]);
    signal.throwIfAborted();
    if (
      github?.headers['x-github-media-type'] !== undefined ||
      'x-github-enterprise-version' in (github?.headers ?? {})
    ) {
      return 'github';
    }
    if (gitlab !== undefined && isGitLab(gitlab)) {
      return 'gitlab';
    }
    if (gitea?.status === 200 && typeof fieldOf(gitea.body, 'version') === 'string') {
      return 'gitea';
    }
    return gitlab && gitea && github ? 'unknown' : undefined;
  }
}

/** Its version is for who is signed in, so it answers 401 in its own words. */
function isGitLab({ status, headers, body }: ForgeAnswer): boolean {
  const isOwn = 'x-gitlab-meta' in headers || fieldOf(body, 'message') === '401 Unauthorized';
  return (status === 401 && isOwn) || (status === 200 && typeof fieldOf(body, 'revision') === 'string');
}

function fieldOf(body: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
