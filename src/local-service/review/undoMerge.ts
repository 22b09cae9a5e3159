import { type Git, GitError } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { advanceBranch, refuseUnsafe } from './advanceBranch';
import type { AppliedFile } from './appliedFiles';
import type { MergeOptions } from './merge';
import { currentBranch, isBeingRebased, MergeRefusal, type MergeTarget, openWorkTree } from './mergeTarget';
import { committer, commitTree, findSquashed, mergedTree, mergeReason, squashesOf, treeOf } from './squash';

type UndoOptions = Pick<MergeOptions, 'commit' | 'branch' | 'jobId' | 'base' | 'author'>;

/** The maximum number of merges of the same work that are considered, such as cherry-picked ones. */
const MAX_MERGES = 20;
/** How much of a branch's reflog is read, in entries. */
const MAX_REFLOG = 1_000;
/** Marks a branch that the work was merged into, rather than one that is only likely. */
const MERGED_INTO = 3;

/**
 * Undoes what `mergeWork` did: restores the job's branch, and moves the other branch back by one commit, if that commit
 * is the merge, unchanged and not pushed. Leaves uncommitted work alone and runs no program of the repository. Safe to
 * repeat. Throws MergeRefusal.
 *
 * @param folder the user's work tree
 * @returns the branch that was moved back; undefined if no branch contains the merge
 */
export async function undoMerge(git: Git, folder: string, options: UndoOptions): Promise<string | undefined> {
  const run = await openWorkTree(git, folder);
  try {
    const target = await findMerged(folder, run, options);
    const before = target && (await checkedParent(git, target, options));
    await restoreBranch(run, options);
    if (target !== undefined && before !== undefined) {
      await moveBack(target, before, options);
    }
    return target?.branch;
  } catch (error) {
    throw error instanceof GitError ? new MergeRefusal(coded('notUndone', { words: error.message })) : error;
  }
}

/** Finds the branch that the work was merged into. */
async function findMerged(
  folder: string,
  run: MergeTarget['run'],
  { jobId, commit, branch, base }: UndoOptions,
): Promise<MergeTarget | undefined> {
  const range = ['--branches', '--not', base.commit, '--'];
  const found = await run(['rev-list', `--max-count=${MAX_MERGES}`, ...squashesOf(jobId, `${commit}$`), ...range]);
  const merges = found.split('\n').filter((line) => line !== '');
  if (merges.length === 0) {
    return undefined;
  }
  const format = '--format=%(objectname) %(refname:lstrip=2)%00%(worktreepath)';
  const listed = await run(['for-each-ref', format, ...merges.map((each) => `--contains=${each}`), 'refs/heads']);
  const branches = [...listed.matchAll(/^(\S+) ([^\0]+)\0(.*)$/gm)].map(([, head = '', name = '', workTree = '']) => ({
    ...{ head, name, workTree },
  }));
  const current = await currentBranch(run);
  // Branches that were created from it later have the merge, too.
  const marks = await Promise.all(
    branches.map(async ({ name }) =>
      (await wasMergedInto(run, name, branch)) ? MERGED_INTO : [base.branch, current].indexOf(name) + 1,
    ),
  );
  const best = Math.max(...marks);
  const chosen = branches[marks.indexOf(best)];
  if (chosen === undefined || (best < MERGED_INTO && (await wasUndone(run, merges, branch)))) {
    return undefined;
  }
  const { head, name, workTree } = chosen;
  if (workTree !== '' && name !== current) {
    throw new MergeRefusal(coded('undoElsewhere', { branch: name, folder: workTree }));
  }
  if (name !== current && (await isBeingRebased(name, run))) {
    throw new MergeRefusal(coded('rebaseUnfinished', { branch: name }));
  }
  return { folder, branch: name, head, isCheckedOut: name === current, run };
}

/** Returns whether a branch's reflog has a merge of the job's branch. */
async function wasMergedInto(run: MergeTarget['run'], name: string, branch: string): Promise<boolean> {
  const args = ['log', '--walk-reflogs', `--max-count=${MAX_REFLOG}`, '--format=%gs', `refs/heads/${name}`, '--'];
  const reasons = (await run(args).catch(() => '')).split('\n');
  return reasons.some((reason) => reason === mergeReason(branch) || reason.startsWith(`${mergeReason(branch)}:`));
}

/** Returns whether one of the merges was undone on some branch, such as by an undo that was killed at its end. */
async function wasUndone(run: MergeTarget['run'], merges: readonly string[], branch: string): Promise<boolean> {
  const greps = merges.map((merge) => `--grep-reflog=^${undoReason(branch, merge)}$`);
  const newest = ['--walk-reflogs', '--branches', '--max-count=1', '--format=%gs'];
  const found = await run(['log', ...newest, '--basic-regexp', ...greps, '--']).catch(() => '');
  return found !== '';
}

/** What the reflog says about undoing a merge. */
function undoReason(branch: string, merge: string): string {
  return `undo ${mergeReason(branch)}: ${merge}`;
}

/** A merge that can be undone. The branch ends with it, or with the commit that reverts it. */
interface Undoable {
  merge: string;
  /** The commit before the merge. */
  parent: string;
  /** Files that already are as in `parent`. */
  applied: AppliedFile[];
}

/** Returns the commit before the merge, if the branch can be moved there. Throws MergeRefusal. */
async function checkedParent(git: Git, target: MergeTarget, options: UndoOptions): Promise<Undoable> {
  const { run, head, branch } = target;
  const { jobId, commit, base } = options;
  const newest = ['rev-list', '--max-count=1', ...squashesOf(jobId, `${commit}$`), `${base.commit}..${head}`, '--'];
  const merge = (await run(newest)).trim();
  const told = { branch, commit: merge.slice(0, 7) };
  if (merge !== head && !(await isRevertOf(merge, target, options))) {
    throw new MergeRefusal(coded('undoLaterCommits', told));
  }
  const pushed = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${merge}`, 'refs/remotes'];
  if ((await run(pushed)) !== '') {
    throw new MergeRefusal(coded('undoPushed', told));
  }
  const parent = (await run(['rev-parse', '--verify', `${merge}^1`])).trim();
  const before = { run, head: parent };
  const tree = await mergedTree(before, options, await findSquashed(before, base, jobId)).catch((error: unknown) => {
    if (error instanceof MergeRefusal) {
      return undefined;
    }
    throw error;
  });
  // Otherwise, the user has amended the commit.
  if (tree !== (await treeOf(run, merge))) {
    throw new MergeRefusal(coded('undoAmended', told));
  }
  const movesFiles = target.isCheckedOut && merge === head;
  return { merge, parent, applied: movesFiles ? await refuseUnsafe(git, target, parent, 'undoUncommitted') : [] };
}

/** Returns whether the branch ends with the commit that an undo leaves when it is killed before its last step. */
async function isRevertOf(merge: string, { run, head }: MergeTarget, { branch }: UndoOptions): Promise<boolean> {
  const commit = await run(['rev-list', '--max-count=1', '--format=%P %T %B', head, '--']);
  const tree = await treeOf(run, `${merge}^1`);
  return commit.trimEnd() === `commit ${head}\n${merge} ${tree} ${revertMessage(branch)}`;
}

function revertMessage(branch: string): string {
  return `Undo the merge of ${branch}`;
}

/** Creates the job's branch, unless it exists. */
async function restoreBranch(run: MergeTarget['run'], { branch, commit }: UndoOptions): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await run(['rev-parse', '--verify', '--quiet', ref]).catch(() => '')) !== '') {
    return;
  }
  await run(['cat-file', '-e', `${commit}^{commit}`]).catch(() => {
    throw new MergeRefusal(coded('workNotInRepository'));
  });
  // The empty value: only if it doesn't exist.
  await run(['update-ref', '--no-deref', ref, commit, '']);
}

/**
 * Moves the branch by way of a commit that reverts the merge, because git protects ignored files only when it moves
 * forward. If killed, it leaves at worst what a killed `git merge` leaves, or that commit, and can be repeated.
 */
async function moveBack(
  target: MergeTarget,
  { merge, parent, applied }: Undoable,
  options: UndoOptions,
): Promise<void> {
  const { run, branch, head, isCheckedOut } = target;
  const reason = undoReason(options.branch, merge);
  let from = head;
  if (isCheckedOut && head === merge) {
    const message = `${revertMessage(options.branch)}\n`;
    from = await commitTree(target, options, await treeOf(run, parent), head, message);
    await advanceBranch(target, from, { author: options.author, reason, applied });
  }
  const environment = committer(options.author);
  await run(['update-ref', '-m', reason, `refs/heads/${branch}`, parent, from], { environment });
}
