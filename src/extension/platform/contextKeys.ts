import * as vscode from 'vscode';
import type { CONTEXT_KEYS } from '../ids';

type ContextKey = (typeof CONTEXT_KEYS)[keyof typeof CONTEXT_KEYS];

/** The only place that sets context keys. */
export function setContextKey(key: ContextKey, value: string | boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

/**
 * Resolves after a round trip to the user interface, where this command runs. Never resolves in an extension host whose
 * window has died.
 */
export async function pingUserInterface(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'docsAgent.reached', true);
}
