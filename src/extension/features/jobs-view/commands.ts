import type { CommandHandlers } from '../../ids';
import { wantsSelectedRows } from '../../platform/commandArguments';
import { toApiJob } from '../../presentation/apiJob';
import {
  copyAs,
  copyJobId,
  copyPullRequestLink,
  openJobPullRequest,
  type OpenJobPullRequestOptions,
  removeRows,
  renameJob,
  renameRow,
  restoreJob,
  togglePin,
  untrackJob,
  type UntrackJobOptions,
} from './jobCommands';
import type { JobsView } from './jobsView';
import {
  filterJobs,
  type ListActionOptions,
  markAllSeen,
  refreshJobs,
  type RefreshJobsOptions,
  showAllJobs,
  viewOptions,
} from './listCommands';
import type { TrackJobOptions } from './addExistingJob';
import { trackJob } from './trackJob';

type Options = ListActionOptions &
  RefreshJobsOptions &
  OpenJobPullRequestOptions &
  UntrackJobOptions &
  TrackJobOptions & { view: Pick<JobsView, 'rowsForKey'> };

export function jobsViewCommands(options: Options): CommandHandlers {
  return {
    'docsAgent.refreshJobs': () => refreshJobs(options),
    'docsAgent.viewOptions': (argument) => viewOptions(options, argument),
    'docsAgent.filterJobs': (argument) => filterJobs(options, argument),
    'docsAgent.showAllJobs': () => showAllJobs(options),
    'docsAgent.markAllSeen': () => markAllSeen(options),
    'docsAgent.openPullRequest': (argument) => openJobPullRequest(options, argument),
    'docsAgent.copyPullRequestLink': (argument) => copyPullRequestLink(options, argument),
    'docsAgent.copyJobId': (argument) => copyJobId(options, argument),
    'docsAgent.copyAs': (argument) => copyAs(options, argument),
    'docsAgent.trackJob': async (argument) => toApiJob(await trackJob(options, argument)),
    // A key passes no rows to a command, so the manifest's key bindings ask for them.
    'docsAgent.untrackJob': async (argument) =>
      wantsSelectedRows(argument)
        ? removeRows(options, await options.view.rowsForKey())
        : untrackJob(options, argument),
    'docsAgent.restoreJob': (argument) => restoreJob(options, argument),
    'docsAgent.renameJob': async (argument) =>
      wantsSelectedRows(argument) ? renameRow(options, await options.view.rowsForKey()) : renameJob(options, argument),
    'docsAgent.togglePin': (argument) => togglePin(options, argument),
  };
}
