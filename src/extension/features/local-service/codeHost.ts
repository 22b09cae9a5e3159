import * as vscode from 'vscode';
import { ServiceError } from '../../../protocol/errors';
import type { ForgeKind } from '../../../protocol/forgeKinds';
import type { CodeHost } from '../../../protocol/localService';
import type { App } from '../../app';
import { keyProblem } from '../../platform/apiKeys';
import { type CodeHostTokens, providerOf } from '../../platform/codeHostTokens';
import type { LocalAccess } from '../../platform/localAccess';
import { toPickLabel } from '../../platform/sanitize';

/** Signs in at the repository's host, or stores a token for it, so that local jobs can open pull requests there. */
export async function connectCodeHost(options: App): Promise<void> {
  const host = (await hostOfFolder(options.localAccess)) ?? (await askForHost());
  if (host === undefined) {
    return;
  }
  const choice = await askHow(options.tokens, host);
  if (choice === 'forget') {
    await options.tokens.forget(host.host);
    await options.localAccess.forgetToken(host.host);
    void vscode.window.showInformationMessage(vscode.l10n.t('Token for {0} removed.', host.host));
    return;
  }
  const token =
    choice === 'sign in'
      ? await options.tokens.session(host, { createIfNone: true })
      : choice === 'enter'
        ? await askForToken(host)
        : undefined;
  if (token === undefined) {
    return;
  }
  if (choice === 'enter') {
    await options.tokens.keep(token);
  } else {
    // Otherwise a stored token would be used instead of the session.
    await options.tokens.forget(host.host);
  }
  await options.localAccess.sendToken(token).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    // The service gets the token with the next prompt.
  });
  void vscode.window.showInformationMessage(vscode.l10n.t('Local jobs can now open pull requests on {0}.', host.host));
}

/** The Git host of the first folder's repository; undefined if there is none, or no service to ask. */
async function hostOfFolder(access: LocalAccess): Promise<CodeHost | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme !== 'file' || !vscode.workspace.isTrusted) {
    return undefined;
  }
  try {
    return (await access.register(folder.uri.fsPath)).host ?? undefined;
  } catch (error) {
    if (error instanceof ServiceError) {
      return undefined;
    }
    throw error;
  }
}

async function askForHost(): Promise<CodeHost | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Sign in to Git host'),
    prompt: vscode.l10n.t('The host for pull requests, such as github.com or git.example.com.'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^[a-z0-9.-]+(:\d{1,5})?$/i.test(value.trim())
        ? undefined
        : vscode.l10n.t('Enter a host name without https:// or a path.'),
  });
  return typed === undefined ? undefined : { host: typed.trim().toLowerCase(), kind: null };
}

async function askHow(tokens: CodeHostTokens, { host }: CodeHost): Promise<'sign in' | 'enter' | 'forget' | undefined> {
  const enter = {
    label: `$(key) ${vscode.l10n.t('Enter a token…')}`,
    detail: vscode.l10n.t('Stored in VS Code’s secret storage, and in the local service’s memory while it runs.'),
    how: 'enter' as const,
  };
  const session = {
    label: `$(github) ${vscode.l10n.t('Sign in with GitHub')}`,
    detail: vscode.l10n.t('Uses your GitHub account in VS Code. VS Code asks whether this extension may use it.'),
    how: 'sign in' as const,
  };
  const forget = {
    label: `$(trash) ${vscode.l10n.t('Remove token')}`,
    detail: vscode.l10n.t('The token that you entered earlier.'),
    how: 'forget' as const,
  };
  const has = (await tokens.stored(host)) !== undefined;
  const items = [...(providerOf(host) === undefined ? [] : [session]), enter, ...(has ? [forget] : [])];
  const title = vscode.l10n.t('Sign in to {0}', toPickLabel(host));
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.how;
}

async function askForToken(host: CodeHost): Promise<{ host: string; token: string; username?: string } | undefined> {
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Token for {0}', host.host),
    prompt: needs(host),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) =>
      keyProblem(value, '') === undefined ? undefined : vscode.l10n.t('A token can’t contain spaces. Copy it again.'),
  });
  return token === undefined ? undefined : { host: host.host, token: token.trim() };
}

/** The permissions that a token needs, in the terms of each host. */
function needs({ kind }: CodeHost): string {
  const texts: Readonly<Record<ForgeKind, string>> = {
    github: vscode.l10n.t(
      'A personal access token with the “Contents” and “Pull requests” permissions (read and write).',
    ),
    gitlab: vscode.l10n.t('A personal, group, or project access token with the “api” scope.'),
    gitea: vscode.l10n.t('An access token that can read and write repositories.'),
    bitbucket: vscode.l10n.t('An access token or API token that can write pull requests.'),
  };
  const other = vscode.l10n.t('An access token that can push branches and open pull requests.');
  return (texts as Readonly<Record<string, string>>)[kind ?? ''] ?? other;
}
