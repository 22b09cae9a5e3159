import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { bytesPlace, changedFlaggedFiles, FLAGGED } from '../../git/flaggedFiles';
import type { Git } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { GITLINK, parseRaw, type RawEntry } from '../git/stageWork';
import { type AppliedFile, findApplied, NO_FILE, stageApplied } from './appliedFiles';
import type { MergeOptions } from './merge';
import { BYTES, DIFF, formatPaths, joinPaths, parseAttributes, splitPaths } from './mergePaths';
import { currentBranch, isAncestor, MergeRefusal, type MergeTarget } from './mergeTarget';
import { committer } from './squash';

/**
 * Refuses to touch files with uncommitted work, files that a filter such as Git LFS has to convert, submodules, and
 * other repositories.
 *
 * @param uncommitted the code of the message about uncommitted work
 * @returns files with uncommitted changes that already are as the commit would make them
 */
export async function refuseUnsafe(
  git: Git,
  target: MergeTarget,
  commit: string,
  uncommitted: 'uncommittedChanges' | 'undoUncommitted' = 'uncommittedChanges',
): Promise<AppliedFile[]> {
  const { folder, run, head } = target;
  const raw = ['-z', '--raw', '--no-abbrev', '--no-renames'];
  // Comparing two trees does not look into submodules.
  const changes = parseRaw(
    await run(['diff-tree', '-r', ...raw, '--ignore-submodules=none', head, commit, '--'], BYTES),
  );
  const submodules = changes.filter(({ oldMode, mode }) => oldMode === GITLINK || mode === GITLINK);
  if (submodules.length > 0) {
    const paths = formatPaths(submodules.map(({ path }) => path));
    // Where a file replaces a submodule, git deletes the submodule with all its uncommitted work.
    throw new MergeRefusal(coded('submodulesChanged', { paths }));
  }
  const dirty = new Set(splitPaths(await run([...DIFF, head, '--'], BYTES)));
  const place = await disableRepositoryPrograms(git, { folder });
  // For git, a file outside of a sparse checkout is unchanged, whatever is in it.
  (await changedFlaggedFiles(git, place, FLAGGED)).forEach((path) => dirty.add(path));
  const inIndex = parseRaw(await run(['diff-index', '--cached', ...raw, '--ignore-submodules=all', head, '--'], BYTES));
  const staged = new Map(inIndex.map((entry) => [entry.path, entry]));
  const added = changes.filter(({ oldMode }) => oldMode === NO_FILE);
  const isInTheWay = await Promise.all(added.map(({ path }) => holdsOthersWork(bytesPlace(folder, path))));
  const inTheWay = added.filter((_, index) => isInTheWay[index]);
  const own = changes.filter(({ path }) => dirty.has(path) || staged.has(path));
  const applied = await findApplied(target, new Set([...own, ...inTheWay]), staged);
  const isLeft = ({ path }: RawEntry): boolean => !applied.some((file) => file.path === path);
  for (const [code, entries] of [
    [uncommitted, own],
    ['wouldBeOverwritten', inTheWay],
  ] as const) {
    const paths = entries.filter(isLeft).map(({ path }) => path);
    if (paths.length > 0) {
      throw new MergeRefusal(coded(code, { paths: formatPaths(paths) }));
    }
  }
  const changed = changes.map(({ path }) => path);
  const filtered = await findFilteredFiles(changed, target, commit, await git.attributesFile(folder));
  if (filtered.length > 0) {
    throw new MergeRefusal(coded('filtered', { paths: formatPaths(filtered) }));
  }
  return applied;
}

/** Whether a new file would replace a file, or a folder with a repository in it. Git itself refuses for other folders. */
async function holdsOthersWork(place: string | Buffer): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    return found !== undefined;
  }
  const names = await readdir(place.toString(), { recursive: true }).catch(() => ['.git']);
  return names.some((name) => /(^|[/\\])\.git$/i.test(name));
}

/** Returns the files that have a filter, by the user's own attributes and those of the work tree or of a commit. */
async function findFilteredFiles(
  paths: readonly string[],
  { run }: MergeTarget,
  commit: string,
  own: string,
): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') };
  const input = { input: joinPaths(paths), ...BYTES };
  try {
    await run(['read-tree', commit], { environment });
    const check = ['-c', `core.attributesFile=${own}`, 'check-attr', '-z', '--stdin'];
    const here = await run([...check, 'filter'], input);
    const there = await run([...check, '--cached', 'filter'], { ...input, environment });
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
 * Throws MergeRefusal if another branch was checked out in the meantime.
 *
 * @param options the reason for the reflog, and the files that already are as in the commit
 */
export async function advanceBranch(
  { branch, head, isCheckedOut, run }: MergeTarget,
  commit: string,
  { author, reason, applied }: Pick<MergeOptions, 'author'> & { reason: string; applied: readonly AppliedFile[] },
): Promise<void> {
  const environment = { ...committer(author), GIT_REFLOG_ACTION: reason };
  if (!isCheckedOut) {
    await run(['update-ref', '-m', reason, `refs/heads/${branch}`, commit, head], { environment });
    return;
  }
  // Each option overrides the repository's configuration for merges.
  const plain = ['--no-squash', '--no-autostash', '--no-verify-signatures', '--no-gpg-sign', '--no-stat', '--quiet'];
  const merge = ['merge', '--ff-only', '--no-overwrite-ignore', ...plain, commit];
  await stageApplied(run, applied, () => run(merge, { environment }));
  // `git merge` advances whatever is checked out, which the user may have switched since the checks.
  if (!(await isAncestor(run, commit, `refs/heads/${branch}`))) {
    throw new MergeRefusal(coded('branchSwitched', { branch, other: (await currentBranch(run)) || 'HEAD' }));
  }
}
