import { diffSummary } from '../../git/diffSummary';
import type { TrackedJob } from '../../jobs/trackedJob';
import { LOCAL_SERVICE } from '../../jobs/events';
import { CHANGES_LIMITS, type JobChanges, toJobChanges } from '../../shared/protocol/changes';
import type { Repositories } from '../services/repositories';
import { baseOf } from './branchChanges';
import { type JobRepository, commitOf, openJobRepositories } from './jobRepository';

/** How long git may take, in milliseconds. */
const LIMIT_MS = 20_000;

/** A job's branch as an open repository has it by now. */
export interface KnownBranch extends JobRepository {
  /** The commit at which it left, and its newest one. */
  base: string;
  commit: string;
}

/**
 * The first one that is found; asks nobody, tells nobody and fetches nothing. Undefined when there is none.
 *
 * @param told the commit at which it left, where the service names one
 */
export async function knownBranch(
  job: TrackedJob,
  localAvailable: boolean,
  told?: string | null,
): Promise<KnownBranch | undefined> {
  for (const found of await openJobRepositories(job, localAvailable)) {
    const { repository, ref, remote } = found;
    const own = [`refs/heads/${ref}`];
    const fetched = remote === undefined ? [] : [`refs/remotes/${remote}/${ref}`];
    // Where the agent works in the repository itself, its branch is the newest; else the remote's is.
    const names = job.home.service === LOCAL_SERVICE ? [...own, ...fetched] : [...fetched, ...own];
    for (const name of names) {
      const commit = await commitOf(repository, name);
      const base = commit === undefined ? undefined : await baseOf(found, commit, told);
      if (commit !== undefined && base !== undefined) {
        return { ...found, base, commit };
      }
    }
  }
  return undefined;
}

/** Which files differ on it. Throws GitError. */
export async function branchSummary(
  { repository, base, commit }: KnownBranch,
  repositories: Pick<Repositories, 'open'>,
): Promise<JobChanges> {
  const opened = await repositories.open(repository, AbortSignal.timeout(LIMIT_MS));
  return toJobChanges({ base, commit }, await diffSummary(opened, [base, commit], CHANGES_LIMITS));
}
