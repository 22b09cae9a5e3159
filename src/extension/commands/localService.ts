import * as vscode from 'vscode';
import type { LocalService } from '../services/localService';
import type { LocalAccess } from '../services/localAccess';

/** Starts the local service, or finds it running. Returns its base URL. */
export async function startLocalService(local: LocalService): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('The local service runs programs on this folder’s files. Trust the workspace first.'),
    );
    return undefined;
  }
  const { baseUrl } = await local.ensure();
  void vscode.window.showInformationMessage(vscode.l10n.t('The local service runs at {0}.', baseUrl));
  return baseUrl;
}

/** Ends the local service; what it is working on ends as failed and can be taken up by a follow-up. */
export async function stopLocalService(access: LocalAccess): Promise<void> {
  const stopped = await access.stop();
  void vscode.window.showInformationMessage(
    stopped ? vscode.l10n.t('The local service was stopped.') : vscode.l10n.t('The local service does not run.'),
  );
}
