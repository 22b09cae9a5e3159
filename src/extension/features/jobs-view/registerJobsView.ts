import type { Memento } from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { JobStore } from '../../../jobs/jobStore';
import type { Poller } from '../../../jobs/poller';
import type { ApiKeys } from '../../platform/apiKeys';
import type { Log } from '../../platform/log';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import { WindowProjects } from '../../platform/windowProjects';
import type { JobDescriber } from '../../presentation/describeJob';
import { FindingRows } from '../../presentation/findingRows';
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
  findings: FindingRows;
}

export interface JobsListOptions {
  workspaceState: Memento;
  localAvailable: boolean;
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
  pulls: PullRequestStates;
  describer: JobDescriber;
  log: Log;
}

export function registerJobsView(options: JobsListOptions): JobsList {
  const { store, describer } = options;
  const owned = new DisposableStore();
  const list = owned.add(new ListState(options.workspaceState));
  const windowProjects = owned.add(new WindowProjects());
  const findings = owned.add(new FindingRows());
  const tree = owned.add(new JobsTree(store, describer, list, windowProjects, findings));
  const view = owned.add(new JobsView({ ...options, tree, state: list }));
  owned.add(new JobsStatusBar(store, describer, tree));
  return { list, tree, view, windowProjects, findings, dispose: () => owned.dispose() };
}
