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
