import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { COMMANDS } from '../ids';
import { toNotice } from '../text';

/** Says that the set-up is done and offers what comes next, unless a command goes on by itself. */
export async function tellDone(store: JobStore, said: string, goesOn: boolean): Promise<void> {
  const text = toNotice(said, 400);
  if (goesOn) {
    vscode.window.setStatusBarMessage(`$(check) ${text}`, 10_000);
    return;
  }
  const write = store.jobs.length === 0 ? vscode.l10n.t('Write first job') : vscode.l10n.t('Write job');
  if ((await vscode.window.showInformationMessage(text, write)) === write) {
    await vscode.commands.executeCommand(COMMANDS.createJob);
  }
}
