import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { App } from '../../app';
import { reader } from '../../platform/commandArguments';
import { connectCodeHost } from './codeHost';
import { showJobFolders, startLocalService, stopLocalService } from './localServiceCommands';
import { showAgents } from './showAgents';

const readPart = reader(z.object({ show: z.enum(['agents', 'folders', 'gitHost']) }));

/** Shows the part of the local service that the argument names, otherwise offers all its actions. */
export async function manageLocalService(options: App, argument: unknown): Promise<void> {
  const { local, localAccess } = options;
  const agents = (): Promise<void> => showAgents(localAccess);
  const folders = (): Promise<void> => showJobFolders(options);
  const gitHost = (): Promise<void> => connectCodeHost(options);
  const given = readPart(argument)?.show;
  if (given !== undefined) {
    return { agents, folders, gitHost }[given]();
  }
  const isRunning = (await local.findRunning()) !== undefined;
  const items = [
    { label: `$(hubot) ${vscode.l10n.t('Coding agents…')}`, run: agents },
    { label: `$(folder) ${vscode.l10n.t('Job folders…')}`, run: folders },
    { label: `$(key) ${vscode.l10n.t('Sign in to Git host…')}`, run: gitHost },
    isRunning
      ? { label: `$(debug-stop) ${vscode.l10n.t('Stop')}`, run: () => stopLocalService(localAccess) }
      : { label: `$(play) ${vscode.l10n.t('Start')}`, run: () => startLocalService(local) },
  ];
  const title = isRunning ? vscode.l10n.t('Local service (running)') : vscode.l10n.t('Local service (not running)');
  await (await vscode.window.showQuickPick(items, { title }))?.run();
}
