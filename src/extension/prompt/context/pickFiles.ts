import * as vscode from 'vscode';
import { toPickLabel } from '../../text';
import { baseName, filePlace } from './filePlace';
import { findFiles, openFiles } from './findFiles';

const { t } = vscode.l10n;

/** More names than these are no list to choose from. */
const MAX_LISTED = 10_000;

type Row = vscode.QuickPickItem & { uri?: vscode.Uri };

/** Asks for a file: the open ones first. Undefined when cancelled. */
export async function pickFile(): Promise<vscode.Uri | undefined> {
  const open = openFiles();
  const known = new Set(open.map(String));
  const others = findFiles('', MAX_LISTED).then((found) => found.filter((uri) => !known.has(uri.toString())));
  return pick(t('Add a file to the prompt'), async () => [
    ...section(t('Open'), open),
    ...section(t('In the workspace'), await others),
  ]);
}

/** Asks for a folder of the workspace. Undefined when cancelled. */
export async function pickFolder(): Promise<vscode.Uri | undefined> {
  return pick(t('Add a folder to the prompt'), async () => {
    const folders = new Map<string, vscode.Uri>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      folders.set(uri.toString(), uri);
    }
    for (const file of await findFiles('', MAX_LISTED)) {
      for (let uri = parentOf(file); !folders.has(uri.toString()) && isInside(uri); uri = parentOf(uri)) {
        folders.set(uri.toString(), uri);
      }
    }
    return [...folders.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)).map((uri) => row(uri, '$(folder)'));
  });
}

async function pick(title: string, rows: () => Promise<Row[]>): Promise<vscode.Uri | undefined> {
  const placeHolder = t('Type a part of its path');
  return (await vscode.window.showQuickPick(rows(), { title, placeHolder, matchOnDescription: true }))?.uri;
}

function section(label: string, uris: readonly vscode.Uri[]): Row[] {
  const heading = { label, kind: vscode.QuickPickItemKind.Separator };
  return uris.length === 0 ? [] : [heading, ...uris.map((uri) => row(uri, '$(file)'))];
}

function row(uri: vscode.Uri, icon: string): Row {
  return { uri, label: `${icon} ${toPickLabel(baseName(uri))}`, description: toPickLabel(filePlace(uri).path) };
}

function parentOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, '..');
}

function isInside(uri: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}
