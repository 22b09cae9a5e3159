import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import type { PullRequestStates } from '../review/pullRequestStates';
import type { JobsTree } from '../views/jobsTree';

/** Reads what other windows wrote, asks for every running job at once, and draws all ages anew. */
export async function refreshJobs({
  store,
  poller,
  tree,
  pulls,
}: {
  store: JobStore;
  poller: Poller;
  tree: JobsTree;
  pulls: Pick<PullRequestStates, 'look'>;
}): Promise<void> {
  pulls.look();
  await store.load();
  await poller.pollNow();
  tree.refresh();
}
