import { GIT_STATUS, type GitRepository } from '../services/gitExtension';
import type { FetchedBranch } from './fetchedBranch';

/** What the user is asked, and what is done when the editor is older than the way to do it. */
export interface CheckOutQuestions {
  /** What to do with so many changed files. */
  stash(files: number): Promise<boolean>;
  /** Stashes by the editor's own command, which asks for a message. */
  stashByCommand(): Promise<void>;
}

export type CheckedOut =
  /** The branch is checked out; `before` is what was, `stashed` tells that changes were stashed. */
  | { is: 'done'; before: string; stashed: boolean; differs: boolean }
  | { is: 'there'; differs: boolean }
  | { is: 'cancelled' | 'merging' | 'notStashed' }
  /** git refused; what was stashed is back, or `stashed` where that failed too. */
  | { is: 'failed'; error: unknown; stashed: boolean };

export interface CheckOutOptions {
  repository: GitRepository;
  /** The branch. */
  ref: string;
  /** Where it stands. */
  at: FetchedBranch;
  /** The message of a stash. */
  message: string;
  questions: CheckOutQuestions;
}

/**
 * Checks out a branch. Never by force: changes are stashed when the user wants that, files that git does not know stay
 * where they are, and a branch that is there already stays at its commit.
 */
export async function checkOut({ repository, ref, at, message, questions }: CheckOutOptions): Promise<CheckedOut> {
  await repository.status();
  const { HEAD, mergeChanges } = repository.state;
  const differs = at.local !== undefined && at.remote !== undefined && at.local !== at.remote.commit;
  if (HEAD?.name === ref) {
    return { is: 'there', differs };
  }
  if (mergeChanges.length > 0) {
    return { is: 'merging' };
  }
  const changed = changedFiles(repository);
  if (changed > 0) {
    if (!(await questions.stash(changed))) {
      return { is: 'cancelled' };
    }
    await (repository.createStash?.({ message }) ?? questions.stashByCommand());
    await repository.status();
    if (changedFiles(repository) > 0) {
      return { is: 'notStashed' };
    }
  }
  const stashed = changed > 0;
  try {
    await switchTo(repository, ref, at);
  } catch (error) {
    return { is: 'failed', error, stashed: stashed && !(await bringBack(repository)) };
  }
  return { is: 'done', before: HEAD?.name ?? HEAD?.commit ?? '', stashed, differs };
}

/** Files that git knows and that hold what is in no commit. */
export function changedFiles({ state }: GitRepository): number {
  const tracked = state.workingTreeChanges.filter(({ status }) => status !== GIT_STATUS.untracked);
  return new Set([...tracked, ...state.indexChanges].map(({ uri }) => uri.toString())).size;
}

async function switchTo(repository: GitRepository, ref: string, { local, remote }: FetchedBranch): Promise<void> {
  if (local !== undefined || remote === undefined) {
    await repository.checkout(ref);
    return;
  }
  await repository.createBranch(ref, true, remote.commit);
  // Only for the comfort of a later pull: a clone of one branch alone has nothing to follow.
  await repository.setBranchUpstream(ref, remote.name).catch(() => undefined);
}

async function bringBack(repository: GitRepository): Promise<boolean> {
  return (
    (await repository.popStash?.().then(
      () => true,
      () => false,
    )) ?? false
  );
}
