import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesPlace } from '../../git/flaggedFiles';
import type { RawEntry } from '../git/stageWork';
import { BYTES, DIFF, splitPaths } from './mergePaths';
import type { MergeTarget } from './mergeTarget';

/** The mode of a file that does not exist. */
export const NO_FILE = '000000';

/** A file that is in the work tree as a commit would make it, and its entries in the index before and with the commit. */
export interface AppliedFile {
  /** With one character per byte. */
  path: string;
  before: Entry;
  after: Entry;
}

type Entry = Pick<RawEntry, 'mode' | 'id'>;

/**
 * Returns the files that already have the content and mode of the commit, such as after “Apply to My Files”. Omits a
 * file that was staged in another state, because that state would be lost.
 *
 * @param changes the files that may have it, as the commit changes them
 * @param staged what the index has instead of the branch's files
 */
export async function findApplied(
  { folder, run }: MergeTarget,
  changes: ReadonlySet<RawEntry>,
  staged: ReadonlyMap<string, RawEntry>,
): Promise<AppliedFile[]> {
  const candidates = [...changes].filter(({ path, mode, id }) => {
    const own = staged.get(path);
    return own === undefined || (own.status !== 'U' && own.mode === mode && own.id === id);
  });
  const present = candidates.filter(({ mode }) => mode !== NO_FILE);
  const differing = new Set(present.length === 0 ? [] : await differingFiles(run, present));
  const stats = await Promise.all(candidates.map(({ path }) => lstat(bytesPlace(folder, path)).catch(() => undefined)));
  const applied = candidates.filter(({ mode, path }, index) =>
    mode === NO_FILE ? stats[index] === undefined || stats[index].isDirectory() : !differing.has(path),
  );
  return applied.map(({ path, oldMode, oldId, mode, id }) => ({
    path,
    before: staged.get(path) ?? { mode: oldMode, id: oldId },
    after: { mode, id },
  }));
}

/** Compares files of the work tree using an index that has only these, because some of them may be untracked. */
async function differingFiles(run: MergeTarget['run'], files: readonly RawEntry[]): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await updateIndex(run, files, environment);
    return splitPaths(await run([...DIFF, '--'], { environment, ...BYTES }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Puts the files into the index, so that git sees no conflict between them and the commit while `work` runs. If that
 * fails, the index gets its own entries back.
 */
export async function stageApplied(
  run: MergeTarget['run'],
  files: readonly AppliedFile[],
  work: () => Promise<unknown>,
): Promise<void> {
  const write = (which: 'before' | 'after'): Promise<void> =>
    updateIndex(
      run,
      files.map((file) => ({ path: file.path, ...file[which] })),
    );
  try {
    await write('after');
    await work();
  } catch (error) {
    // The files themselves are untouched, so that nothing is lost if this fails, too.
    await write('before').catch(() => undefined);
    throw error;
  }
}

async function updateIndex(
  run: MergeTarget['run'],
  entries: readonly (Entry & { path: string })[],
  environment?: Record<string, string>,
): Promise<void> {
  // A file can take the place of a folder only after the files in it are gone.
  const inOrder = entries.toSorted((a, b) => Number(b.mode === NO_FILE) - Number(a.mode === NO_FILE));
  const input = inOrder.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
  if (input !== '') {
    await run(['update-index', '-z', '--index-info'], { input, ...BYTES, ...(environment && { environment }) });
  }
}
