import type { CommandHandlers } from '../../ids';
import { wantsSelectedRows } from '../../platform/commandArguments';
import { toApiJob } from '../../presentation/apiJob';
import type { ExportJobsOptions } from './exportJobs';
import {
  copyAs,
  copyJobId,
  copyPullRequestLink,
  openJobPullRequest,
  type OpenJobPullRequestOptions,
  renameJob,
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
  showMoreJobs,
  viewOptions,
} from './listCommands';
import { trackJob, type TrackJobOptions } from './trackJob';

type Options = ListActionOptions &
  RefreshJobsOptions &
  OpenJobPullRequestOptions &
  UntrackJobOptions &
  TrackJobOptions &
  ExportJobsOptions & { view: Pick<JobsView, 'selection'> };

export function jobsViewCommands(options: Options): CommandHandlers {
  /** A key passes no rows to a command, so the manifest's key bindings ask for the selected ones. */
  const rows = (argument: unknown): unknown => (wantsSelectedRows(argument) ? options.view.selection : argument);
  return {
    'docsAgent.refreshJobs': () => refreshJobs(options),
    'docsAgent.viewOptions': (argument) => viewOptions(options, argument),
    'docsAgent.filterJobs': (argument) => filterJobs(options, argument),
    'docsAgent.showAllJobs': () => showAllJobs(options),
    'docsAgent.showMoreJobs': (argument) => showMoreJobs(options, argument),
    'docsAgent.markAllSeen': () => markAllSeen(options),
    'docsAgent.openPullRequest': (argument) => openJobPullRequest(options, argument),
    'docsAgent.copyPullRequestLink': (argument) => copyPullRequestLink(options, argument),
    'docsAgent.copyJobId': (argument) => copyJobId(options, argument),
    'docsAgent.copyAs': (argument) => copyAs(options, argument),
    'docsAgent.exportJobs': async (argument) => (await import('./exportJobs')).exportJobs(options, argument),
    'docsAgent.trackJob': async (argument) => toApiJob(await trackJob(options, argument)),
    'docsAgent.untrackJob': (argument) => untrackJob(options, rows(argument)),
    'docsAgent.restoreJob': (argument) => restoreJob(options, argument),
    'docsAgent.renameJob': (argument) => renameJob(options, rows(argument)),
    'docsAgent.togglePin': (argument) => togglePin(options, argument),
  };
}
