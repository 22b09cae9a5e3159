import { type Git, GitError, type GitPlace, type RunGit } from '../../git/git';
import type { PullRequestState } from '../../protocol/surroundings';
import type { Destination } from '../forges/publisher';
import { fetchCommits } from '../git/jobClone';
import { type Incoming, isAncestor, mergeTree, type Start } from '../git/takeIn';
import { HOLDING } from '../git/userRepository';
import type { Job, JobRecord } from '../store/jobStore';

/** The maximum number of files named that conflict. */
const MAX_CONFLICTS = 20;

/** How a branch is, compared with what the job knows of it. */
type Branch = 'absent' | 'unchanged' | 'ahead' | 'rewritten';

/** What is true around a job now. */
export interface Seen {
  /** The tip of the job's branch in the service's own git directory. */
  tip: string;
  /** The job's branch in the user's repository, compared with what was last published there. */
  own: { state: Branch; commit?: string };
  /** Whether a work tree of the user's has the branch, so that it can't be moved. */
  isCheckedOut: boolean;
  /** The same on the Git host, compared with what was pushed; undefined if the job isn't pushed to one. */
  host?: { state: Branch | 'unknown'; commit?: string } | undefined;
  /** The present commit of the branch that the work goes to, and whether it has all that was pushed; none if unknown. */
  base?: { branch: string; commit: string; hasWork: boolean } | undefined;
  pullRequest?: { url: string; state: PullRequestState } | undefined;
  /** Whether another branch or tag has the job's commits, or they were merged. */
  isBuiltUpon: boolean;
}

type LookedAt = Pick<
  Job,
  'id' | 'branch' | 'baseBranch' | 'publishedCommit' | 'pushedCommit' | 'prLink' | 'continues' | 'baseCommit'
>;

/**
 * Looks at what others may have changed: the job's branch in the user's repository and on the Git host, its base, and
 * its pull request. The service's git directory has the commits afterwards. Throws GitError, TurnFailure, or the signal's
 * reason.
 *
 * @param destination where the job's work is pushed; undefined if it stays in the user's repository
 */
export async function lookAround(
  git: Git,
  at: { hostGit: string; repository: string; destination: Destination | undefined; signal: AbortSignal },
  job: LookedAt & Pick<Job, 'surroundings'>,
): Promise<Seen> {
  const { hostGit, repository, destination, signal } = at;
  const place: GitPlace = { folder: hostGit, gitDir: hostGit };
  const run = (args: readonly string[]) => git.run(place, args);
  const ownRef = `refs/heads/${job.branch}`;
  const baseRef = job.baseBranch === null ? undefined : `refs/heads/${job.baseBranch}`;
  const format = '--format=%(refname) %(objectname) %(worktreepath)';
  const named = [ownRef, ...(baseRef === undefined || destination !== undefined ? [] : [baseRef])];
  const [tip, listed, onHost] = await Promise.all([
    run(['rev-parse', '--verify', ownRef]).then((id) => id.trim()),
    git.run({ folder: repository }, ['for-each-ref', format, ...named]),
    destination?.look({ hostGit, branch: job.branch, prLink: currentLink(job) ?? null, signal }),
  ]);
  const lines = listed.split('\n').map((line) => line.split(' '));
  const refs = new Map(lines.map(([name = '', commit = '']) => [name, commit]));
  const own = refs.get(ownRef);
  const localBase = baseRef === undefined ? undefined : refs.get(baseRef);
  await fetchCommits(
    git,
    place,
    repository,
    [own, localBase].filter((id) => id !== undefined),
  );
  const isIn = (commit: string, other: string) => isAncestor(run, other, commit);
  const newest =
    destination !== undefined
      ? onHost?.base
      : localBase === undefined
        ? undefined
        : { branch: job.baseBranch ?? '', commit: localBase };
  // Until it has what the work started from, it is no base: the user has to push first, or has rewritten it.
  const isBase = newest !== undefined && (job.baseCommit === null || (await isIn(newest.commit, job.baseCommit)));
  const base = isBase ? newest : undefined;
  const compared = async (commit: string | undefined, known: string | null): Promise<Branch> => {
    if (commit === undefined) {
      return 'absent';
    }
    if (commit === known) {
      return 'unchanged';
    }
    return known === null || (await isIn(commit, known)) ? 'ahead' : 'rewritten';
  };
  const { publishedCommit, pushedCommit } = job;
  const known = job.surroundings?.pullRequest;
  return {
    tip,
    own: { state: await compared(own, publishedCommit), ...(own && { commit: own }) },
    isCheckedOut: lines.some(([name, , workTree]) => name === ownRef && workTree !== ''),
    host: onHost && {
      state: onHost.branch === undefined ? 'unknown' : await compared(onHost.branch ?? undefined, pushedCommit),
      ...(onHost.branch && { commit: onHost.branch }),
    },
    base: base && { ...base, hasWork: pushedCommit !== null && (await isIn(base.commit, pushedCommit)) },
    // If the host doesn't say, as it was seen last.
    pullRequest: onHost?.pullRequest ?? (known?.url === currentLink(job) ? known : undefined),
    isBuiltUpon:
      publishedCommit !== null &&
      ((await isHeld(git, repository, publishedCommit, ownRef)) ||
        (await hasOthers(run, job.id, publishedCommit, [
          pushedCommit,
          job.baseCommit,
          onHost?.branch,
          newest?.commit,
        ]))),
  };
}

/** The pull request of the branch that the job works on now. */
export function currentLink({ prLink, continues }: Pick<Job, 'prLink' | 'continues'>): string | undefined {
  return prLink === null || prLink === continues ? undefined : prLink;
}

/**
 * What to store if the job's branch has an open pull request that the job doesn't name: a run has opened it and was
 * ended before it could say so, or a person has opened it.
 */
export function foundPullRequest(
  job: Pick<Job, 'prLink' | 'continues' | 'publishedCommit' | 'pushedCommit'>,
  { pullRequest }: Pick<Seen, 'pullRequest'>,
): Pick<JobRecord, 'prLink' | 'continues' | 'note'> {
  if (pullRequest === undefined || pullRequest.url === currentLink(job)) {
    return {};
  }
  const { url } = pullRequest;
  return {
    prLink: url,
    ...(url === job.continues && { continues: null }),
    // It said why there is none.
    ...(job.pushedCommit === job.publishedCommit && { note: null }),
  };
}

/** Whether there are commits without the job's trailer, such as the user's on the job's branch, that nothing else has. */
async function hasOthers(
  run: RunGit,
  jobId: string,
  commit: string,
  known: readonly (string | null | undefined)[],
): Promise<boolean> {
  const ofOthers = ['--invert-grep', `--grep=^Docs-Agent-Job: ${jobId}$`];
  const without = known.flatMap((each) => (each === null || each === undefined ? [] : [`^${each}`]));
  return (await run(['rev-list', '--max-count=1', ...ofOthers, commit, ...without])).trim() !== '';
}

async function isHeld(git: Git, folder: string, commit: string, ownRef: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=2', '--format=%(refname)', `--contains=${commit}`, ...HOLDING];
  const listed = await git.run({ folder }, args).catch((error: unknown) => {
    if (error instanceof GitError) {
      // The repository no longer has the commit.
      return '';
    }
    throw error;
  });
  return listed.split('\n').some((ref) => ref !== '' && ref !== ownRef);
}

/**
 * Where a follow-up's work starts, from what was seen:
 *
 * | seen | start |
 * | --- | --- |
 * | its pull request, or all that was pushed, is merged | the base, on a new branch |
 * | someone has rewritten the branch | their version |
 * | commits that nobody else has: not pushed, merged, or built upon | the newest commit that others have, without them |
 * | anything else | the branch |
 *
 * Then others' commits on the branch are merged, and those of the base.
 */
export function chooseStart(seen: Seen, job: LookedAt): Start {
  const { tip, own, host, base, pullRequest, isBuiltUpon } = seen;
  const { branch, publishedCommit, pushedCommit, baseCommit } = job;
  const isMerged = pullRequest === undefined ? base?.hasWork === true : pullRequest.state === 'merged';
  if (isMerged && base !== undefined) {
    return {
      branch: nextBranch(branch),
      move: { from: pushedCommit ?? tip, onto: base.commit },
      incoming: [],
    };
  }
  const toMerge = incomingOf(seen, branch);
  const isOwnKept = own.state === 'absent' || own.state === 'unchanged';
  const move = (from: string, onto: string): Start => ({
    branch,
    move: { from, onto },
    // The branch in the user's repository has only what is moved.
    incoming: isOwnKept ? incomingOf({ ...seen, own: { state: 'absent' } }, branch) : toMerge,
  });
  if (host?.state === 'rewritten' && host.commit !== undefined && (isOwnKept || own.commit === host.commit)) {
    return move(pushedCommit ?? tip, host.commit);
  }
  if (own.state === 'rewritten' && own.commit !== undefined && pushedCommit === null) {
    return move(publishedCommit ?? tip, own.commit);
  }
  const isUnseen =
    publishedCommit === null ||
    (host !== undefined && host.state !== 'unknown' && publishedCommit !== pushedCommit && !isBuiltUpon);
  if (isUnseen && isOwnKept && baseCommit !== null) {
    // What others have pushed to the branch is merged then.
    const last = pushedCommit ?? (host?.commit === undefined ? undefined : tip);
    return last === undefined ? move(baseCommit, base?.commit ?? baseCommit) : move(last, last);
  }
  return { branch, incoming: toMerge };
}

/** What others have committed to the job's branch, and to its base. */
export function incomingOf({ own, host, base }: Pick<Seen, 'own' | 'host' | 'base'>, branch: string): Incoming[] {
  return [
    ...(own.commit === undefined ? [] : [{ from: 'branch' as const, name: branch, commit: own.commit }]),
    ...(host?.commit === undefined ? [] : [{ from: 'branch' as const, name: branch, commit: host.commit }]),
    ...(base === undefined ? [] : [{ from: 'base' as const, name: base.branch, commit: base.commit }]),
  ];
}

/** What to show of it on the job; null for nothing. Throws GitError. */
export async function summarize(
  git: Git,
  hostGit: string,
  { tip, base, pullRequest }: Pick<Seen, 'tip' | 'base' | 'pullRequest'>,
): Promise<Job['surroundings']> {
  const place: GitPlace = { folder: hostGit, gitDir: hostGit };
  const run: RunGit = (args, options) => git.run(place, args, options);
  const isOver = pullRequest?.state === 'merged';
  const count = base === undefined || isOver ? 0 : Number(await run(['rev-list', '--count', base.commit, `^${tip}`]));
  const conflicts = base === undefined || count === 0 ? [] : (await mergeTree(run, tip, base.commit)).conflicts;
  if (count === 0 && pullRequest === undefined) {
    return null;
  }
  return {
    ...(base !== undefined &&
      count > 0 && {
        base: {
          branch: base.branch,
          newCommits: count,
          conflicts: conflicts.slice(0, MAX_CONFLICTS),
        },
      }),
    ...(pullRequest !== undefined && { pullRequest: { ...pullRequest, ...(base && { base: base.branch }) } }),
  };
}

/** The name of the branch after this one: `x-2` after `x`, `x-3` after `x-2`. */
export function nextBranch(branch: string): string {
  const [, name = branch, count = '1'] = /^(.*)-([2-9]|[1-9]\d)$/.exec(branch) ?? [];
  return `${name}-${Number(count) + 1}`;
}
