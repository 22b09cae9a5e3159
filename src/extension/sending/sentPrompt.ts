import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import type { JobStore } from '../../jobs/jobStore';
import type { OutgoingPrompt } from '../../jobs/trackedJob';
import { showErrorWithLog } from '../platform/log';
import { toNotice } from '../platform/sanitize';

type Store = Pick<JobStore, 'promptOf'>;

/** Returns the whole prompt. Rejects with a message for the user if only its beginning is known. */
export async function readSentPrompt(store: Store, jobKey: string, send: OutgoingPrompt): Promise<string> {
  try {
    return await store.promptOf(jobKey, send);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(vscode.l10n.t('couldn’t read the whole prompt ({0}). Nothing was sent. Try again', why), {
      cause: error,
    });
  }
}

/** Copies a prompt to the clipboard. Never rejects: says how it went. */
export async function copySentPrompt(store: Store, jobKey: string, send: OutgoingPrompt, log: Logger): Promise<void> {
  try {
    await vscode.env.clipboard.writeText(await readSentPrompt(store, jobKey, send));
    vscode.window.setStatusBarMessage(vscode.l10n.t('Prompt copied'), 3000);
  } catch (error) {
    log.error('couldn’t copy a prompt', error);
    const why = toNotice(error instanceof Error ? error.message : String(error), 300);
    void showErrorWithLog(vscode.l10n.t('Docs Agent error: {0}.', why), 'error');
  }
}
