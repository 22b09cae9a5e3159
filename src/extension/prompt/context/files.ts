import * as vscode from 'vscode';
import { BUDGETS, shareBudget } from '../../../prompt/budgets';
import type { ContextBlock } from '../../../prompt/contextBlock';
import { type FileText, fileBlock } from '../../../prompt/blocks';
import type { Collected } from '../promptDesk';
import { filePlace } from './filePlace';
import { collectFolder } from './folder';
import { IgnoredFiles } from './ignoredFiles';
import { readText, whyElsewhere } from './readText';
import type { NotesOf } from '../visibility/notesOf';

/** So many files and folders come into a prompt at once: more would leave each of them a few words. */
const MAX_AT_ONCE = 200;

/** Files and folders, in the order that they were asked for in. Those that are ignored or binary are refused by name. */
export async function collectFiles(uris: readonly vscode.Uri[], notesOf: NotesOf): Promise<Collected> {
  const ignored = new IgnoredFiles();
  const distinct = [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
  const asked = await Promise.all(distinct.slice(0, MAX_AT_ONCE).map(kindOf));
  const refusedUris = await ignored.among(asked.filter(({ isRoot }) => !isRoot));
  const tooMany = distinct.length - asked.length;
  const refused =
    tooMany > 0 ? [vscode.l10n.t('{0} of them were left out: a prompt takes {1} at once.', tooMany, MAX_AT_ONCE)] : [];
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

/** Files share what all of them may take. */
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
