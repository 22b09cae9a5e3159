import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Git, GitError, type RunGit } from '../../git/git';
import { findReplacedFolders, findReplacedSubmodules } from '../../git/obstacles';
import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import type { MergedWork } from '../../protocol/localService';
import { MERGED_REFS, type Identity } from '../git/userRepository';
import { committer, makeCommit, type MergedText, squashMessage } from '../git/jobBranch';
import { readCommitRules } from '../git/houseRules';
import { isAncestor, mergeTree, splitPaths, standIn, treeOf } from '../git/takeIn';
import { shownPath, shownPaths } from '../text';
import {
  currentBranch,
  findCommit,
  findMergeTarget,
  findSquashed,
  MergeRefusal,
  type MergeTarget,
  openWorkTree,
  type Work,
} from './mergeTarget';

export interface MergeOptions {
  author: Identity;
  /** @param isMore whether earlier work of the job is merged already */
  describe: (isMore: boolean) => Promise<MergedText>;
  /** Called if there is something that the user should know about the commit. */
  onNote?: (note: CodedText) => void;
  /** The commit, the target branch, and its commit as the user saw them. */
  shown: { commit: string; into: string; head: string };
}

/** The expected result of a merge. Whether git will refuse to change files is left open. */
export interface MergePreview {
  text: CodedText;
  /** The commit to merge. */
  commit: string;
  /** The branch to merge into and its commit; empty when there is none. */
  into: string;
  head: string;
  /** The branch that the merge would delete. */
  deletes: string | null;
}

export async function previewMerge(git: Git, folder: string, work: Work): Promise<MergePreview> {
  try {
    const target = await findMergeTarget(git, folder, work);
    const { run, branch: into, head } = target;
    const commit = await newestCommit(target, work);
    const deletes = (await isDeletable(run, work.branch, commit)) ? work.branch : null;
    const squashed = await findSquashed(target, work);
    const isMerged = squashed === commit || (await isAncestor(run, commit, head));
    await (isMerged || mergedTree(target, { ...work, commit }, squashed));
    const code = isMerged ? 'holdsAlready' : 'getsOneCommit';
    return { commit, into, head, deletes, text: coded(code, { branch: into }) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const text = error instanceof MergeRefusal ? error.coded : coded('plain', { text: words });
    return { commit: work.commit, into: '', head: '', deletes: null, text };
  }
}

/**
 * Merges a job's work as one commit into the branch that the user saw, and deletes the job's branch. Git refuses to
 * overwrite anything of the user's. Runs no hook, filter, merge driver or other program that the repository configures.
 *
 * If killed, it leaves what a killed `git merge` leaves: at worst `.git/index.lock` or the lock of the branch, and
 * some files of the work, with the branch and the index unchanged. Safe to repeat. Throws MergeRefusal.
 *
 * @param folder the user's work tree
 */
export async function mergeWork(git: Git, folder: string, work: Work, options: MergeOptions): Promise<MergedWork> {
  const target = await findMergeTarget(git, folder, work);
  const { run, branch, head } = target;
  try {
    const commit = await newestCommit(target, work);
    const squashed = await findSquashed(target, work);
    if (squashed !== commit && !(await isAncestor(run, commit, head))) {
      const { shown, author, describe, onNote } = options;
      if ((await findCommit(run, commit)) === undefined) {
        throw new MergeRefusal(coded('workNotInRepository'));
      }
      if (commit !== shown.commit) {
        throw new MergeRefusal(coded('newerChanges'));
      }
      if (branch !== shown.into || head !== shown.head) {
        throw new MergeRefusal(coded('branchChanged', { branch }));
      }
      const tree = await mergedTree(target, { ...work, commit }, squashed);
      if (tree !== (await treeOf(run, head))) {
        await refuseUnsafe(git, folder, target, head, tree);
        const { rules, note: ignored } = await readCommitRules(run, work.base.commit);
        const { subjectPrefix, signOff } = rules;
        const style = { subjectPrefix, signOff: signOff === true ? author : undefined };
        const message = squashMessage(await describe(squashed !== undefined), work.jobId, work.commit, style);
        const made = await makeCommit(run, { tree, parents: [head], message, author }, () =>
          git.signing(folder, rules.sign),
        );
        await advance(target, made.id, { reason: `merge ${work.branch}`, author });
        const note = joinTexts(ignored, made.note);
        if (note !== undefined) {
          onNote?.(note);
        }
      }
    }
    const isDeleted = await deleteBranch(run, work, commit);
    return { branch, deleted: isDeleted ? { branch: work.branch, commit } : null };
  } catch (error) {
    throw await refusalOf(run, error, 'notMerged');
  }
}

/**
 * Moves the branch back to the commit before the work was merged, and restores the job's branch. Git refuses to overwrite
 * anything of the user's. Runs no program of the repository. Safe to repeat. Throws MergeRefusal.
 *
 * @param folder the user's work tree
 * @returns the branch that was moved back; undefined if no branch contains the merge
 */
export async function undoMerge(git: Git, folder: string, work: Work, author: Identity): Promise<string | undefined> {
  const { place, run } = await openWorkTree(git, folder);
  try {
    const merged = await findMerged(run, work);
    if (merged === undefined) {
      await restoreBranch(run, work);
      return undefined;
    }
    const { branch, isCheckedOut, merge, parent } = merged;
    const reason = `undo merge ${work.branch}`;
    const environment = { ...committer(author), GIT_REFLOG_ACTION: reason };
    if (isCheckedOut) {
      await refuseUnsafe(git, folder, { place, run }, merge, parent);
      await restoreBranch(run, work);
      const plain = ['--quiet', '--no-guess', '--no-track', '--no-recurse-submodules'];
      // `git reset --keep` does the same, but overwrites ignored files.
      await run(['switch', '--no-overwrite-ignore', ...plain, '-C', branch, parent], { environment });
    } else {
      await restoreBranch(run, work);
      await run(['update-ref', '-m', reason, `refs/heads/${branch}`, parent, merge], { environment });
    }
    return branch;
  } catch (error) {
    throw await refusalOf(run, error, 'notUndone');
  }
}

/** What to tell the user when git has failed. */
async function refusalOf(run: RunGit, error: unknown, code: 'notMerged' | 'notUndone'): Promise<unknown> {
  if (!(error instanceof GitError)) {
    return error;
  }
  const { message: words } = error;
  const hidden = words.includes('local changes')
    ? await findHiddenChange(run, words).catch(() => undefined)
    : undefined;
  return new MergeRefusal(hidden === undefined ? coded(code, { words }) : coded('changesHidden', hidden));
}

/**
 * Finds a file with changes that `git status` doesn't show, because of a flag.
 *
 * @param words in which git names the files
 */
async function findHiddenChange(run: RunGit, words: string): Promise<{ path: string; command: string } | undefined> {
  for (const entry of splitPaths(await run(['ls-files', '-v', '-z'], { bytes: true }))) {
    const tag = entry.charAt(0);
    const path = shownPath(Buffer.from(entry.slice(2), 'latin1'));
    const flag = /[Ss]/.test(tag) ? 'skip-worktree' : /[a-z]/.test(tag) ? 'assume-unchanged' : undefined;
    if (flag !== undefined && words.includes(path)) {
      return { path, command: `git update-index --no-${flag} "${path}"` };
    }
  }
  return undefined;
}

/**
 * Finds the merge at the end of the branch that is checked out, or of the one that the work is based on. Undefined if no
 * branch has it. Throws MergeRefusal if it can't be undone.
 */
async function findMerged(run: RunGit, { commit, base }: Work) {
  const dates = '%(authordate:unix) %(committerdate:unix)';
  const trailer = '%(contents:trailers:key=Docs-Agent-Commit,valueonly,separator=%2C)';
  const format = ['%(refname:lstrip=2)', '%(objectname)', '%(worktreepath)', dates, trailer].join('%00');
  const current = await currentBranch(run);
  const ends = (await run(['for-each-ref', `--format=${format}`, 'refs/heads']))
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([, , , , merged]) => merged?.trim() === commit);
  const end = ends.find(([name]) => name === current) ?? ends.find(([name]) => name === base.branch);
  if (end === undefined) {
    const ofWork = ['--basic-regexp', `--grep=^Docs-Agent-Commit: ${commit}$`];
    const merge = (
      await run(['rev-list', '--max-count=1', '--branches', ...ofWork, '--not', base.commit, '--'])
    ).trim();
    if (merge !== '') {
      const containing = ['for-each-ref', '--format=%(refname:lstrip=2)', `--contains=${merge}`, 'refs/heads'];
      const names = (await run(containing)).trim().split('\n');
      const branch = [current, base.branch].find((name) => names.includes(name ?? '')) ?? names[0] ?? '';
      throw new MergeRefusal(coded('undoLaterCommits', { branch, commit: merge.slice(0, 7) }));
    }
    return undefined;
  }
  const [branch = '', merge = '', folder = '', written = ''] = end;
  const about = { branch, commit: merge.slice(0, 7) };
  if (new Set(written.split(' ')).size > 1) {
    throw new MergeRefusal(coded('undoAmended', about));
  }
  if ((await run(['for-each-ref', '--count=1', `--contains=${merge}`, 'refs/remotes'])) !== '') {
    throw new MergeRefusal(coded('undoPushed', about));
  }
  if (branch !== current && folder !== '') {
    throw new MergeRefusal(coded('undoElsewhere', { branch, folder }));
  }
  return { branch, merge, isCheckedOut: branch === current, parent: (await findCommit(run, `${merge}^1`)) ?? '' };
}

/**
 * Returns the tip of the job's branch, with what the user has committed to it. Throws MergeRefusal for a branch that the
 * user has rewritten: merging the agent's commit would leave out theirs.
 */
async function newestCommit({ run, head }: MergeTarget, { branch, commit }: Work): Promise<string> {
  const tip = await findCommit(run, `refs/heads/${branch}`);
  if (tip === undefined || (await isAncestor(run, tip, commit)) || (await isAncestor(run, tip, head))) {
    return commit;
  }
  if (await isAncestor(run, commit, tip)) {
    return tip;
  }
  throw new MergeRefusal(coded('branchRewritten', { branch }));
}

/** Returns the tree that the target branch gets. Throws MergeRefusal. */
async function mergedTree(target: MergeTarget, work: Work, squashed: string | undefined): Promise<string> {
  const { run, head } = target;
  const { branch, commit, base } = work;
  let sides = [head, commit];
  if (squashed !== undefined && !(await isAncestor(run, squashed, head)) && (await isAncestor(run, squashed, commit))) {
    // For git, the branch and the work have nothing in common since the job began, and whatever was merged before would
    // conflict with itself. Stand-ins make it compare both sides with the state that was merged last.
    const root = await standIn(run, await treeOf(run, squashed));
    sides = await Promise.all(sides.map(async (side) => standIn(run, await treeOf(run, side), root)));
  }
  const [ours = '', theirs = ''] = sides;
  const { tree, conflicts } = await mergeTree(run, ours, theirs).catch((error: unknown) => {
    throw error instanceof GitError
      ? new MergeRefusal(coded('notMergedCommand', { words: error.message, branch }))
      : error;
  });
  if (conflicts.length > 0) {
    const paths = shownPaths(conflicts) ?? '';
    // A follow-up brings in the base, and no other branch.
    const isWithBase = target.branch === base.branch;
    throw new MergeRefusal(
      isWithBase
        ? coded('conflictsWithBase', { paths, base: target.branch, branch })
        : coded('conflictsIn', { paths, branch }),
    );
  }
  return tree;
}

/** Refuses what git would do without a word: delete others' work, or write what a filter has to convert. */
async function refuseUnsafe(
  git: Git,
  folder: string,
  { place, run }: Pick<MergeTarget, 'place' | 'run'>,
  from: string,
  to: string,
): Promise<void> {
  const refuse = (code: 'submodulesReplaced' | 'foldersReplaced' | 'filtered', paths: readonly string[]): void => {
    if (paths.length > 0) {
      const names = paths.map((path) => Buffer.from(path, 'latin1').toString());
      throw new MergeRefusal(coded(code, { paths: shownPaths(names) ?? '' }));
    }
  };
  refuse('submodulesReplaced', await findReplacedSubmodules(git, place, from, to));
  const listed = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to, '--'];
  const paths = await run(listed, { bytes: true });
  refuse('foldersReplaced', await findReplacedFolders(folder, splitPaths(paths)));
  refuse('filtered', await findFilteredFiles(git, folder, run, to, paths));
}

/** Returns those of the files that a filter converts when git writes them. */
async function findFilteredFiles(
  git: Git,
  folder: string,
  run: RunGit,
  tree: string,
  paths: string,
): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await run(['read-tree', tree], { environment });
    const own = `core.attributesFile=${await git.attributesFile(folder)}`;
    const check = ['-c', own, 'check-attr', '-z', '--cached', '--stdin', 'filter'];
    const printed = splitPaths(await run(check, { input: paths, bytes: true, environment }));
    // The path, the attribute, its value.
    return printed.filter((_, at) => at % 3 === 0 && !['unspecified', 'unset', 'set'].includes(printed[at + 2] ?? ''));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Fast-forwards the branch, and the work tree if it has the branch checked out. */
async function advance(
  { branch, head, isCheckedOut, run }: MergeTarget,
  commit: string,
  { reason, author }: { reason: string; author: Identity },
): Promise<void> {
  const environment = { ...committer(author), GIT_REFLOG_ACTION: reason };
  // Each option overrides the repository's configuration for merges.
  const plain = ['--no-squash', '--no-autostash', '--no-verify-signatures', '--no-gpg-sign', '--no-stat', '--quiet'];
  await run(
    isCheckedOut
      ? ['merge', '--ff-only', '--no-overwrite-ignore', ...plain, commit]
      : ['update-ref', '-m', reason, `refs/heads/${branch}`, commit, head],
    { environment },
  );
}

/** Deletes the branch of merged work, and keeps its commit under another name. Returns whether it was deleted. */
async function deleteBranch(run: RunGit, { branch, jobId }: Work, commit: string): Promise<boolean> {
  if (!(await isDeletable(run, branch, commit))) {
    return false;
  }
  // One transaction, which is refused if the branch has changed in the meantime. Without `no-deref`, a reference that
  // leads to another branch would delete that one.
  const commands = [`update ${MERGED_REFS}/${jobId} ${commit}`, `delete refs/heads/${branch} ${commit}`];
  const input = ['start', ...commands.flatMap((each) => ['option no-deref', each]), 'commit', ''].join('\n');
  return run(['update-ref', '--stdin'], { input }).then(
    () => true,
    () => false,
  );
}

/** Returns whether the branch still ends with the commit, and no work tree has it checked out. */
async function isDeletable(run: RunGit, branch: string, commit: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const listed = await run(['for-each-ref', '--format=%(refname) %(objectname)%(worktreepath)', ref]);
  return listed.split('\n').includes(`${ref} ${commit}`);
}

/** Creates the job's branch, unless it exists. */
async function restoreBranch(run: RunGit, { branch, jobId, commit }: Work): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await findCommit(run, ref)) === undefined) {
    const saved = (await findCommit(run, `${MERGED_REFS}/${jobId}`)) ?? (await findCommit(run, commit));
    if (saved === undefined) {
      throw new MergeRefusal(coded('workNotInRepository'));
    }
    // The empty value: only if it doesn't exist.
    await run(['update-ref', '--no-deref', ref, saved, '']);
  }
}
