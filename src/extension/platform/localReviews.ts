import type { WireJob } from '../../protocol/job';
import { isTerminal } from '../../protocol/status';

/** A selection of one project's jobs. */
export interface WantedJobs {
  ids: ReadonlySet<string>;
  /** When the oldest of them was created: wall time in milliseconds, -Infinity if unknown. */
  since: number;
}

/**
 * Returns the review outcomes of jobs, by id. Omits jobs that an agent is working on again.
 *
 * @param jobs all jobs of the project, newest first; read only until all wanted jobs are found or older ones follow
 */
export async function collectReviews(
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
