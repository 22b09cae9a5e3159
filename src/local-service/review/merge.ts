import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { GITLINK, parseRaw } from '../git/stageWork';
import type { Identity } from '../git/userRepository';
import { findMergeTarget, isAncestor, type MergeBase, MergeRefusal, type MergeTarget } from './mergeTarget';

export interface MergeOptions {
  /** The commit to merge. */
  commit: string;
  /** The name of its branch. */
  branch: string;
  jobId: string;
  author: Identity;
  base: MergeBase;
  /** The target branch and its commit as the page showed them; empty if there was none. */
  shown: { into: string; head: string };
}

/** The result of a merge. */
export interface MergeResult {
  kind: 'already' | 'fast-forward' | 'merge';
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
 * Merges a job's branch into the branch that the page showed. `git merge-tree` detects conflicts in memory. After that,
 * `git merge --ff-only` advances the branch and leaves uncommitted work alone. Runs no hook, filter, merge driver or
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
    if (await isAncestor(target.run, commit, target.head)) {
      return { kind: 'already', branch: target.branch };
    }
    await target.run(['cat-file', '-e', `${commit}^{commit}`]).catch(() => {
      throw new MergeRefusal(coded('workNotInRepository'));
    });
    refuseOther(target, shown);
    const isForward = await isAncestor(target.run, target.head, commit);
    const result = isForward ? commit : await mergeCommit(target, options);
    if (target.isCheckedOut) {
      await refuseUnsafe(target, result);
    }
    await moveForward(target, result, options);
    return { kind: isForward ? 'fast-forward' : 'merge', branch: target.branch };
  } catch (error) {
    throw error instanceof GitError ? new MergeRefusal(coded('notMerged', { words: error.message })) : error;
  }
}

export async function previewMerge(
  git: Git,
  folder: string,
  { commit, branch, base }: Pick<MergeOptions, 'commit' | 'branch' | 'base'>,
): Promise<MergePreview> {
  try {
    const { run, branch: into, head } = await findMergeTarget(git, folder, base, branch);
    if (await isAncestor(run, commit, head)) {
      return { into, head, text: coded('holdsAlready', { branch: into }) };
    }
    const isForward = await isAncestor(run, head, commit);
    return { into, head, text: coded(isForward ? 'movesForward' : 'getsMergeCommit', { branch: into }) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { into: '', head: '', text: error instanceof MergeRefusal ? error.coded : coded('plain', { text: words }) };
  }
}

/** Lists a few paths for a message. */
function formatPaths(paths: readonly string[]): CodedText {
  const shown = paths.slice(0, 3).map((path) => `“${path}”`);
  const count = paths.length - shown.length;
  const text = shown.join(', ');
  return count > 0 ? coded('pathsAndMore', { paths: text, count }) : coded('plain', { text });
}

function refuseOther({ branch, head }: MergeTarget, shown: MergeOptions['shown']): void {
  if (branch !== shown.into) {
    throw new MergeRefusal(coded('otherBranch', { branch }));
  }
  if (head !== shown.head) {
    throw new MergeRefusal(coded('branchChanged', { branch }));
  }
}

/** Creates the merge commit without touching the work tree. Returns its id. */
async function mergeCommit(target: MergeTarget, options: MergeOptions): Promise<string> {
  const { run, head } = target;
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', head, options.commit];
  const printed = await run(args).catch(async (error: unknown) => {
    throw error instanceof GitError ? await whyNotMerged(error, target, options) : error;
  });
  const tree = printed.split('\0', 1)[0] ?? '';
  const input = `Merge branch '${options.branch}'\n\nDocs-Agent-Job: ${options.jobId}\n`;
  const { name, email } = options.author;
  const environment = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, ...committer(options) };
  const commit = ['commit-tree', tree, '-p', head, '-p', options.commit, '-F', '-'];
  return (await run(commit, { input, environment })).trim();
}

async function whyNotMerged(error: GitError, target: MergeTarget, options: MergeOptions): Promise<MergeRefusal> {
  const { branch, commit } = options;
  if (error.exitCode === 129) {
    return new MergeRefusal(coded('gitTooOld', { branch }));
  }
  const isConflict = error.exitCode === 1;
  const files = isConflict ? [...new Set(splitPaths(error.output).slice(1))] : await changedByBoth(target, commit);
  // The exit code for a driver that can't be started depends on git's version.
  const driven = await findMergeDriverFiles(files, target.run);
  if (driven.length > 0) {
    return new MergeRefusal(coded('mergeDriver', { paths: formatPaths(driven) }));
  }
  if (!isConflict) {
    return new MergeRefusal(coded('notMergedCommand', { words: error.message, branch }));
  }
  return new MergeRefusal(
    files.length === 0 ? coded('conflicts', { branch }) : coded('conflictsIn', { paths: formatPaths(files), branch }),
  );
}

async function changedByBoth({ run, head }: MergeTarget, commit: string): Promise<string[]> {
  const mine = splitPaths(await run([...DIFF, `${commit}...${head}`, '--']));
  const theirs = new Set(splitPaths(await run([...DIFF, `${head}...${commit}`, '--'])));
  return mine.filter((path) => theirs.has(path));
}

/** Returns the files whose merge driver is configured by the repository. */
async function findMergeDriverFiles(paths: readonly string[], run: MergeTarget['run']): Promise<string[]> {
  const configured = (key: string): Promise<string | undefined> =>
    run(['config', '--get', key]).then(
      (value) => value.trim(),
      () => undefined,
    );
  const fallback = await configured('merge.default');
  const attributes = parseAttributes(await run(['check-attr', '-z', '--stdin', 'merge'], { input: joinPaths(paths) }));
  const driven: string[] = [];
  for (const { path, value } of attributes) {
    const driver = value === 'unspecified' ? fallback : value;
    if (driver !== undefined && (await configured(`merge.${driver}.driver`)) !== undefined) {
      driven.push(path);
    }
  }
  return driven;
}

/** Without `--ignore-submodules`, git would look into submodules, using the configuration of each. */
const DIFF = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];

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

/** Parses the output of `git check-attr -z` for one attribute. */
function parseAttributes(printed: string): { path: string; value: string }[] {
  const parts = printed.split('\0');
  return parts
    .map((path, index) => ({ path, value: parts[index + 2] ?? '' }))
    .filter(({ path }, index) => index % 3 === 0 && path !== '');
}

function splitPaths(printed: string): string[] {
  return printed.split('\0').filter((path) => path !== '');
}

function joinPaths(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
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

function committer({ author: { name, email } }: MergeOptions): Record<string, string> {
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
