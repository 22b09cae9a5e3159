import type { CheckoutRecord } from '../../storage/checkoutRecords';

/** How things are in the repository now. */
export interface CheckoutNow {
  /** The branch that is checked out, or else the commit. */
  head: string;
  /** Where the stash of the record is: the one that “Pop Latest Stash” takes, below others, or taken out. */
  stash: 'newest' | 'older' | 'gone';
}

/**
 * What a record means now. `onBranch`: the job's branch is checked out. `stashLeft`: it is not any more, and the changes
 * that were stashed for it still are. `cut`: the window ended after it stashed changes and before it had the branch
 * checked out. `over`: nothing is left to go back to.
 */
export type CheckoutState = 'onBranch' | 'stashLeft' | 'cut' | 'over';

export function checkoutState({ ref, before, step }: CheckoutRecord, { head, stash }: CheckoutNow): CheckoutState {
  if (head === ref) {
    return 'onBranch';
  }
  if (stash === 'gone') {
    return 'over';
  }
  return step !== 'there' && head === before ? 'cut' : 'stashLeft';
}
