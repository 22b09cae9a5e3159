import { READ_MS } from '../../base/limits';
import { userEnvironment } from '../../git/environment';
import type { HostedAddress } from '../../git/remotes';
import { runProgram } from '../../git/runProgram';
import { PushFailure, type PushProblem, type PushTarget } from '../git/pushBranch';
import type { UserGit } from '../git/userGit';

/** A token for the API of a Git host, and for pushing there over HTTPS. */
export interface HostToken {
  token: string;
  /** The account that it belongs to, if the host requires it (Bitbucket). */
  username?: string | undefined;
}

/** The tokens that the user or their editor provided for Git hosts, kept in memory only. */
export class TokenStore {
  private readonly tokens = new Map<string, HostToken>();

  /** @param onToken called with each token, including those found elsewhere, so that logs can redact it */
  constructor(readonly onToken: (token: string) => void = () => undefined) {}

  /** @param host as in a URL, with a nondefault port: `github.com`, `git.example.org:8443` */
  set(host: string, token: HostToken): void {
    this.onToken(token.token);
    this.tokens.set(host.toLowerCase(), token);
  }

  get(host: string): HostToken | undefined {
    return this.tokens.get(host.toLowerCase());
  }

  remove(host: string): void {
    this.tokens.delete(host.toLowerCase());
  }

  hosts(): string[] {
    return [...this.tokens.keys()].sort();
  }
}

/** A token and its source: given to the service, git's credential helpers, or the GitHub CLI. */
export interface Credential extends HostToken {
  source: 'given' | 'helper' | 'gh';
}

/** How git signs in with a credential. It asks a helper itself. */
export function pushTarget(url: string, credential: Credential | undefined, login = 'oauth2'): PushTarget {
  return credential === undefined || credential.source === 'helper' || !/^https?:/i.test(url)
    ? { url }
    : { url, login: { username: credential.username ?? login, password: credential.token } };
}

/**
 * Uses a credential. If it is a given one that the host rejects, uses the user's own: a host may report a repository as
 * missing if the token has no access to it.
 *
 * @param own finds the user's own one
 * @param use throws PushFailure
 */
export async function withEither<T>(
  url: string,
  credential: Credential | undefined,
  own: () => Promise<Credential | undefined>,
  use: (credential: Credential | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await use(credential);
  } catch (error) {
    const isGiven = credential?.source === 'given' && pushTarget(url, credential).login !== undefined;
    if (!isGiven || !isPushFailure(error, ['authentication', 'notFound'])) {
      throw error;
    }
    const second = await own();
    return use(second).catch((other: unknown) => {
      throw second === undefined && isPushFailure(other, ['authentication']) ? error : other;
    });
  }
}

function isPushFailure(error: unknown, problems: readonly PushProblem[]): boolean {
  return error instanceof PushFailure && problems.includes(error.problem);
}

/** Finds the user's own credentials for a host. They are the user's, so no helper is told whether they worked. */
export class Credentials {
  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly tokens: TokenStore,
    private readonly timeoutMs = READ_MS,
  ) {}

  /**
   * Tries in this order: the token given for the host, `git credential fill`, `gh auth token`. Rejects with the
   * signal's reason.
   *
   * @param directory a git directory that is not the repository's
   */
  async find(git: UserGit, directory: string, at: HostedAddress, signal: AbortSignal): Promise<Credential | undefined> {
    const given = this.tokens.get(at.host);
    if (given !== undefined) {
      return { ...given, source: 'given' };
    }
    return this.own(git, directory, at, signal);
  }

  /** Like `find`, but ignores given tokens. */
  async own(git: UserGit, directory: string, at: HostedAddress, signal: AbortSignal): Promise<Credential | undefined> {
    const found = (await this.fill(git, directory, at, signal)) ?? (await this.ofGh(at, signal));
    if (found !== undefined) {
      this.tokens.onToken(found.token);
    }
    return found;
  }

  private async fill(git: UserGit, directory: string, at: HostedAddress, signal: AbortSignal) {
    const { protocol, host } = new URL(at.origin);
    // Includes the path. Git drops it unless `credential.useHttpPath` is set.
    const input = `protocol=${protocol.replace(':', '')}\nhost=${host}\npath=${at.path}.git\n\n`;
    const end = await git.run(directory, ['credential', 'fill'], { input, timeoutMs: this.timeoutMs, signal });
    const field = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(end.stdout)?.[1];
    const token = field('password');
    // If a helper returns a credential for another host, it is not used for this one.
    if (end.exitCode !== 0 || !token || field('host') !== host) {
      return undefined;
    }
    return { token, username: field('username'), source: 'helper' as const };
  }

  private async ofGh(at: HostedAddress, signal: AbortSignal): Promise<Credential | undefined> {
    try {
      const end = await runProgram({
        program: 'gh',
        args: ['auth', 'token', '--hostname', at.host],
        // Not in a repository, because `gh` would read its configuration.
        folder: '/',
        environment: userEnvironment(this.environment),
        timeoutMs: this.timeoutMs,
        signal,
      });
      const token = end.stdout.trim();
      return end.exitCode === 0 && token !== '' ? { token, source: 'gh' } : undefined;
    } catch {
      signal.throwIfAborted();
      // `gh` is not installed.
      return undefined;
    }
  }
}
