import { lstat } from 'node:fs/promises';
import type { CheckoutRecord } from '../../../jobs/store/checkoutRecords';
import { GIT_STATUS, type GitChange, type GitCommit, type GitRepository } from '../../platform/gitExtension';
import { type CheckoutNow, type Unfinished, findUnfinishedOperation } from './checkoutState';
import type { FetchedBranch } from './fetchBranch';
import {
  type CheckoutObstacle,
  findAssumedUnchanged,
  isDeleted,
  findOverwritten,
  type ReadingGit,
  findUnstashable,
} from './checkoutObstacles';

/** Questions for the user, and the fallback for older versions of VS Code. */
export interface CheckOutQuestions {
  /** Asks whether to stash this many changed files. */
  stash(files: number): Promise<boolean>;
  /** Stashes with VS Code's own command, which asks for a message. */
  stashByCommand(): Promise<void>;
}

/**
 * Stashed changes, identified by their commit. `hasIndex` is true when some of them were staged; VS Code does not
 * restore them as staged.
 */
export type Stash = NonNullable<CheckoutRecord['stash']>;

export type CheckoutResult =
  /**
   * The branch is checked out; `before` is what was checked out before. `error` may still be set, for example by a
   * failed hook.
   */
  | { is: 'done'; before: string; stash: Stash | undefined; differs: boolean; error?: unknown }
  | { is: 'there'; differs: boolean }
  | { is: 'cancelled' | 'conflicts' }
  /** Nothing was changed, because git would lose what is at this path: see `inTheWay.ts`. */
  | ({ is: 'wouldLose' } & CheckoutObstacle)
  /**
   * Not everything could be stashed. What was stashed is restored, or still in `stash`; `wasStashed` if there was any.
   */
  | { is: 'notStashed'; wasStashed: boolean; stash: Stash | undefined }
  | { is: 'unfinished'; command: Unfinished }
  /** git refused. What was stashed is restored, or still in `stash`; `isIntact` if everything is as before. */
  | { is: 'failed'; error: unknown; stash: Stash | undefined; isIntact: boolean };

export interface CheckOutOptions {
  repository: GitRepository;
  /** Reads the content of the branch. */
  git: ReadingGit;
  /** The branch. */
  ref: string;
  /** The commits it points to. */
  at: FetchedBranch;
  /** The message for a stash. */
  message: string;
  questions: CheckOutQuestions;
  /** Saves the progress before the next step; called with undefined when there is nothing to undo. */
  keep?: (progress: Progress | undefined) => Promise<void>;
}

/** The progress of a checkout. */
export type Progress = Pick<CheckoutRecord, 'before' | 'step' | 'message' | 'stash'>;

/**
 * Checks out a branch without force: changes are stashed if the user agrees, untracked files stay where they are, and
 * an existing local branch stays at its commit. Refuses during a merge, a rebase, and similar.
 */
export async function checkOut(options: CheckOutOptions): Promise<CheckoutResult> {
  const { repository, ref, at, message, questions, keep = async () => undefined } = options;
  await repository.status();
  const { mergeChanges } = repository.state;
  const differs = at.local !== undefined && at.remote !== undefined && at.local !== at.remote.commit;
  if (getHead(repository) === ref) {
    return { is: 'there', differs };
  }
  const command = await findUnfinishedOperation(repository.rootUri.fsPath);
  if (command !== undefined) {
    return { is: 'unfinished', command };
  }
  if (mergeChanges.length > 0) {
    return { is: 'conflicts' };
  }
  const refused = await whyRefused(options);
  if (refused !== undefined) {
    return refused;
  }
  const changed = await changedFiles(repository);
  const before = getHead(repository);
  let stash: Stash | undefined;
  if (changed > 0) {
    if (!(await questions.stash(changed))) {
      return { is: 'cancelled' };
    }
    // A build may have written files while the question was open.
    const refusedSince = await whyRefused(options);
    if (refusedSince !== undefined) {
      return refusedSince;
    }
    const hasIndex = repository.state.indexChanges.length > 0;
    await keep({ before, step: 'stashing', message });
    const last = await newestStash(repository);
    const failure = await settled(async () => repository.createStash?.({ message }) ?? questions.stashByCommand());
    await repository.status();
    const commit = await newestStash(repository);
    stash = commit === last ? undefined : { commit, message, hasIndex };
    // git may create the stash and then fail to clean the working tree.
    if (failure !== undefined || stash === undefined || (await changedFiles(repository)) > 0) {
      return giveUpStash(repository, { before, step: 'stashing', message, stash }, keep, failure);
    }
  }
  const stashed = stash && { message, stash };
  await keep({ before, step: 'switching', ...stashed });
  const error = (await settled(async () => switchTo(repository, ref, at)))?.thrown;
  // git reports a failed hook as a failed checkout, and accepts names of other things than branches: check the result.
  await repository.status();
  if (getHead(repository) === ref) {
    await keep({ before, step: 'there', ...stashed });
    return { is: 'done', before, stash, differs, error };
  }
  const isBack = getHead(repository) === before && (stash === undefined || (await popIfNewest(repository, stash)));
  // A stash that is left behind keeps its record, so that it can be restored.
  await keep(isBack || stash === undefined ? undefined : { before, step: 'stashing', ...stashed });
  const isIntact = isBack && (await changedFiles(repository)) === changed;
  return { is: 'failed', error, stash: isBack ? undefined : stash, isIntact };
}

/** Returns the reason to refuse: something would be lost, or git can't say what would. */
async function whyRefused({ repository, git, ref, at }: CheckOutOptions): Promise<CheckoutResult | undefined> {
  try {
    const target = await targetOf(git, repository, ref, at);
    const isStashNeeded = (await changedFiles(repository)) > 0;
    const inTheWay =
      (await findUnstashable(git, repository)) ??
      (isStashNeeded ? await findAssumedUnchanged(git, repository) : undefined) ??
      (await findOverwritten(git, repository, target));
    return inTheWay && { is: 'wouldLose', ...inTheWay };
  } catch (error) {
    return { is: 'failed', error, stash: undefined, isIntact: true };
  }
}

/** The commit that `switchTo` checks out. `git checkout` resolves a name as a branch first, then as a tag. */
async function targetOf(git: ReadingGit, { rootUri }: GitRepository, ref: string, at: FetchedBranch): Promise<string> {
  if (at.local === undefined && at.remote !== undefined) {
    return at.remote.commit;
  }
  const resolve = async (name: string): Promise<string> =>
    (await git.run({ folder: rootUri.fsPath }, ['rev-parse', '--verify', `${name}^{commit}`])).trim();
  return resolve(`refs/heads/${ref}`).catch(() => resolve(ref));
}

/** Restores what was stashed after an incomplete stash. A stash that can't be restored keeps its record. */
async function giveUpStash(
  repository: GitRepository,
  progress: Progress,
  keep: NonNullable<CheckOutOptions['keep']>,
  failure: { thrown: unknown } | undefined,
): Promise<CheckoutResult> {
  const { stash } = progress;
  const isLeft = stash !== undefined && !(await popIfNewest(repository, stash));
  await keep(isLeft ? progress : undefined);
  if (failure !== undefined && stash === undefined) {
    throw failure.thrown;
  }
  return { is: 'notStashed', wasStashed: stash !== undefined, stash: isLeft ? stash : undefined };
}

async function settled(act: () => Promise<void>): Promise<{ thrown: unknown } | undefined> {
  return act().then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  );
}

/** The checked out branch, otherwise the commit. */
export function getHead({ state: { HEAD } }: GitRepository): string {
  return HEAD?.name ?? HEAD?.commit ?? '';
}

/** Whether “Pop Latest Stash” would take this stash. */
export async function isNewest(repository: GitRepository, stash: Stash): Promise<boolean> {
  return stash.commit !== undefined && stash.commit === (await newestStash(repository));
}

function newestStash(repository: GitRepository): Promise<string | undefined> {
  return repository.getCommit('refs/stash').then(
    ({ hash }) => hash,
    () => undefined,
  );
}

/** Number of tracked files with uncommitted changes, without submodules, which git neither stashes nor switches. */
export async function changedFiles({ state }: GitRepository): Promise<number> {
  const tracked = state.workingTreeChanges.filter(({ status }) => status !== GIT_STATUS.untracked);
  const all = new Map([...state.indexChanges, ...tracked].map((change) => [change.uri.toString(), change]));
  return (await Promise.all([...all.values()].map(isSubmodule))).filter((is) => !is).length;
}

/** The only folders that git reports as changed are submodules. But a folder may also have replaced a deleted file. */
async function isSubmodule(change: GitChange): Promise<boolean> {
  return !isDeleted(change) && (await lstat(change.uri.fsPath).catch(() => undefined))?.isDirectory() === true;
}
async function switchTo(repository: GitRepository, ref: string, { local, remote }: FetchedBranch): Promise<void> {
  if (local !== undefined || remote === undefined) {
    await repository.checkout(ref);
    return;
  }
  try {
    await repository.createBranch(ref, true, remote.commit);
  } finally {
    // Only makes a later pull convenient, so errors are ignored: in a single-branch clone there is nothing to track.
    await repository.setBranchUpstream(ref, remote.name).catch(() => undefined);
  }
}

/** Maximum number of stashes that are searched. */
const MAX_STASHES = 50;

/** Finds a stash. If making it was interrupted, only its message is known. */
export async function locateStash(
  repository: GitRepository,
  { stash, message }: Pick<CheckoutRecord, 'stash' | 'message'>,
): Promise<{ stash: Stash | undefined; place: CheckoutNow['stash'] }> {
  for (let index = 0; message !== undefined && index < MAX_STASHES; index += 1) {
    const found = await repository.getCommit(`stash@{${index}}`).catch(() => undefined);
    if (found === undefined) {
      break;
    }
    if (stash?.commit === undefined ? found.message.trim().endsWith(`: ${message}`) : found.hash === stash.commit) {
      const known = stash ?? { commit: found.hash, message, hasIndex: await holdsStaged(repository, found) };
      return { stash: known, place: index === 0 ? 'newest' : 'older' };
    }
  }
  return { stash, place: 'gone' };
}

/**
 * The first parent of a stash is the commit that was checked out, the second is the index (git-stash(1), DISCUSSION).
 */
async function holdsStaged(repository: GitRepository, { parents: [head, index] = [] }: GitCommit): Promise<boolean> {
  return head === undefined || index === undefined || (await repository.diffBetween(head, index)).length > 0;
}

/**
 * Restores a stash if that can't conflict: it is the newest, none of it was staged, nothing else has changed, and the
 * commit it was made on is checked out. Returns false when the stash was left alone.
 */
export async function popWithoutConflict(repository: GitRepository, stash: Stash): Promise<boolean> {
  await repository.status();
  const { parents } = stash.commit === undefined ? {} : await repository.getCommit(stash.commit);
  const isSame = parents?.[0] !== undefined && parents[0] === repository.state.HEAD?.commit;
  return isSame && (await changedFiles(repository)) === 0 && popIfNewest(repository, stash);
}

/**
 * Leaves the stash alone if part of it was staged, because that would be restored unstaged, or if it is not the newest.
 */
async function popIfNewest(repository: GitRepository, stash: Stash): Promise<boolean> {
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
