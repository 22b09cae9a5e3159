import * as vscode from 'vscode';
import { BUDGETS } from '../../../prompt/budgets';
import type { ContextBlock } from '../../../prompt/contextBlock';
import { fileBlock, folderBlock, type TreeEntry } from '../../../prompt/blocks';
import { filePlace } from './filePlace';
import type { Candidate, IgnoredFiles } from './ignoredFiles';
import type { NotesOf } from '../visibility/notesOf';
import { readText } from './readText';

/** How many names of a folder are looked at. */
const MAX_ENTRIES = 2_000;
/** What is left of a budget that is not worth a file's beginning. */
const MIN_ROOM = 500;

interface Found extends TreeEntry {
  uri: vscode.Uri;
}

/** A folder: the tree of its names, and below it the contents of its files while the budget lasts. */
export async function collectFolder(
  folder: vscode.Uri,
  { ignored, notesOf, budget }: { ignored: IgnoredFiles; notesOf: NotesOf; budget: number },
): Promise<ContextBlock[]> {
  const { found, unlisted } = await walk(folder, ignored);
  const entries: TreeEntry[] = [];
  const contents: ContextBlock[] = [];
  let left = budget;
  for (const entry of found) {
    if (entry.isFolder || entry.leftOut !== undefined) {
      entries.push(entry);
      continue;
    }
    const read = left < MIN_ROOM ? undefined : await readText(entry.uri);
    if (read === undefined || 'leftOut' in read) {
      entries.push({ ...entry, leftOut: read?.leftOut.inPrompt ?? 'no room left' });
      continue;
    }
    const place = filePlace(entry.uri);
    const notes = [...read.notes, ...(await notesOf({ uri: entry.uri }))];
    const block = fileBlock({ ...read, path: place.path, notes }, Math.min(left, BUDGETS.folderFile));
    entries.push(entry);
    contents.push(block);
    left -= block.text.length;
  }
  return [folderBlock(filePlace(folder), entries, { budget: BUDGETS.tree, unlisted }), ...contents];
}

/** The names below a folder, level by level; links are not followed, and what Git ignores is not looked into. */
async function walk(folder: vscode.Uri, ignored: IgnoredFiles): Promise<{ found: Found[]; unlisted: boolean }> {
  const found: Found[] = [];
  let level: Pick<Found, 'uri' | 'path'>[] = [{ uri: folder, path: '' }];
  while (level.length > 0) {
    const listings = await Promise.all(level.map(read));
    const unreadable = new Set(level.filter((_, index) => listings[index] === undefined).map(({ path }) => path));
    for (const entry of found.filter(({ path }) => unreadable.has(path))) {
      entry.leftOut = 'can’t be read';
    }
    const names = listings.flatMap((listing) => listing ?? []);
    const listed = names.slice(0, MAX_ENTRIES - found.length);
    const refused = await ignored.among(listed);
    const entries = listed.map((entry) => ({
      ...entry,
      leftOut: refused.get(entry.uri.toString())?.inPrompt ?? entry.leftOut,
    }));
    found.push(...entries);
    if (listed.length < names.length) {
      return { found, unlisted: true };
    }
    level = entries.filter(({ isFolder, leftOut }) => isFolder && leftOut === undefined);
  }
  return { found, unlisted: false };
}

/** Undefined for a folder that can't be read. */
async function read({ uri, path }: Pick<Found, 'uri' | 'path'>): Promise<(Found & Candidate)[] | undefined> {
  const names = await Promise.resolve(vscode.workspace.fs.readDirectory(uri)).catch(() => undefined);
  return names
    ?.filter(([name]) => name.toLowerCase() !== '.git')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, type]) => ({
      uri: vscode.Uri.joinPath(uri, name),
      path: path === '' ? name : `${path}/${name}`,
      isFolder: (type & vscode.FileType.Directory) !== 0,
      leftOut: (type & vscode.FileType.SymbolicLink) === 0 ? undefined : 'symbolic link',
    }));
}
