import { userEnvironment } from '../../git/environment';
import type { HostedAddress } from '../../git/remotes';
import { runProgram } from '../../git/runProgram';
import type { UserGit } from '../git/userGit';

/** A token for the API of a code host, and for pushing there over HTTPS. */
export interface HostToken {
  token: string;
  /** The account it belongs to, where the host asks for it (Bitbucket). */
  username?: string | undefined;
}

/** The tokens that the user or their editor gave for code hosts; in memory only. */
export class TokenStore {
  private readonly tokens = new Map<string, HostToken>();

  /** @param onToken told of each token, also of those that are found elsewhere, so that no log ever shows one */
  constructor(readonly onToken: (token: string) => void = () => undefined) {}

  /** @param host as in an address, with a port that is not the usual one: `github.com`, `git.example.org:8443` */
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

/** A token and where it is from: given to the service, git's credential helpers, or GitHub's own command line. */
export interface Credential extends HostToken {
  source: 'given' | 'helper' | 'gh';
}

/** A helper or `gh` that takes longer than this is left alone, in milliseconds. */
const TIMEOUT_MS = 10_000;
const MAX_TOKEN = 4096;

/** Finds the user's own credentials for a host. It never tells a helper whether they were good: they are the user's. */
export class Credentials {
  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly tokens: TokenStore,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /**
   * In this order: what was given for the host, `git credential fill`, `gh auth token`. Rejects with the signal's reason.
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

  /** The same without what was given. */
  async own(git: UserGit, directory: string, at: HostedAddress, signal: AbortSignal): Promise<Credential | undefined> {
    const found = (await this.fill(git, directory, at, signal)) ?? (await this.ofGh(at, signal));
    if (found !== undefined) {
      this.tokens.onToken(found.token);
    }
    return found;
  }

  private async fill(git: UserGit, directory: string, at: HostedAddress, signal: AbortSignal) {
    const { protocol, host } = new URL(at.origin);
    // With the path: git leaves it out unless `credential.useHttpPath` is set.
    const input = `protocol=${protocol.replace(':', '')}\nhost=${host}\npath=${at.path}.git\n\n`;
    const end = await git.run(directory, ['credential', 'fill'], { input, timeoutMs: this.timeoutMs, signal });
    const field = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(end.stdout)?.[1];
    const token = field('password');
    // What a helper is sent elsewhere for is not for this host.
    if (end.exitCode !== 0 || token === undefined || field('host') !== host || !isToken(token)) {
      return undefined;
    }
    return { token, username: field('username'), source: 'helper' as const };
  }

  private async ofGh(at: HostedAddress, signal: AbortSignal): Promise<Credential | undefined> {
    try {
      const end = await runProgram({
        program: 'gh',
        args: ['auth', 'token', '--hostname', at.host],
        // No repository: `gh` would look into its configuration.
        folder: '/',
        environment: userEnvironment(this.environment),
        timeoutMs: this.timeoutMs,
        signal,
      });
      const token = end.stdout.trim();
      return end.exitCode === 0 && isToken(token) ? { token, source: 'gh' } : undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error) {
        // It is not installed.
        return undefined;
      }
      throw error;
    }
  }
}

/** Fit for a header and for a line. */
function isToken(text: string): boolean {
  return text !== '' && text.length <= MAX_TOKEN && /^[\u0021-\u007e]+$/.test(text);
}
