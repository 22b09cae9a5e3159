import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { LeftOut } from './readText';

const LINK: LeftOut = {
  inPrompt: 'symbolic link',
  sentence: (name) => vscode.l10n.t('“{0}” is a symbolic link: add what it leads to.', name),
};
const LEADS_OUT: LeftOut = {
  inPrompt: 'outside of the workspace',
  sentence: (name) => vscode.l10n.t('“{0}” leads out of the workspace by a symbolic link: add what it leads to.', name),
};

/** Why a file is not what its path says: it is a link, or a folder above it is one that leads elsewhere; undefined where it is. */
export async function whyElsewhere(uri: vscode.Uri): Promise<LeftOut | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.some((folder) => folder.uri.toString() === uri.toString())) {
    return undefined;
  }
  const type = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    (stat) => stat.type,
    () => vscode.FileType.Unknown,
  );
  if ((type & vscode.FileType.SymbolicLink) !== 0) {
    return LINK;
  }
  if (uri.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    return undefined;
  }
  const roots = folders.filter((folder) => folder.uri.scheme === 'file').map((folder) => folder.uri.fsPath);
  return (await isReallyIn(uri.fsPath, roots)) ? undefined : LEADS_OUT;
}

/** Whether a file lies in one of the folders, and not in a repository's own, once all links are followed. What is not there does. */
async function isReallyIn(path: string, roots: readonly string[]): Promise<boolean> {
  const place = await realpath(path).catch(() => undefined);
  if (place === undefined) {
    return true;
  }
  const inside = await Promise.all(
    roots.map(async (root) => {
      const parts = relative(await realpath(root).catch(() => root), place).split(sep);
      return parts[0] !== '..' && !/^[a-z]:/i.test(parts[0] ?? '') && !parts.some((part) => /^\.git$/i.test(part));
    }),
  );
  return inside.includes(true);
}
