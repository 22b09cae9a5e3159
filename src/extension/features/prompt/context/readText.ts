import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { UNSAVED_NOTE } from '../../../../prompt/blocks';
import { looksBinary, looksGarbled } from '../../../../prompt/promptText';
import { baseName } from './filePlace';

/** Larger files are refused: only a small part of their text would fit. */
const MAX_MEGABYTES = 5;

/** Why a file's text is not in a prompt: the wording for the prompt, and the sentence for the user. */
export interface LeftOut {
  inPrompt: string;
  sentence: (name: string) => string;
}

export const IGNORED: LeftOut = {
  inPrompt: 'ignored by git',
  sentence: (name) => vscode.l10n.t('“{0}” is ignored by Git.', name),
};
/** git refuses to answer, such as for a file in a submodule that has lost its `.git`. */
export const UNDECIDED: LeftOut = {
  inPrompt: 'git can’t tell whether it is ignored',
  sentence: (name) => vscode.l10n.t('“{0}” was left out because Git can’t tell whether it’s ignored.', name),
};
const BINARY: LeftOut = { inPrompt: 'binary', sentence: (name) => vscode.l10n.t('“{0}” is binary.', name) };
const TOO_LARGE: LeftOut = {
  inPrompt: `larger than ${MAX_MEGABYTES} MB`,
  sentence: (name) =>
    vscode.l10n.t('“{0}” is larger than {1} MB. Select the relevant part and add that instead.', name, MAX_MEGABYTES),
};
const UNREADABLE: LeftOut = {
  inPrompt: 'can’t be read',
  sentence: (name) => vscode.l10n.t('Couldn’t read “{0}”. Check that it exists and that you have access to it.', name),
};

export interface ReadText {
  text: string;
  languageId: string;
  notes: readonly string[];
}

/** Reads a file's text: from the editor, saved or not, otherwise from wherever it is stored. */
export async function readText(uri: vscode.Uri): Promise<ReadText | { leftOut: LeftOut }> {
  const open = vscode.workspace.textDocuments.find((each) => !each.isClosed && each.uri.toString() === uri.toString());
  if (open !== undefined) {
    const notes = open.isDirty || open.isUntitled ? [UNSAVED_NOTE] : [];
    return { text: open.getText(), languageId: open.languageId, notes };
  }
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > MAX_MEGABYTES * 1024 * 1024) {
      return { leftOut: TOO_LARGE };
    }
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (looksBinary(bytes)) {
      return { leftOut: BINARY };
    }
    const text = await vscode.workspace.decode(bytes, { uri });
    // Opening a document to learn its language would trigger the editor's work for open files.
    return looksGarbled(text) ? { leftOut: BINARY } : { text, languageId: extensionOf(uri), notes: [] };
  } catch {
    return { leftOut: UNREADABLE };
  }
}

/** `ts` for `a.ts`: Markdown readers accept it as a language too. */
function extensionOf(uri: vscode.Uri): string {
  return /\.(\w+)$/.exec(baseName(uri))?.[1]?.toLowerCase() ?? '';
}

const LINK: LeftOut = {
  inPrompt: 'symbolic link',
  sentence: (name) => vscode.l10n.t('“{0}” is a symbolic link. Add its target instead.', name),
};
const LEADS_OUT: LeftOut = {
  inPrompt: 'outside of the workspace',
  sentence: (name) =>
    vscode.l10n.t('“{0}” points outside the workspace through a symbolic link. Add its target instead.', name),
};

/**
 * Why a file is not where its path says: it is a link, or a parent folder is a link that leads elsewhere. Undefined
 * otherwise.
 */
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

/**
 * Whether a file, with all links resolved, is in one of the folders and not in a `.git` folder. True for a missing
 * file.
 */
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
