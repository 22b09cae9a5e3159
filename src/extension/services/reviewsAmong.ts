import type { WireJob } from '../../shared/protocol/job';
import { isTerminal } from '../../shared/protocol/status';

/** Some jobs of one project. */
export interface WantedJobs {
  ids: ReadonlySet<string>;
  /** When the oldest of them was made: wall time in milliseconds, -Infinity where that is not known. */
  since: number;
}

/**
 * What the user did on the review pages of jobs, by id; nothing of a job on which an agent works again.
 *
 * @param jobs all of the project, newest first: they are read no further than to the last that is wanted, or its age
 */
export async function reviewsAmong(
  jobs: AsyncIterable<WireJob>,
  { ids, since }: WantedJobs,
): Promise<Map<string, 'open' | 'merged' | 'closed'>> {
  const found = new Map<string, 'open' | 'merged' | 'closed'>();
  const left = new Set(ids);
  for await (const job of jobs) {
    const isWanted = left.delete(job.id);
    if (isWanted && isTerminal(job.status)) {
      found.set(job.id, job['review'] === 'merged' || job['review'] === 'closed' ? job['review'] : 'open');
    }
    if (left.size === 0 || (job.createdAt != null && Date.parse(job.createdAt) < since)) {
      break;
    }
  }
  return found;
}
