import { addSettings, withUserFileSettings } from '../../git/repositorySettings';
import { branchOf, type Git, GitError, type GitPlace, type RunGit } from '../../git/git';
import { findUnfinishedOperation } from '../../git/obstacles';
import { coded } from '../../protocol/codedText';
import { CodedError } from '../codedText';
import { isAncestor } from '../git/takeIn';

/** Why a branch was not merged. */
export class MergeRefusal extends CodedError {}

/** What a job has done. */
export interface Work {
  jobId: string;
  branch: string;
  commit: string;
  /** The commit that the work started from, and the branch that was checked out then; null when there was none. */
  base: { commit: string; branch: string | null };
}

/** The branch of the user's repository that a job's work is merged into. */
export interface MergeTarget {
  place: GitPlace;
  /** Runs git in the user's work tree without any program that the repository configures. */
  run: RunGit;
  branch: string;
  /** The commit at the tip of the branch. */
  head: string;
  /** False for a branch that no work tree has checked out. */
  isCheckedOut: boolean;
}

/** Otherwise, the repository could make git take changed files for unchanged: by date, or outside of a sparse checkout. */
const LOOK_AT_ALL = [
  ['core.checkStat', 'default'],
  ['core.trustctime', 'true'],
  ['sparse.expectFilesOutsideOfPatterns', 'false'],
] as const;

/** @param folder the user's work tree. Throws MergeRefusal while another operation is in progress there */
export async function openWorkTree(git: Git, folder: string): Promise<Pick<MergeTarget, 'place' | 'run'>> {
  try {
    const place = addSettings(await withUserFileSettings(git, folder), LOOK_AT_ALL);
    const operation = await findUnfinishedOperation(git, place);
    if (operation !== undefined) {
      throw new MergeRefusal(coded('operationUnfinished', { operation }));
    }
    return { place, run: (args, options) => git.run(place, args, options) };
  } catch (error) {
    throw error instanceof GitError ? new MergeRefusal(coded('gitSaid', { words: error.message })) : error;
  }
}

/**
 * Finds the branch to merge into: the one that is checked out in `folder`, otherwise the one that the work is based on,
 * if no work tree has it checked out. Either must contain the commit that the work started from; otherwise the merge
 * would include commits that the user did not see. Throws MergeRefusal.
 */
export async function findMergeTarget(git: Git, folder: string, { branch, base }: Omit<Work, 'commit'>) {
  const { place, run } = await openWorkTree(git, folder);
  const current = await currentBranch(run);
  const head = (await findCommit(run, 'HEAD')) ?? '';
  // Merging the work into its own branch would change nothing and count as merged.
  if (current !== '' && current !== branch && head !== '' && (await isAncestor(run, base.commit, head))) {
    return { place, run, branch: current, head, isCheckedOut: true };
  }
  if (base.branch !== null && base.branch !== current) {
    const format = '--format=%(objectname) %(worktreepath)';
    const listed = await run(['for-each-ref', format, `refs/heads/${base.branch}`]);
    const [, tip = '', workTree = ''] = /^(\S+) (.*)$/m.exec(listed) ?? [];
    if (tip !== '' && workTree !== '') {
      throw new MergeRefusal(coded('checkedOutElsewhere', { target: base.branch, folder: workTree, branch }));
    }
    if (tip !== '' && (await isAncestor(run, base.commit, tip))) {
      return { place, run, branch: base.branch, head: tip, isCheckedOut: false };
    }
  }
  if (current === '' || head === '') {
    throw new MergeRefusal(coded('noBranchCheckedOut', { folder, branch }));
  }
  const commit = base.commit.slice(0, 10);
  throw new MergeRefusal(coded('startNotContained', { target: current, commit, branch }));
}

/** Returns the branch that is checked out; empty if there is none. */
export async function currentBranch(run: RunGit): Promise<string> {
  return branchOf(await run(['symbolic-ref', '--quiet', 'HEAD']).catch(() => ''));
}

export async function findCommit(run: RunGit, name: string): Promise<string | undefined> {
  return (await run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).catch(() => '')).trim() || undefined;
}

/**
 * Returns the newest commit of a job that the target branch has as part of a squashed one; undefined if there is none.
 * Read from the branch's own history, so that it follows when the user resets the branch.
 */
export async function findSquashed(
  { run, head }: Pick<MergeTarget, 'run' | 'head'>,
  { jobId, base }: Pick<Work, 'jobId' | 'base'>,
): Promise<string | undefined> {
  const ofJob = ['--basic-regexp', '--all-match', `--grep=^Docs-Agent-Job: ${jobId}$`, '--grep=^Docs-Agent-Commit: '];
  const format = '--format=%(trailers:key=Docs-Agent-Commit,valueonly)';
  const printed = await run(['rev-list', '--max-count=1', format, ...ofJob, `${base.commit}..${head}`, '--']);
  return /^[0-9a-f]{40,64}$/m.exec(printed)?.[0];
}

/**
 * Returns the commit to compare a job's work with, so that nothing is shown again that the user's branch has already:
 * the newest commit of the job that was merged, otherwise the one that the work started from. When all of it is merged,
 * everything is shown.
 *
 * @param folder the user's work tree
 */
export async function findShownBase(git: Git, folder: string, work: Work): Promise<string> {
  const { commit, base } = work;
  try {
    const printed = await git.run({ folder }, ['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD']);
    const [head, ref = ''] = printed.split('\n');
    if (head === base.commit && ref.startsWith('refs/heads/') && branchOf(ref) !== work.branch) {
      // As it was at the start, so nothing is merged.
      return base.commit;
    }
    const target = await findMergeTarget(git, folder, work);
    const merged = (await findSquashed(target, work)) ?? (await target.run(['merge-base', target.head, commit])).trim();
    return merged !== commit && (await isAncestor(target.run, merged, commit)) ? merged : base.commit;
  } catch (error) {
    // Without a branch to merge into, there is no way to tell what is merged.
    if (error instanceof MergeRefusal || error instanceof GitError) {
      return base.commit;
    }
    throw error;
  }
}
