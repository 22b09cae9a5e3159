import { GitError } from '../../../git/git';
import type { Identity } from '../../git/userRepository';
import { branchName, type Checkout } from './checkout';
import { MergeRefusal, named } from './mergeRefusal';

export interface MergeWish {
  /** The commit to merge. */
  commit: string;
  /** The name of its branch. */
  branch: string;
  jobId: string;
  author: Identity;
  /** What the work was made from; no branch for a detached checkout. What is reviewed is all that came after it. */
  base: { commit: string; branch: string | null };
  /** The branch that its reader was told to merge into, and its commit then; empty where there was none. */
  shown: { into: string; head: string };
}

/** How the branch can be merged: already in, by moving forward, or by a commit with this tree. */
export type MergeKind = { kind: 'already' } | { kind: 'fast-forward' } | { kind: 'merge'; tree: string };

/** A place for objects that nobody may want, beside the repository's own. */
export interface Quarantine {
  environment: Record<string, string>;
}

/**
 * Finds how to merge, with a work tree and an index that are not looked at. Throws MergeRefusal where it is not clean.
 *
 * @param quarantine where the merged tree is written
 */
export async function planMerge(checkout: Checkout, wish: MergeWish, quarantine: Quarantine): Promise<MergeKind> {
  const { run, head } = checkout;
  const isThere = await run(['cat-file', '-e', `${wish.commit}^{commit}`]).then(() => true, isNot);
  if (!isThere) {
    throw new MergeRefusal(`The work is not in your repository any more. Send a follow-up, which brings it again.`);
  }
  if (await isAncestor(checkout, wish.commit, head)) {
    return { kind: 'already' };
  }
  if (head !== wish.shown.head) {
    throw new MergeRefusal(
      `Your branch “${branchName(checkout)}” has changed since this page was opened. Reload the page and look again.`,
    );
  }
  await refuseOtherBase(checkout, wish);
  if (await isAncestor(checkout, head, wish.commit)) {
    return { kind: 'fast-forward' };
  }
  return { kind: 'merge', tree: await mergedTree(checkout, wish, quarantine) };
}

/** Refuses another branch than the one that the reader of the page was told of. */
export function refuseOtherBranch(checkout: Checkout, { shown }: Pick<MergeWish, 'shown'>): void {
  const name = branchName(checkout);
  if (name !== shown.into) {
    throw new MergeRefusal(
      shown.into === ''
        ? `Your checkout is on “${name}” now. Reload the page and look again.`
        : `Your checkout is on “${name}” now, and this page was opened while it was on “${shown.into}”. Reload the page and look again.`,
    );
  }
}

/** Refuses a branch without the commit that the work was made from: a merge would bring what nobody was shown. */
export async function refuseOtherBase(
  checkout: Checkout,
  { base, branch }: Pick<MergeWish, 'base' | 'branch'>,
): Promise<void> {
  if (await isAncestor(checkout, base.commit, checkout.head)) {
    return;
  }
  const name = branchName(checkout);
  const start = base.commit.slice(0, 10);
  const more = 'so that a merge would bring more than this page shows';
  const alone = `bring this work alone: “git cherry-pick ${start}..${branch}”`;
  throw new MergeRefusal(
    base.branch === null || base.branch === name
      ? `Your branch “${name}” does not hold the commit ${start} that this work was made from, ${more}. Switch to a branch that holds it and reload the page, or ${alone}.`
      : `This work was made on “${base.branch}”. Your checkout is on “${name}”, which does not hold the commit ${start} that it was made from, ${more}. Run “git switch ${base.branch}” and reload the page, or ${alone}.`,
  );
}

/** Writes the merged tree; its files are not touched. */
export async function mergedTree(checkout: Checkout, wish: MergeWish, quarantine?: Quarantine): Promise<string> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', checkout.head, wish.commit];
  try {
    return (await checkout.run(args, quarantine)).split('\0', 1)[0] ?? '';
  } catch (error) {
    throw error instanceof GitError ? whyNotMerged(error, wish.branch) : error;
  }
}

/** Makes the merge commit that has this tree, by no hook, editor or signing program. Returns its id. */
export async function mergeCommit(checkout: Checkout, wish: MergeWish, tree: string): Promise<string> {
  const { name, email } = wish.author;
  const message = `Merge branch '${wish.branch}'\n\nDocs-Agent-Job: ${wish.jobId}\n`;
  const environment = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
  const args = ['commit-tree', tree, '-p', checkout.head, '-p', wish.commit, '-F', '-'];
  return (await checkout.run(args, { input: message, environment })).trim();
}

/** True when the first commit is the second one or one before it. */
export async function isAncestor({ run }: Checkout, first: string, second: string): Promise<boolean> {
  return run(['merge-base', '--is-ancestor', first, second]).then(() => true, isNot);
}

/** git's way to say no is code 1; anything else is a failure. */
function isNot(error: unknown): false {
  if (error instanceof GitError && error.exitCode !== undefined && error.exitCode !== 129) {
    return false;
  }
  throw error;
}

function whyNotMerged(error: GitError, branch: string): MergeRefusal {
  if (error.exitCode === 1) {
    const [, ...conflicts] = error.output.split('\0');
    const files = [...new Set(conflicts.filter((path) => path !== ''))];
    return new MergeRefusal(
      files.length === 0
        ? `There are conflicts. Run “git merge ${branch}” and resolve them, or ask the agent to bring its work up to date.`
        : `There are conflicts in ${named(files)}. Run “git merge ${branch}” and resolve them, or ask the agent to bring its work up to date.`,
    );
  }
  if (error.exitCode === 129) {
    return new MergeRefusal(`Your git is too old for this (2.38 is needed). Run “git merge ${branch}”.`);
  }
  return new MergeRefusal(`This can’t be merged here: ${error.message}. Run “git merge ${branch}”.`);
}
