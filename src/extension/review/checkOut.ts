import { GIT_STATUS, type GitRepository } from '../services/gitExtension';
import type { FetchedBranch } from './fetchedBranch';
import { type Unfinished, unfinished } from './unfinished';

/** What the user is asked, and what is done when the editor is older than the way to do it. */
export interface CheckOutQuestions {
  /** What to do with so many changed files. */
  stash(files: number): Promise<boolean>;
  /** Stashes by the editor's own command, which asks for a message. */
  stashByCommand(): Promise<void>;
}

/** Changes that were put away. */
export interface Stash {
  /** Its commit, by which it is known again. */
  commit: string | undefined;
  message: string;
  /** Something in it was staged, which the editor does not bring back as such. */
  hasIndex: boolean;
}

export type CheckedOut =
  /** The branch is checked out; `before` is what was. git may have complained all the same, for a hook that failed. */
  | { is: 'done'; before: string; stash: Stash | undefined; differs: boolean; error?: unknown }
  | { is: 'there'; differs: boolean }
  | { is: 'cancelled' | 'conflicts' | 'notStashed' }
  | { is: 'unfinished'; command: Unfinished }
  /** git refused. What was stashed is back, or still in `stash`; `isIntact` when all is as it was before. */
  | { is: 'failed'; error: unknown; stash: Stash | undefined; isIntact: boolean };

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
 * where they are, and a branch that is there already stays at its commit. Refuses in the middle of a merge, a rebase and
 * the like.
 */
export async function checkOut({ repository, ref, at, message, questions }: CheckOutOptions): Promise<CheckedOut> {
  await repository.status();
  const { HEAD, mergeChanges } = repository.state;
  const differs = at.local !== undefined && at.remote !== undefined && at.local !== at.remote.commit;
  if (HEAD?.name === ref) {
    return { is: 'there', differs };
  }
  const command = await unfinished(repository.rootUri.fsPath);
  if (command !== undefined) {
    return { is: 'unfinished', command };
  }
  if (mergeChanges.length > 0) {
    return { is: 'conflicts' };
  }
  const changed = changedFiles(repository);
  let stash: Stash | undefined;
  if (changed > 0) {
    if (!(await questions.stash(changed))) {
      return { is: 'cancelled' };
    }
    const hasIndex = repository.state.indexChanges.length > 0;
    await (repository.createStash?.({ message }) ?? questions.stashByCommand());
    await repository.status();
    if (changedFiles(repository) > 0) {
      return { is: 'notStashed' };
    }
    stash = { commit: await newestStash(repository), message, hasIndex };
  }
  const before = placeOf(repository);
  const error = await switchTo(repository, ref, at).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  // git tells of a hook that failed as of a failure, and takes a name for more than a branch.
  await repository.status();
  if (placeOf(repository) === ref) {
    return { is: 'done', before, stash, differs, error };
  }
  const isBack = placeOf(repository) === before && (stash === undefined || (await bringBack(repository, stash)));
  const isIntact = isBack && changedFiles(repository) === changed;
  return { is: 'failed', error, stash: isBack ? undefined : stash, isIntact };
}

/** The branch that is checked out, or else the commit. */
function placeOf({ state: { HEAD } }: GitRepository): string {
  return HEAD?.name ?? HEAD?.commit ?? '';
}

/** Whether the stash is the one that “Pop Latest Stash” takes. */
export async function isNewest(repository: GitRepository, stash: Stash): Promise<boolean> {
  return stash.commit !== undefined && stash.commit === (await newestStash(repository));
}

function newestStash(repository: GitRepository): Promise<string | undefined> {
  return repository.getCommit('refs/stash').then(
    ({ hash }) => hash,
    () => undefined,
  );
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
  try {
    await repository.createBranch(ref, true, remote.commit);
  } finally {
    // Only for the comfort of a later pull: a clone of one branch alone has nothing to follow.
    await repository.setBranchUpstream(ref, remote.name).catch(() => undefined);
  }
}

/** What was staged would come back unstaged, and a version that was changed further not at all: such a stash stays. */
async function bringBack(repository: GitRepository, stash: Stash): Promise<boolean> {
  if (repository.popStash === undefined || stash.hasIndex || !(await isNewest(repository, stash))) {
    return false;
  }
  const isBack = await repository.popStash().then(
    () => true,
    () => false,
  );
  await repository.status();
  return isBack;
}
