import * as vscode from 'vscode';
import type { LastEditor } from '../prompt/context/lastEditor';
import { readPlace } from './arguments';

/** A place of a document that a command is about. */
export interface NamedPlace {
  document: vscode.TextDocument;
  /** Empty where there is a cursor and nothing is selected. */
  range: vscode.Range;
}

/**
 * The document that an argument names, by an address (menus pass one) or `{ uri }`; without one it is that of the text
 * editor at hand. Undefined when there is none, or none of text.
 */
export async function documentNamed(
  argument: unknown,
  lastEditor: LastEditor,
): Promise<vscode.TextDocument | undefined> {
  const uri = uriNamed(argument);
  if (uri === undefined) {
    return lastEditor.current?.document;
  }
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

/** The place that an argument names, or else the cursor or selection of the text editor at hand. */
export async function placeNamed(argument: unknown, lastEditor: LastEditor): Promise<NamedPlace | undefined> {
  const place = readPlace(argument);
  const document = await documentNamed(argument, lastEditor);
  if (document === undefined) {
    return undefined;
  }
  if (place?.line === undefined) {
    const { current } = lastEditor;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    const editor = current?.document === document ? current : visible;
    return { document, range: editor?.selection ?? new vscode.Range(0, 0, 0, 0) };
  }
  const { line, column = 1, endLine = line, endColumn = column } = place;
  const range = new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
  return { document, range: document.validateRange(range) };
}

/** Files and folders that a menu passes: one address, or those of all that are selected. */
export function filesNamed(argument: unknown): vscode.Uri[] | undefined {
  const named = (Array.isArray(argument) ? argument : [uriNamed(argument)]).filter(
    (each) => each instanceof vscode.Uri,
  );
  return named.length === 0 ? undefined : named;
}

/** Whether an argument is the address of the active editor's file, which is what the menus of that editor pass. */
export function isOpenFile(argument: unknown): boolean {
  const open = vscode.window.activeTextEditor?.document.uri;
  return argument instanceof vscode.Uri && argument.toString() === open?.toString();
}

function uriNamed(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) {
    return argument;
  }
  const named = readPlace(argument)?.uri;
  try {
    return named === undefined ? undefined : vscode.Uri.parse(named, true);
  } catch {
    return undefined;
  }
}
