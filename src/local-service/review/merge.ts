import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { MergedText } from '../git/commitMessage';
import type { Identity } from '../git/userRepository';
import { advanceBranch, refuseUnsafe } from './advanceBranch';
import { findMergeTarget, isAncestor, type MergeBase, MergeRefusal, type MergeTarget } from './mergeTarget';
import { findSquashed, mergedTree, mergeReason, squash } from './squash';

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

/** The expected result of a merge, for the page. Whether there are conflicts is left open. */
export interface MergePreview {
  text: CodedText;
  /** The branch to merge into and its commit; empty when there is none. */
  into: string;
  head: string;
  /** Whether something has to be done first, which the text says. */
  blocked?: boolean;
}

/** The identity for commits that only serve for comparisons. */
const NOBODY: Identity = { name: 'Docs Agent', email: 'docs-agent@localhost' };

/**
 * Merges a job's work as one commit into the branch that the user saw. `git merge-tree` detects conflicts in memory.
 * After that, `git merge --ff-only` advances the branch and leaves uncommitted work alone. Runs no hook, filter, merge driver or
 * other program that the repository configures.
 *
 * If killed, it leaves what a killed `git merge` leaves: at worst `.git/index.lock` or the lock of the branch, and
 * some files of the work, with the branch and the index unchanged. Throws MergeRefusal.
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
    const applied = target.isCheckedOut ? await refuseUnsafe(git, target, result) : [];
    await advanceBranch(target, result, { ...options, reason: mergeReason(branch), applied });
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
    const squashed = await findSquashed(target, base, jobId);
    if ((await isAncestor(run, commit, head)) || squashed === commit) {
      return { into, head, text: coded('holdsAlready', { branch: into }) };
    }
    const obstacle = await findObstacle(git, target, { commit, branch, author: NOBODY }, squashed);
    if (obstacle !== undefined) {
      return { into, head, text: obstacle, blocked: true };
    }
    const isForward = await isAncestor(run, head, commit);
    return { into, head, text: coded(isForward ? 'getsOneCommit' : 'getsOneCommitIfClean', { branch: into }) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { into: '', head: '', text: error instanceof MergeRefusal ? error.coded : coded('plain', { text: words }) };
  }
}

/** Returns what in the user's checkout prevents the merge. */
async function findObstacle(
  git: Git,
  target: MergeTarget,
  work: Pick<MergeOptions, 'commit' | 'branch' | 'author'>,
  squashed: string | undefined,
): Promise<CodedText | undefined> {
  try {
    const tree = target.isCheckedOut ? await mergedTree(target, work, squashed).catch(() => undefined) : undefined;
    await (tree && refuseUnsafe(git, target, tree));
    return undefined;
  } catch (error) {
    if (error instanceof MergeRefusal) {
      return error.coded;
    }
    throw error;
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
