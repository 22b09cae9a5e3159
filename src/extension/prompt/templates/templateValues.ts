import * as vscode from 'vscode';
import type { ValueVariable } from '../../../prompt/template/variables';
import { gitApi } from '../../services/gitExtension';
import { documentAtHand } from './documentAtHand';

const { t } = vscode.l10n;

/** What stands for a variable now; undefined where there is nothing. */
export async function valueOf(name: ValueVariable): Promise<string | undefined> {
  const uri = documentAtHand()?.uri;
  switch (name) {
    case 'file':
      return uri && oneLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
    case 'relativeFile':
      return uri && oneLine(vscode.workspace.asRelativePath(uri, false));
    case 'branch':
      return branchOf(uri);
  }
}

/** What to do where there is nothing for a variable. */
export function missingValue(name: ValueVariable): string {
  return name === 'branch'
    ? t('No branch is checked out here, or the Git extension does not know of it.')
    : t('Open the file that the prompt is about first.');
}

async function branchOf(uri: vscode.Uri | undefined): Promise<string | undefined> {
  const repositories = (await gitApi())?.repositories ?? [];
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const place = (uri?.scheme === 'file' ? uri : folder)?.path ?? '';
  const around = repositories
    .filter(({ rootUri }) => place === rootUri.path || place.startsWith(`${rootUri.path}/`))
    .toSorted((a, b) => b.rootUri.path.length - a.rootUri.path.length);
  return (around[0] ?? (repositories.length === 1 ? repositories[0] : undefined))?.state.HEAD?.name;
}

/** A path may hold a line break, and would then be more than a path in the prompt. */
function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, ' ');
}
