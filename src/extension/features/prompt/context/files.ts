import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { fileBlock, type FileText, folderBlock } from '../../../../prompt/blocks';
import { BUDGETS, shareBudget } from '../../../../prompt/budgets';
import type { ContextBlock } from '../../../../prompt/contextBlock';
import { looksBinary, looksGarbled } from '../../../../prompt/promptText';
import type { Collected } from '../box/contextInserter';
import { baseName, filePlace, type NotesOf } from './places';
import { filesIn, ignoredAmong } from './findFiles';

/** With more files and folders at once, each would get only a few words. */
const MAX_AT_ONCE = 200;

/** Larger files are refused: only a small part of their text would fit. */
const MAX_MEGABYTES = 5;

/** Why a file's text is not in a prompt: the wording for the prompt, and the sentence for the user. */
export interface LeftOut {
  inPrompt: string;
  sentence: (name: string) => string;
}

const IGNORED: LeftOut = {
  inPrompt: 'ignored by git',
  sentence: (name) => vscode.l10n.t('“{0}” is ignored by Git.', name),
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
const LINK: LeftOut = {
  inPrompt: 'symbolic link',
  sentence: (name) => vscode.l10n.t('“{0}” is a symbolic link. Add its target instead.', name),
};

/** Collects files in the given order, and the names in folders. Ignored and binary files are refused by name. */
export async function collectFiles(uris: readonly vscode.Uri[], notesOf: NotesOf): Promise<Collected> {
  const distinct = [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
  const tooMany = distinct.length - MAX_AT_ONCE;
  const refused =
    tooMany > 0
      ? [
          vscode.l10n.t(
            'Files or folders left out: {0}. You can add up to {1} to a prompt at once.',
            tooMany,
            MAX_AT_ONCE,
          ),
        ]
      : [];
  const found: (FileText | ContextBlock)[] = [];
  const asked = distinct.slice(0, MAX_AT_ONCE);
  const leftOut = await whyLeftOut(asked);
  for (const uri of asked) {
    const { path, notes } = filePlace(uri);
    const isFolder = ((await typeOf(uri)) & vscode.FileType.Directory) !== 0;
    const why = leftOut.get(uri.toString());
    if (why !== undefined) {
      refused.push(why.sentence(path));
    } else if (isFolder) {
      const names = (await filesIn(uri)).map((file) => file.path.slice(uri.path.replace(/\/$/, '').length + 1));
      found.push(folderBlock({ path, notes }, names, BUDGETS.tree));
    } else {
      const read = await readText(uri);
      if ('leftOut' in read) {
        refused.push(read.leftOut.sentence(path));
      } else {
        found.push({ ...read, path, notes: [...notes, ...(await notesOf({ uri }))] });
      }
    }
  }
  const lengths = found.map((each) =>
    'languageId' in each && 'path' in each ? Math.min(each.text.length, BUDGETS.file) : 0,
  );
  const shares = shareBudget(lengths, BUDGETS.files);
  return {
    blocks: found.map((each, index) => ('path' in each ? fileBlock(each, shares[index] ?? 0) : each)),
    refused,
  };
}

/**
 * Returns why files must not be added to a prompt, by their URIs: git ignores them, or they aren't where their path says.
 * The folders of the workspace may always be added.
 */
export async function whyLeftOut(uris: readonly vscode.Uri[]): Promise<Map<string, LeftOut>> {
  const roots = new Set(vscode.workspace.workspaceFolders?.map((folder) => folder.uri.toString()));
  const asked = uris.filter((uri) => !roots.has(uri.toString()));
  const ignored = await ignoredAmong(asked);
  const found = await Promise.all(
    asked.map(async (uri): Promise<[string, LeftOut][]> => {
      const key = uri.toString();
      return ignored.has(key) ? [[key, IGNORED]] : (await isElsewhere(uri)) ? [[key, LINK]] : [];
    }),
  );
  return new Map(found.flat());
}

/** Whether a file is a link, or a folder above it is one that leads out of the workspace or into a `.git` folder. */
async function isElsewhere(uri: vscode.Uri): Promise<boolean> {
  if (((await typeOf(uri)) & vscode.FileType.SymbolicLink) !== 0) {
    return true;
  }
  if (uri.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    return false;
  }
  const place = await realpath(uri.fsPath).catch(() => undefined);
  const roots = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  const inside = roots.map(async (folder) => {
    const parts = relative(await realpath(folder.uri.fsPath).catch(() => folder.uri.fsPath), place ?? '').split(sep);
    return parts[0] !== '..' && !/^[a-z]:/i.test(parts[0] ?? '') && !parts.some((part) => /^\.git$/i.test(part));
  });
  return place !== undefined && !(await Promise.all(inside)).includes(true);
}

export function typeOf(uri: vscode.Uri): Thenable<vscode.FileType> {
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => type,
    () => vscode.FileType.Unknown,
  );
}

export interface ReadText {
  text: string;
  languageId: string;
}

/** Reads a file's text: from the editor, saved or not, otherwise from wherever it is stored. */
export async function readText(uri: vscode.Uri): Promise<ReadText | { leftOut: LeftOut }> {
  const open = vscode.workspace.textDocuments.find((each) => !each.isClosed && each.uri.toString() === uri.toString());
  if (open !== undefined) {
    return { text: open.getText(), languageId: open.languageId };
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
    // Opening a document to learn its language would trigger the editor's work for open files. Markdown readers accept
    // an extension as a language, too.
    const extension = /\.(\w+)$/.exec(baseName(uri))?.[1]?.toLowerCase() ?? '';
    return looksGarbled(text) ? { leftOut: BINARY } : { text, languageId: extension };
  } catch {
    return { leftOut: UNREADABLE };
  }
}
