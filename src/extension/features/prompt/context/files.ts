import * as vscode from 'vscode';
import { fileBlock, type FileText, folderBlock, type TreeEntry } from '../../../../prompt/blocks';
import { BUDGETS, shareBudget } from '../../../../prompt/budgets';
import type { ContextBlock } from '../../../../prompt/contextBlock';
import type { Collected } from '../box/contextInserter';
import { filePlace } from './filePlace';
import { type Candidate, IgnoredFiles } from './ignoredFiles';
import type { NotesOf } from './notesOf';
import { readText, whyElsewhere } from './readText';

/** Maximum number of files and folders added at once; with more, each would get only a few words. */
const MAX_AT_ONCE = 200;

/** Collects files and folders in the given order. Ignored and binary files are refused by name. */
export async function collectFiles(uris: readonly vscode.Uri[], notesOf: NotesOf): Promise<Collected> {
  const ignored = new IgnoredFiles();
  const distinct = [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
  const asked = await Promise.all(distinct.slice(0, MAX_AT_ONCE).map(kindOf));
  const refusedUris = await ignored.among(asked.filter(({ isRoot }) => !isRoot));
  const tooMany = distinct.length - asked.length;
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
  const folders = asked.filter(({ isFolder }) => isFolder).length;
  const found: (FileText | ContextBlock[])[] = [];
  for (const { uri, isFolder } of asked) {
    const { path, notes } = filePlace(uri);
    const leftOut = (await whyElsewhere(uri)) ?? refusedUris.get(uri.toString());
    if (leftOut !== undefined) {
      refused.push(leftOut.sentence(path));
    } else if (isFolder) {
      found.push(await collectFolder(uri, { ignored, notesOf, budget: Math.floor(BUDGETS.folder / folders) }));
    } else {
      const read = await readText(uri);
      if ('leftOut' in read) {
        refused.push(read.leftOut.sentence(path));
      } else {
        const more = await notesOf({ uri });
        found.push({ ...read, path, notes: [...read.notes, ...notes, ...more] });
      }
    }
  }
  return { blocks: withinBudget(found), refused };
}

/** Splits the budget among the files. */
function withinBudget(found: readonly (FileText | ContextBlock[])[]): ContextBlock[] {
  const lengths = found.map((each) => ('text' in each ? Math.min(each.text.length, BUDGETS.file) : 0));
  const shares = shareBudget(lengths, BUDGETS.files);
  return found.flatMap((each, index) => ('text' in each ? [fileBlock(each, shares[index] ?? 0)] : each));
}

async function kindOf(uri: vscode.Uri): Promise<{ uri: vscode.Uri; isFolder: boolean; isRoot: boolean }> {
  const type = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    (stat) => stat.type,
    () => vscode.FileType.File,
  );
  const isRoot = vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === uri.toString();
  return { uri, isFolder: (type & vscode.FileType.Directory) !== 0, isRoot };
}

/** Maximum number of entries listed in a folder. */
const MAX_ENTRIES = 2_000;
/** When less of the budget is left, in characters, no further file is included. */
const MIN_ROOM = 500;

interface Found extends TreeEntry {
  uri: vscode.Uri;
}

/** Collects a folder: the tree of its names, followed by the contents of its files while the budget lasts. */
async function collectFolder(
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

/** Lists the names in a folder, level by level. Does not follow links or enter folders that git ignores. */
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

/** Undefined when the folder can't be read. */
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
