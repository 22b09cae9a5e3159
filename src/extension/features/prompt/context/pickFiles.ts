import * as vscode from 'vscode';
import { toPickLabel } from '../../../platform/sanitize';
import { baseName, filePlace } from './filePlace';
import { findFiles, openFiles } from './findFiles';

/** Maximum number of names in the list. */
const MAX_LISTED = 10_000;

type Row = vscode.QuickPickItem & { uri?: vscode.Uri };

/** Asks for a file, listing open files first. Undefined when cancelled. */
export async function pickFile(): Promise<vscode.Uri | undefined> {
  const open = openFiles();
  const known = new Set(open.map(String));
  return pick(vscode.l10n.t('Add a file to the prompt'), async () => {
    const { uris, hasMore } = await findFiles('', MAX_LISTED);
    const others = uris.filter((uri) => !known.has(uri.toString()));
    const rows = [...section(vscode.l10n.t('Open'), open), ...section(vscode.l10n.t('In the workspace'), others)];
    return hasMore ? [...rows, moreRow()] : rows;
  });
}

/** Asks for a folder of the workspace. Undefined when cancelled. */
export async function pickFolder(): Promise<vscode.Uri | undefined> {
  return pick(vscode.l10n.t('Add a folder to the prompt'), async () => {
    const folders = new Map<string, vscode.Uri>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      folders.set(uri.toString(), uri);
    }
    const { uris, hasMore } = await findFiles('', MAX_LISTED);
    for (const file of uris) {
      for (let uri = parentOf(file); !folders.has(uri.toString()) && isInside(uri); uri = parentOf(uri)) {
        folders.set(uri.toString(), uri);
      }
    }
    const sorted = [...folders.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const rows = sorted.map((uri) => row(uri, '$(folder)'));
    return hasMore ? [...rows, moreRow()] : rows;
  });
}

async function pick(title: string, rows: () => Promise<Row[]>): Promise<vscode.Uri | undefined> {
  const placeHolder = vscode.l10n.t('Type part of its path');
  return (await vscode.window.showQuickPick(rows(), { title, placeHolder, matchOnDescription: true }))?.uri;
}

function section(label: string, uris: readonly vscode.Uri[]): Row[] {
  const heading = { label, kind: vscode.QuickPickItemKind.Separator };
  return uris.length === 0 ? [] : [heading, ...uris.map((uri) => row(uri, '$(file)'))];
}

/** A row that says the list is incomplete and how to reach the rest. */
function moreRow(): Row {
  return {
    label: vscode.l10n.t('Only the first {0} files were searched', MAX_LISTED.toLocaleString(vscode.env.language)),
    description: vscode.l10n.t('Type # and part of the name in the prompt, or use the Explorer’s context menu'),
    alwaysShow: true,
  };
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
