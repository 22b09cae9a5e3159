import { bothEnds } from '../../git/errors';
import { LOCAL_SERVICE } from '../../jobs/events';
import { jobStatus } from '../../jobs/jobStatus';
import type { TrackedJob } from '../../jobs/trackedJob';
import { type JobRepository, openJobRepositories, resolveCommit } from './jobRepository';
import { nameOf } from './repositories';
import { toNotice } from './sanitize';

/** A job's branch, of which a remote may have newer commits than the open repository. */
export interface BranchToFetch {
  ref: string;
  remote: string;
  /** The name of the repository's folder. */
  folder: string;
  /** Whether the repository has an earlier state of the branch. */
  isThere: boolean;
  fetch: () => Promise<void>;
}

/**
 * Returns the branch of a completed hosted job if no open repository has it, or if its newest commit there is older
 * than the last prompt. Doesn't fetch anything. Undefined if no open repository is the job's.
 */
export async function branchToFetch(job: TrackedJob, localAvailable: boolean): Promise<BranchToFetch | undefined> {
  if (job.location.service === LOCAL_SERVICE || jobStatus(job) !== 'completed') {
    return undefined;
  }
  const all = await openJobRepositories(job, localAvailable);
  const dates = await Promise.all(all.map(newestDate));
  const known = dates.filter((date) => date !== undefined);
  if (known.some((date) => date >= (job.acceptedAt ?? 0))) {
    return undefined;
  }
  // The changes are read from the first repository that has the branch.
  const found = all.find((_, index) => known.length === 0 || dates[index] !== undefined);
  return found?.remote === undefined
    ? undefined
    : {
        ref: found.ref,
        remote: found.remote,
        folder: nameOf(found.repository),
        isThere: known.length > 0,
        fetch: () => fetchJobBranch(found, found.remote ?? ''),
      };
}

/** How far the clock of the machine that made a commit may be ahead, in milliseconds. */
const CLOCK_SKEW_MS = 60 * 60 * 1000;

/**
 * Returns when the newest commit of the branch was made, in milliseconds; undefined if the branch isn't there. A date in
 * the future says nothing, and counts as the oldest.
 */
async function newestDate({ repository, ref, remote }: JobRepository): Promise<number | undefined> {
  const names = [...(remote === undefined ? [] : [`refs/remotes/${remote}/${ref}`]), `refs/heads/${ref}`];
  for (const name of names) {
    const commit = await resolveCommit(repository, name);
    if (commit !== undefined) {
      const { commitDate, authorDate } = await repository.getCommit(commit);
      // A commit without a date isn't known to be old.
      const date = (commitDate ?? authorDate)?.getTime() ?? Infinity;
      return date !== Infinity && date > Date.now() + CLOCK_SKEW_MS ? 0 : date;
    }
  }
  return undefined;
}

/** Fetches a job's branch with the editor's Git extension, which asks for a password if needed. Rejects if it can't. */
export async function fetchJobBranch({ repository, ref }: JobRepository, remote: string): Promise<void> {
  // The full refspec is needed because a single-branch clone does not track other branches.
  await repository.fetch(remote, `+refs/heads/${ref}:refs/remotes/${remote}/${ref}`);
  // Also the branch that it started from, without whose newest commits those of others would count as the job's.
  await repository.fetch(remote).catch(() => undefined);
}

/** The line of git's output that gives the reason, without a final period. */
export function gitErrorText(error: unknown): string {
  const { stderr } = error as { stderr?: unknown };
  const printed = typeof stderr === 'string' ? bothEnds(stderr) : '';
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(fatal|error):/.test(each)) ?? lines.at(-1);
  const text = line ?? (error instanceof Error ? error.message : String(error));
  return toNotice(text.replace(/^(fatal|error): /, '').replace(/[.:]\s*$/, ''), 200);
}
