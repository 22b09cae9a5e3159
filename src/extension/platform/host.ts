import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The window that the extension runs in: where its files are, and what may run in it. */
export interface Host {
  extensionUri: vscode.Uri;
  /** The folder that all windows share. */
  data: string;
  /** What the editor remembers for this extension, everywhere and in this workspace. */
  globalState: vscode.Memento;
  workspaceState: vscode.Memento;
  /** The bundle of the local service. */
  program: string;
  /** The version of this extension. */
  release: string;
  /** Whether the local service can run on the machine of this extension host. */
  localAvailable: boolean;
}

export function readHost(context: vscode.ExtensionContext): Host {
  const isBesideRemote =
    vscode.env.remoteName !== undefined && context.extension.extensionKind === vscode.ExtensionKind.UI;
  return {
    extensionUri: context.extensionUri,
    data: context.globalStorageUri.fsPath,
    globalState: context.globalState,
    workspaceState: context.workspaceState,
    program: context.asAbsolutePath('dist/service.mjs'),
    release: (context.extension.packageJSON as { version: string }).version,
    localAvailable: !isBesideRemote,
  };
}

/** A random ID of lowercase letters and digits. */
export function newId(): string {
  return randomBytes(8).toString('hex');
}
