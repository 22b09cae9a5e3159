import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { MergedText } from '../git/commitMessage';
import { GITLINK, parseRaw } from '../git/stageWork';
import type { Identity } from '../git/userRepository';
import { DIFF, formatPaths, joinPaths, parseAttributes, splitPaths } from './mergePaths';
import { findMergeTarget, isAncestor, type MergeBase, MergeRefusal, type MergeTarget } from './mergeTarget';
import { committer, findSquashed, squash } from './squash';

export interface MergeOptions {
  /** The commit to merge. */
  commit: string;
  /** The name of its branch. */
  branch: string;
  jobId: string;
  author: Identity;
  /** @param isMore whether earlier work of the job is merged already */
  describe: (isMore: boolean) => Promise<MergedText>;
  base: MergeBase;
  /** The target branch and its commit as the page showed them; empty if there was none. */
  shown: { into: string; head: string };
}

/** The result of a merge. */
export interface MergeResult {
  kind: 'already' | 'merged';
  /** The branch that now contains the work. */
  branch: string;
}

/** The expected result of a merge, for the page. The merge itself is not attempted. */
export interface MergePreview {
  text: CodedText;
  /** The branch to merge into and its commit; empty when there is none. */
  into: string;
  head: string;
}

/**
 * Merges a job's work as one commit into the branch that the user saw. `git merge-tree` detects conflicts in memory.
 * After that, `git merge --ff-only` advances the branch and leaves uncommitted work alone. Runs no hook, filter, merge driver or
 * other program that the repository configures.
 *
 * If killed, it leaves what a killed `git merge` leaves: at worst `.git/index.lock` and some files of the work, with
 * the branch and the index unchanged. Throws MergeRefusal.
 *
 * @param folder the user's work tree
 */
export async function mergeWork(git: Git, folder: string, options: MergeOptions): Promise<MergeResult> {
  const { commit, base, branch, shown } = options;
  const target = await findMergeTarget(git, folder, base, branch);
  try {
    await refuseOwnCommits(target, options);
    const squashed = await findSquashed(target, base, options.jobId);
    if (squashed === commit || (await isAncestor(target.run, commit, target.head))) {
      return { kind: 'already', branch: target.branch };
    }
    await target.run(['cat-file', '-e', `${commit}^{commit}`]).catch(() => {
      throw new MergeRefusal(coded('workNotInRepository'));
    });
    refuseOther(target, shown);
    const result = await squash(target, options, squashed);
    if (result === undefined) {
      return { kind: 'already', branch: target.branch };
    }
    if (target.isCheckedOut) {
      await refuseUnsafe(target, result);
    }
    await moveForward(target, result, options);
    return { kind: 'merged', branch: target.branch };
  } catch (error) {
    throw error instanceof GitError ? new MergeRefusal(coded('notMerged', { words: error.message })) : error;
  }
}

export async function previewMerge(
  git: Git,
  folder: string,
  { commit, branch, jobId, base }: Pick<MergeOptions, 'commit' | 'branch' | 'jobId' | 'base'>,
): Promise<MergePreview> {
  try {
    const target = await findMergeTarget(git, folder, base, branch);
    const { run, branch: into, head } = target;
    await refuseOwnCommits(target, { branch, commit });
    if ((await isAncestor(run, commit, head)) || (await findSquashed(target, base, jobId)) === commit) {
      return { into, head, text: coded('holdsAlready', { branch: into }) };
    }
    const isForward = await isAncestor(run, head, commit);
    return { into, head, text: coded(isForward ? 'getsOneCommit' : 'getsOneCommitIfClean', { branch: into }) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { into: '', head: '', text: error instanceof MergeRefusal ? error.coded : coded('plain', { text: words }) };
  }
}

function refuseOther({ branch, head }: MergeTarget, shown: MergeOptions['shown']): void {
  if (branch !== shown.into) {
    throw new MergeRefusal(coded('otherBranch', { branch }));
  }
  if (head !== shown.head) {
    throw new MergeRefusal(coded('branchChanged', { branch }));
  }
}

/** Refuses to leave out what the user has committed to the job's branch, which the editor shows with the work. */
async function refuseOwnCommits(
  { run, head }: MergeTarget,
  { branch, commit }: Pick<MergeOptions, 'branch' | 'commit'>,
): Promise<void> {
  const name = `refs/heads/${branch}`;
  const tip = (await run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).catch(() => '')).trim();
  if (tip !== '' && !(await isAncestor(run, tip, commit)) && !(await isAncestor(run, tip, head))) {
    throw new MergeRefusal(coded('branchHasOwnCommits', { branch }));
  }
}

/** Refuses to touch files with uncommitted work, files that a filter such as Git LFS has to convert, and submodules. */
async function refuseUnsafe({ folder, run, head }: MergeTarget, commit: string): Promise<void> {
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
    throw new MergeRefusal(coded('uncommittedChanges', { paths: formatPaths(own) }));
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

/** Fast-forwards the branch, and the work tree if it has the branch checked out, to a descendant commit. */
async function moveForward(target: MergeTarget, commit: string, options: MergeOptions): Promise<void> {
  const { branch, head, isCheckedOut, run } = target;
  const reason = `merge ${options.branch}`;
  const environment = { ...committer(options), GIT_REFLOG_ACTION: reason };
  if (!isCheckedOut) {
    await run(['update-ref', '-m', reason, `refs/heads/${branch}`, commit, head], { environment });
    return;
  }
  // Each option overrides the repository's configuration for merges.
  const plain = ['--no-squash', '--no-autostash', '--no-verify-signatures', '--no-gpg-sign', '--no-stat', '--quiet'];
  await run(['merge', '--ff-only', '--no-overwrite-ignore', ...plain, commit], { environment });
}
