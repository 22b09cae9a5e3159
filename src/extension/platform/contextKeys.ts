import * as vscode from 'vscode';
import type { CONTEXT_KEYS } from '../ids';

type ContextKey = (typeof CONTEXT_KEYS)[keyof typeof CONTEXT_KEYS];

/** The one place that sets context keys. */
export function setContextKey(key: ContextKey, value: string | boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

/**
 * Resolves after a round trip to the user interface: this command is carried out there. In the host of a window that
 * died it never does.
 */
export async function reachUserInterface(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'docsAgent.reached', true);
}
