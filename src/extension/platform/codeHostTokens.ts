import * as vscode from 'vscode';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redact';
import type { CodeHost, HostToken } from '../../protocol/localService';
import { storedNames } from './apiKeys';

const PREFIX = 'docsAgent.codeHost:';

/** The GitHub scopes needed to push and to open a pull request. */
const GITHUB_SCOPES = ['repo'];

/** Tokens for Git host APIs: those that the user entered, in SecretStorage, and the editor's GitHub session. */
export class CodeHostTokens {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly redactor: Redactor,
    private readonly log: Logger,
  ) {}

  /** Prefers the token that the user entered for this host over the editor's session. Never prompts. */
  async find(host: CodeHost): Promise<HostToken | undefined> {
    const token = (await this.stored(host.host)) ?? (await this.session(host, { silent: true }));
    if (token !== undefined) {
      this.redactor.add(token.token);
    }
    return token;
  }

  /** Stores a token that the user entered. */
  async keep(token: HostToken): Promise<void> {
    this.redactor.add(token.token);
    await this.secrets.store(PREFIX + token.host, JSON.stringify({ token: token.token, username: token.username }));
  }

  /** Deletes the token that the user entered. Returns false if there was none. */
  async forget(host: string): Promise<boolean> {
    const had = (await this.stored(host)) !== undefined;
    await this.secrets.delete(PREFIX + host);
    return had;
  }

  /** Redacts all stored tokens whose names can be determined. */
  async addStoredSecrets(): Promise<void> {
    const tokens = await Promise.all((await storedNames(this.secrets, PREFIX)).map((host) => this.stored(host)));
    tokens.forEach((token) => this.redactor.add(token?.token ?? ''));
  }

  async stored(host: string): Promise<HostToken | undefined> {
    const value = decodeJson((await this.secrets.get(PREFIX + host)) ?? '') as Partial<HostToken> | undefined;
    if (typeof value?.token !== 'string' || value.token === '') {
      return undefined;
    }
    const { token, username } = value;
    return typeof username === 'string' ? { host, token, username } : { host, token };
  }

  /**
   * Returns the editor's session for GitHub, or for the one GitHub Enterprise server that the editor is configured for.
   * Undefined for other hosts, or if the user does not sign in.
   */
  async session({ host }: CodeHost, options: vscode.AuthenticationGetSessionOptions): Promise<HostToken | undefined> {
    const provider = providerOf(host);
    if (provider === undefined) {
      return undefined;
    }
    try {
      const session = await vscode.authentication.getSession(provider, GITHUB_SCOPES, options);
      this.redactor.add(session?.accessToken ?? '');
      return session && { host, token: session.accessToken, username: 'x-access-token' };
    } catch (error) {
      // The editor has no such provider, or the user declined.
      this.log.info(`no session for ${host}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** The editor's authentication provider for this host. */
export function providerOf(host: string): 'github' | 'github-enterprise' | undefined {
  if (host === 'github.com') {
    return 'github';
  }
  const enterprise = vscode.workspace.getConfiguration('github-enterprise').get<unknown>('uri');
  const isEnterprise = typeof enterprise === 'string' && URL.canParse(enterprise) && new URL(enterprise).host === host;
  return isEnterprise ? 'github-enterprise' : undefined;
}
