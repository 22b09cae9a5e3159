import * as vscode from 'vscode';
import { looksBinary, looksGarbled } from '../../../prompt/looksBinary';
import { UNSAVED_NOTE } from '../../../prompt/textPlace';
import { baseName } from './filePlace';

/** Of what is larger nobody would read the part that fits. */
const MAX_MEGABYTES = 5;

/** Why a file's text is not in a prompt: the words for the prompt itself, and the sentence for the user. */
export interface LeftOut {
  inPrompt: string;
  sentence: (name: string) => string;
}

export const IGNORED: LeftOut = {
  inPrompt: 'ignored by git',
  sentence: (name) => vscode.l10n.t('“{0}” is ignored by Git.', name),
};
const BINARY: LeftOut = { inPrompt: 'binary', sentence: (name) => vscode.l10n.t('“{0}” is binary.', name) };
const TOO_LARGE: LeftOut = {
  inPrompt: `larger than ${MAX_MEGABYTES} MB`,
  sentence: (name) =>
    vscode.l10n.t('“{0}” is larger than {1} MB: select the part that matters and add that.', name, MAX_MEGABYTES),
};
const UNREADABLE: LeftOut = {
  inPrompt: 'can’t be read',
  sentence: (name) => vscode.l10n.t('“{0}” could not be read. Check that it is there and may be read.', name),
};

export interface ReadText {
  text: string;
  languageId: string;
  notes: readonly string[];
}

/** The text of a file: as it stands in an editor, saved or not, or else on the disk, wherever that is. */
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
    // To open a document for its language would start what the editor does for open files.
    return looksGarbled(text) ? { leftOut: BINARY } : { text, languageId: extensionOf(uri), notes: [] };
  } catch {
    return { leftOut: UNREADABLE };
  }
}

/** `ts` of `a.ts`: whoever reads Markdown knows a language by it as well. */
function extensionOf(uri: vscode.Uri): string {
  return /\.(\w+)$/.exec(baseName(uri))?.[1]?.toLowerCase() ?? '';
}
