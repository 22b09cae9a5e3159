import { type ChangeCount, type ChangedFile, changedLines, countOf } from './changedFile';
import { BUDGETS } from '../budgets';
import { count } from '../elide';
import { harmless } from './harmless';
import type { Patch } from './patchReader';
import { quoted } from './patchHeader';

export interface Changes {
  /** Each file, in the order of the diff. */
  files: readonly ChangedFile[];
  /** Files that are not named. */
  more: ChangeCount;
  patches: readonly Patch[];
  /** What stands above, such as the messages of commits; several lines. */
  preface?: string;
}

/** Made once: to make it for each number takes longer than all else here. */
const NUMBER = new Intl.NumberFormat('en-US');

/** What was changed: how much, in which files, and then as much of it as was read. What is left out is told. */
export function changesText({ files, more, patches, preface }: Changes): string {
  const shown = new Map(patches.map((patch) => [patch.file, patch]));
  const all = sum(countOf(files), more);
  const listed = new Set<ChangedFile>(shown.keys());
  let left = BUDGETS.changedNames;
  for (const file of files) {
    left -= listed.has(file) ? 0 : row(file, false).length + 1;
    if (left < 0) {
      break;
    }
    listed.add(file);
  }
  const rest = sum(countOf(files.filter((file) => !listed.has(file))), more);
  const rows = files.filter((file) => listed.has(file)).map((file) => row(file, shown.has(file)));
  const end = rest.files === 0 ? [] : [`… and ${count(rest.files, 'more file')}, ${lines(rest)}, not shown`];
  const summary = [`${count(all.files, 'file')} changed, ${lines(all)}`, ...rows, ...end].join('\n');
  return [...(preface === undefined ? [] : [preface]), summary, ...patches.map(patchText)].join('\n\n');
}

/** “M src/a.ts, +10 -2”. */
function row(file: ChangedFile, isShown: boolean): string {
  const { status, path, from, hidden, added } = file;
  const name = from === undefined ? quoted(path) : `${quoted(from)} -> ${quoted(path)}`;
  const counts = added === null ? '' : `, ${lines({ added, deleted: file.deleted ?? 0 })}`;
  const why = hidden === undefined ? '' : `, ${hidden}`;
  return harmless(`${status} ${name}${counts}${why}${isShown ? '' : ', not shown'}`);
}

function lines({ added, deleted }: { added: number; deleted: number }): string {
  return `+${NUMBER.format(added)} -${NUMBER.format(deleted)}`;
}

function patchText({ file, lines: text, shown, isCut }: Patch): string {
  if (!isCut) {
    return text.join('\n');
  }
  const left = Math.max(0, changedLines(file) - shown);
  return [...text, left > 0 ? `… ${count(left, 'changed line')} left out` : '… unchanged lines left out'].join('\n');
}

function sum(a: ChangeCount, b: ChangeCount): ChangeCount {
  return { files: a.files + b.files, added: a.added + b.added, deleted: a.deleted + b.deleted };
}
