import { type ChangedFile, changedLines } from './changedFile';

/** What a file gets at least when its text is shown at all, in characters. */
const LEAST_SHARE = 1_500;
/** A command line has its limits, and so has the list of files. */
const MAX_FILES = 150;
const MAX_PATHS = 10_000;

/** How long the text of the file's change may be, in characters; a guess from its lines. */
export function guessedSize(file: ChangedFile): number {
  return 250 + 2 * file.path.length + 50 * changedLines(file);
}

/**
 * The files whose text is read, in the order in which they were given: the smaller ones first, as many as get a useful
 * share of the budget each.
 *
 * @param budget characters of text
 */
export function planPatches(files: readonly ChangedFile[], budget: number): ChangedFile[] {
  const readable = files
    .filter(({ hidden }) => hidden === undefined)
    .map((file) => ({ file, size: guessedSize(file) }));
  readable.sort((a, b) => a.size - b.size);
  const chosen = new Set<ChangedFile>();
  let left = budget;
  let paths = MAX_PATHS;
  for (const { file, size } of readable) {
    left -= Math.min(size, LEAST_SHARE);
    paths -= file.path.length + (file.from?.length ?? 0);
    if ((left < 0 || paths < 0 || chosen.size >= MAX_FILES) && chosen.size > 0) {
      break;
    }
    chosen.add(file);
  }
  return files.filter((file) => chosen.has(file));
}

/**
 * The largest share with which all of them come out within the budget, when those that need less leave the rest to the
 * others. At least 0.
 */
export function fairShare(sizes: readonly number[], budget: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = Math.max(0, budget);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) {
      return share;
    }
    left -= size;
  }
  return Math.max(0, budget);
}
