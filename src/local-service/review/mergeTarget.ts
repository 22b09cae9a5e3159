import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readStart } from '../../base/files';
import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { ALL_OF_STAT } from '../../git/flaggedFiles';
import { type Git, GitError, type GitOptions } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { CodedError } from '../codedText';

/** Why a branch was not merged. */
export class MergeRefusal extends CodedError {}

/** The commit that a job's work started from, and the branch that was checked out then; null when there was none. */
export interface MergeBase {
  commit: string;
  branch: string | null;
}

/** The branch of the user's repository that a job's work is merged into. */
export interface MergeTarget {
  /** The user's work tree. */
  folder: string;
  branch: string;
  /** The commit at the tip of the branch. */
  head: string;
  /** False for a branch that no work tree has checked out. */
  isCheckedOut: boolean;
  /** Runs git in the work tree without any program that the repository configures. Throws GitError. */
  run: (args: readonly string[], options?: GitOptions) => Promise<string>;
}

/** Files that git keeps in its directory while an operation is in progress. */
const UNFINISHED: readonly (readonly [file: string, operation: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/**
 * Finds the branch to merge into: the one that is checked out in `folder`, otherwise the one that the work is based on,
 * if no work tree has it checked out. Either must contain the commit that the work started from; otherwise the merge
 * would include commits that the page did not show. Throws MergeRefusal.
 *
 * @param branch the branch with the work, for error messages
 */
export async function findMergeTarget(git: Git, folder: string, base: MergeBase, branch: string): Promise<MergeTarget> {
  const run = await openWorkTree(git, folder);
  const current = await currentBranch(run);
  const head = (await run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '')).trim();
  // Merging the work into its own branch would change nothing and count as merged.
  const isOther = current !== '' && current !== branch;
  if (isOther && head !== '' && (await isAncestor(run, base.commit, head))) {
    return { folder, branch: current, head, isCheckedOut: true, run };
  }
  if (base.branch !== null && base.branch !== current) {
    const format = '--format=%(objectname) %(worktreepath)';
    const listed = await run(['for-each-ref', format, `refs/heads/${base.branch}`]);
    const [, tip = '', workTree = ''] = /^(\S+) (.*)$/m.exec(listed) ?? [];
    if (tip !== '' && workTree !== '') {
      throw new MergeRefusal(coded('checkedOutElsewhere', { target: base.branch, folder: workTree, branch }));
    }
    if (tip !== '' && (await isAncestor(run, base.commit, tip))) {
      if (await isBeingRebased(base.branch, run)) {
        throw new MergeRefusal(coded('rebaseUnfinished', { branch: base.branch }));
      }
      return { folder, branch: base.branch, head: tip, isCheckedOut: false, run };
    }
  }
  if (current === '' || head === '') {
    throw new MergeRefusal(coded('noBranchCheckedOut', { folder, branch }));
  }
  const commit = base.commit.slice(0, 10);
  throw new MergeRefusal(coded('startNotContained', { target: current, commit, branch }));
}

/** Returns how to run git in the work tree. Throws MergeRefusal while another operation is in progress there. */
export async function openWorkTree(git: Git, folder: string): Promise<MergeTarget['run']> {
  const run = await hardenedGit(git, folder);
  await refuseUnfinished(folder, run);
  return run;
}

/** Returns the branch that is checked out; empty if there is none. */
export async function currentBranch(run: MergeTarget['run']): Promise<string> {
  return (await run(['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => '')).trim();
}

/** Returns whether `descendant` is the same commit as `ancestor` or descends from it. */
export async function isAncestor(run: MergeTarget['run'], ancestor: string, descendant: string): Promise<boolean> {
  try {
    await run(['merge-base', '--is-ancestor', ancestor, descendant]);
    return true;
  } catch (error) {
    // Exit code 1 means no, 128 that one of the commits is missing.
    if (error instanceof GitError && error.exitCode !== undefined) {
      return false;
    }
    throw error;
  }
}

async function refuseUnfinished(folder: string, run: MergeTarget['run']): Promise<void> {
  const paths = await run(['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir']).catch(
    (error: unknown) => {
      throw error instanceof GitError ? new MergeRefusal(coded('gitSaid', { words: error.message })) : error;
    },
  );
  const [topLevel = '', gitDir = ''] = paths.split('\n');
  if ((await realpath(topLevel).catch(() => '')) !== folder) {
    // `core.worktree` would make git write somewhere else.
    throw new MergeRefusal(coded('workTreeElsewhere', { folder }));
  }
  for (const [file, operation] of UNFINISHED) {
    if ((await stat(join(gitDir, file)).catch(() => undefined)) !== undefined) {
      throw new MergeRefusal(coded('operationUnfinished', { operation }));
    }
  }
  const lock = join(gitDir, 'index.lock');
  if ((await stat(lock).catch(() => undefined)) !== undefined) {
    throw new MergeRefusal(coded('otherGitCommand', { file: lock }));
  }
}

/** How much is read of a file with the name of a branch, in bytes. */
const MAX_NAME = 4096;

/** During a rebase, git does not list the branch as checked out, but overwrites it at the end. */
export async function isBeingRebased(branch: string, run: MergeTarget['run']): Promise<boolean> {
  const common = (await run(['rev-parse', '--path-format=absolute', '--git-common-dir'])).trim();
  const linked = await readdir(join(common, 'worktrees')).catch(() => []);
  for (const gitDir of [common, ...linked.map((name) => join(common, 'worktrees', name))]) {
    for (const operation of ['rebase-merge', 'rebase-apply']) {
      const name = await readStart(join(gitDir, operation, 'head-name'), MAX_NAME);
      if (name?.trim() === `refs/heads/${branch}`) {
        return true;
      }
    }
  }
  return false;
}

/** Keeps the user's own line ending settings, since they determine what git treats as a change. */
async function hardenedGit(git: Git, folder: string): Promise<MergeTarget['run']> {
  const settings = [...ALL_OF_STAT];
  for (const key of ['core.autocrlf', 'core.eol']) {
    const value = await git.configured(folder, key);
    if (value !== undefined) {
      settings.push('-c', `${key}=${value}`);
    }
  }
  const place = await disableRepositoryPrograms(git, { folder }).catch((error: unknown) => {
    throw error instanceof GitError ? new MergeRefusal(coded('gitSaid', { words: error.message })) : error;
  });
  return (args, options) => git.run(place, [...settings, ...args], options);
}
