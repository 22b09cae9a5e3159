import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coded } from '../../protocol/codedText';
import { GITLINK, parseRaw } from '../git/stageWork';
import type { MergeOptions } from './merge';
import { DIFF, formatPaths, joinPaths, parseAttributes, splitPaths } from './mergePaths';
import { MergeRefusal, type MergeTarget } from './mergeTarget';
import { committer } from './squash';

/**
 * Refuses to touch files with uncommitted work, files that a filter such as Git LFS has to convert, and submodules.
 *
 * @param uncommitted the code of the message about uncommitted work
 */
export async function refuseUnsafe(
  { folder, run, head }: MergeTarget,
  commit: string,
  uncommitted: 'uncommittedChanges' | 'undoUncommitted' = 'uncommittedChanges',
): Promise<void> {
  const differing = async (...args: string[]): Promise<string[]> => splitPaths(await run([...DIFF, ...args, '--']));
  // Comparing two trees does not look into submodules.
  const raw = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none', head, commit, '--'];
  const submodules = parseRaw(await run(raw)).filter(({ oldMode, mode }) => oldMode === GITLINK || mode === GITLINK);
  if (submodules.length > 0) {
    const paths = formatPaths(submodules.map(({ path }) => path));
    // Where a file replaces a submodule, git deletes the submodule with all its uncommitted work.
    throw new MergeRefusal(coded('submodulesChanged', { paths }));
  }
  const changed = await differing(head, commit);
  const dirty = new Set(await differing(head));
  const staged = new Set(await differing('--cached', head));
  const own = changed.filter((path) => dirty.has(path) || staged.has(path));
  if (own.length > 0) {
    throw new MergeRefusal(coded(uncommitted, { paths: formatPaths(own) }));
  }
  const added = await differing('--diff-filter=A', head, commit);
  const found = await Promise.all(added.map((path) => lstat(join(folder, path)).catch(() => undefined)));
  const inTheWay = added.filter((_, index) => found[index]?.isDirectory() === false);
  if (inTheWay.length > 0) {
    throw new MergeRefusal(coded('wouldBeOverwritten', { paths: formatPaths(inTheWay) }));
  }
  const filtered = await findFilteredFiles(changed, run, commit);
  if (filtered.length > 0) {
    throw new MergeRefusal(coded('filtered', { paths: formatPaths(filtered) }));
  }
}

/** Returns the files that have a filter, by the attributes of the work tree or of a commit. */
async function findFilteredFiles(paths: readonly string[], run: MergeTarget['run'], commit: string): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') };
  const input = joinPaths(paths);
  try {
    await run(['read-tree', commit], { environment });
    const here = await run(['check-attr', '-z', '--stdin', 'filter'], { input });
    const there = await run(['check-attr', '--cached', '-z', '--stdin', 'filter'], { input, environment });
    const filtered = parseAttributes(here + there).filter(
      ({ value }) => !['unspecified', 'unset', 'set'].includes(value),
    );
    return [...new Set(filtered.map(({ path }) => path))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Fast-forwards the branch, and the work tree if it has the branch checked out, to a descendant commit.
 *
 * @param reason for the reflog
 */
export async function advanceBranch(
  { branch, head, isCheckedOut, run }: MergeTarget,
  commit: string,
  { author, reason }: Pick<MergeOptions, 'author'> & { reason: string },
): Promise<void> {
  const environment = { ...committer(author), GIT_REFLOG_ACTION: reason };
  if (!isCheckedOut) {
    await run(['update-ref', '-m', reason, `refs/heads/${branch}`, commit, head], { environment });
    return;
  }
  // Each option overrides the repository's configuration for merges.
  const plain = ['--no-squash', '--no-autostash', '--no-verify-signatures', '--no-gpg-sign', '--no-stat', '--quiet'];
  await run(['merge', '--ff-only', '--no-overwrite-ignore', ...plain, commit], { environment });
}
