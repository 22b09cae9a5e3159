import * as vscode from 'vscode';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redact';
import type { CodeHost, HostToken } from '../../protocol/localService';
import { storedNames } from './apiKeys';

const PREFIX = 'docsAgent.codeHost:';

/** What pushing and opening a pull request needs at GitHub. */
const GITHUB_SCOPES = ['repo'];

/** Tokens for the APIs of code hosts: those that the user entered, in SecretStorage, and the editor's own GitHub session. */
export class CodeHostTokens {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly redactor: Redactor,
    private readonly log: Logger,
  ) {}

  /** What was entered for this very host goes before a session that was given for something else. Asks nobody. */
  async find(host: CodeHost): Promise<HostToken | undefined> {
    const token = (await this.stored(host.host)) ?? (await this.session(host, { silent: true }));
    if (token !== undefined) {
      this.redactor.add(token.token);
    }
    return token;
  }

  /** Keeps a token that the user entered. */
  async keep(token: HostToken): Promise<void> {
    this.redactor.add(token.token);
    await this.secrets.store(PREFIX + token.host, JSON.stringify({ token: token.token, username: token.username }));
  }

  /** Forgets what was entered. False when there was nothing. */
  async forget(host: string): Promise<boolean> {
    const had = (await this.stored(host)) !== undefined;
    await this.secrets.delete(PREFIX + host);
    return had;
  }

  /** From now on the tokens that are stored are blotted out, as far as their names can be told. */
  async concealStored(): Promise<void> {
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
   * The editor's session for GitHub, or for the one GitHub Enterprise that the editor is set up for. Undefined where the
   * host is neither, or the user does not sign in.
   */
  async session({ host }: CodeHost, options: vscode.AuthenticationGetSessionOptions): Promise<HostToken | undefined> {
    const provider = providerOf(host);
    if (provider === undefined) {
      return undefined;
    }
    try {
      const session = await vscode.authentication.getSession(provider, GITHUB_SCOPES, options);
      return session && { host, token: session.accessToken, username: 'x-access-token' };
    } catch (error) {
      // No such provider in this editor, or the user said no.
      this.log.info(`no session for ${host}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** The authentication provider of the editor that signs in at this host. */
export function providerOf(host: string): 'github' | 'github-enterprise' | undefined {
  if (host === 'github.com') {
    return 'github';
  }
  const enterprise = vscode.workspace.getConfiguration('github-enterprise').get<unknown>('uri');
  const isEnterprise = typeof enterprise === 'string' && URL.canParse(enterprise) && new URL(enterprise).host === host;
  return isEnterprise ? 'github-enterprise' : undefined;
}
