import { type Git, GitError } from '../../../git/git';
import { branchName, type Checkout, readCheckout } from './checkout';
import { MergeRefusal } from './mergeRefusal';
import { isAncestor, type MergeWish, refuseOtherBase } from './planMerge';

/** How a merge would go. */
export interface MergeOutlook {
  words: string;
  /** The branch that the user is on and its commit, which a merge must find again; empty where there is none. */
  into: string;
  head: string;
}

/** How a merge would go, for the page; it is not tried. */
export async function mergeOutlook(
  git: Git,
  folder: string,
  work: Pick<MergeWish, 'commit' | 'base' | 'branch'>,
): Promise<MergeOutlook> {
  let shown = { into: '', head: '' };
  try {
    const checkout = await readCheckout(git, folder);
    shown = { into: branchName(checkout), head: checkout.head };
    return { ...shown, words: await wordsOf(checkout, work) };
  } catch (error) {
    const words = error instanceof MergeRefusal || error instanceof GitError ? error.message : String(error);
    return { ...shown, words };
  }
}

async function wordsOf(checkout: Checkout, work: Pick<MergeWish, 'commit' | 'base' | 'branch'>): Promise<string> {
  const name = branchName(checkout);
  if (await isAncestor(checkout, work.commit, checkout.head)) {
    return `Your branch “${name}” holds this work already.`;
  }
  await refuseOtherBase(checkout, work);
  return (await isAncestor(checkout, checkout.head, work.commit))
    ? `Your branch “${name}” moves forward to this work; no merge commit is needed.`
    : `Your branch “${name}” has moved on meanwhile: it gets a merge commit, if there are no conflicts.`;
}
