import { PLAIN_DIFF, diffSummary } from '../../../git/diffSummary';
import { BUDGETS } from '../../../prompt/budgets';
import { type ChangedFile, type Changes, type Patch, changedLines, patchOf } from '../../../prompt/changesText';
import type { ChangeRepository, ChangeSource } from './changeSource';
import { untrackedFiles, untrackedPatch } from './untracked';

const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** A file whose share of the budget is smaller is named only, in characters. */
const MIN_SHARE = 1_000;

/** One git runs for each file. */
const MAX_FILES = 100;

/** So much of a file's diff is read, in bytes; enough for every line that is shown. */
const MAX_DIFF_BYTES = 512 * 1024;

/**
 * Reads what was changed: a summary of all of it, and the first lines of each file's diff. Files with few changed lines
 * are read first, and each gets an equal share of what is left of the budget. Throws GitError, or the signal's reason.
 *
 * @param budget characters of all diffs together
 */
export async function readChanges(
  repository: ChangeRepository,
  source: ChangeSource,
  budget: number = BUDGETS.changes,
): Promise<Changes> {
  const { files: summarized, more } = await diffSummary(repository, source.args);
  const tracked = summarized.map((file) => (file.added === null ? { ...file, hidden: 'binary' } : file));
  const files: ChangedFile[] = [...tracked, ...(source.withUntracked ? await untrackedFiles(repository) : [])];
  const readable = files
    .filter(({ hidden }) => hidden === undefined)
    .toSorted((a, b) => changedLines(a) - changedLines(b))
    .slice(0, Math.max(1, Math.min(MAX_FILES, Math.floor(budget / MIN_SHARE))));
  const patches = new Map<ChangedFile, Patch>();
  let left = budget;
  for (const [index, file] of readable.entries()) {
    repository.signal.throwIfAborted();
    const share = Math.floor(left / (readable.length - index));
    const patch = await readPatch(repository, source, file, share);
    if (patch !== undefined) {
      patches.set(file, patch);
      left -= patch.lines.reduce((sum, line) => sum + line.length + 1, 0);
    }
  }
  return { files, more, patches: files.flatMap((file) => patches.get(file) ?? []) };
}

async function readPatch(
  { git, place, signal }: ChangeRepository,
  { args }: ChangeSource,
  file: ChangedFile,
  share: number,
): Promise<Patch | undefined> {
  if (file.status === '?') {
    const diff = await untrackedPatch(place.folder, file);
    return diff === undefined ? undefined : patchOf(file, diff, share);
  }
  const { path, from } = file;
  const paths = from === undefined ? [path] : [from, path];
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of git.stream(place, [...PLAIN_DIFF, ...PATCH, ...args, '--', ...paths], signal)) {
    chunks.push(Buffer.from(bytes));
    size += bytes.length;
    if (size > MAX_DIFF_BYTES) {
      // Leaving the loop ends git.
      break;
    }
  }
  return patchOf(file, Buffer.concat(chunks).toString('utf8'), share, size <= MAX_DIFF_BYTES);
}
