import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { JobEngine } from '../../../jobs/jobEngine';
import type { ApiKeys } from '../../platform/apiKeys';
import type { CommentCounts } from '../../platform/commentCounts';
import type { Host } from '../../platform/host';
import type { Log } from '../../platform/log';
import type { Previews } from '../../platform/previews';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import type { SeenVersions } from '../../platform/seenVersions';
import { WindowProjects } from '../../platform/windowProjects';
import { UnseenMarks } from './jobItem';
import { JobsStatusBar } from './jobsStatusBar';
import { JobsTree } from './jobsTree';
import { JobsView } from './jobsView';
import { ListState } from './listState';

/** The list of jobs: the user's choices for it, its rows, and the view that shows them. */
export interface JobsList extends Disposable {
  list: ListState;
  tree: JobsTree;
  view: JobsView;
  windowProjects: WindowProjects;
}

export interface JobsListOptions {
  host: Host;
  engine: Pick<JobEngine, 'store' | 'poller'>;
  keys: ApiKeys;
  pulls: PullRequestStates;
  counts: CommentCounts;
  seen: SeenVersions;
  previews: Previews;
  log: Log;
}

export function registerJobsView({
  host,
  engine,
  keys,
  pulls,
  counts,
  seen,
  previews,
  log,
}: JobsListOptions): JobsList {
  const { store, poller } = engine;
  const { localAvailable } = host;
  const owned = new DisposableStore();
  const list = owned.add(new ListState(host.workspaceState));
  const windowProjects = owned.add(new WindowProjects());
  const tree = owned.add(new JobsTree(store, poller, list, counts, pulls, windowProjects, previews, seen));
  const view = owned.add(new JobsView({ tree, state: list, store, poller, keys, pulls, localAvailable, log }));
  owned.add(new UnseenMarks(store));
  owned.add(new JobsStatusBar(store));
  return { list, tree, view, windowProjects, dispose: () => owned.dispose() };
}
