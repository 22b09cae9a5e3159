import type { JobStore } from '../../jobs/jobStore';
import type { PullRequestStates } from '../review/pullRequestStates';
import type { JobsTree } from '../views/jobsTree';

/** Reads what other windows wrote, asks for every running job at once, and for local ones that ended, and draws all ages anew. */
export async function refreshJobs({
  store,
  lookNow,
  tree,
  pulls,
}: {
  store: JobStore;
  lookNow: () => Promise<void>;
  tree: JobsTree;
  pulls: Pick<PullRequestStates, 'look'>;
}): Promise<void> {
  pulls.look();
  await store.load();
  await lookNow();
  tree.refresh();
}
