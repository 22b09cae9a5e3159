import type { CommandHandlers } from '../../ids';
import { toApiJob } from '../../presentation/apiJob';
import type { ExportJobsOptions } from './exportJobs';
import {
  copyJobId,
  copyJobLink,
  copyPullRequestLink,
  copyPullRequestMarkdown,
  openJobPullRequest,
  type OpenJobPullRequestOptions,
  renameJob,
  restoreJob,
  togglePin,
  untrackJob,
  type UntrackJobOptions,
} from './jobCommands';
import {
  arrangeJobs,
  clearFilter,
  filterJobs,
  type ListActionOptions,
  markAllSeen,
  refreshJobs,
  type RefreshJobsOptions,
  showMoreJobs,
  toggleMergedJobs,
  toggleRemovedJobs,
} from './listCommands';
import { enterJobId, type EnterJobIdOptions, trackJob, type TrackJobOptions } from './trackJob';

type Options = ListActionOptions &
  RefreshJobsOptions &
  OpenJobPullRequestOptions &
  UntrackJobOptions &
  TrackJobOptions &
  EnterJobIdOptions &
  ExportJobsOptions;

export function jobsViewCommands(options: Options): CommandHandlers {
  return {
    'docsAgent.refreshJobs': () => refreshJobs(options),
    'docsAgent.arrangeJobs': (argument) => arrangeJobs(options, argument),
    'docsAgent.filterJobs': (argument) => filterJobs(options, argument),
    'docsAgent.clearFilter': () => clearFilter(options),
    'docsAgent.toggleRemovedJobs': () => toggleRemovedJobs(options),
    'docsAgent.toggleMergedJobs': () => toggleMergedJobs(options),
    'docsAgent.showMoreJobs': (argument) => showMoreJobs(options, argument),
    'docsAgent.markAllSeen': () => markAllSeen(options),
    'docsAgent.openPullRequest': (argument) => openJobPullRequest(options, argument),
    'docsAgent.copyPullRequestLink': (argument) => copyPullRequestLink(options, argument),
    'docsAgent.copyPullRequestMarkdown': (argument) => copyPullRequestMarkdown(options, argument),
    'docsAgent.copyJobId': (argument) => copyJobId(options, argument),
    'docsAgent.copyJobLink': (argument) => copyJobLink(options, argument),
    'docsAgent.exportJobs': async (argument) => (await import('./exportJobs')).exportJobs(options, argument),
    'docsAgent.trackJob': async (argument) => toApiJob(await trackJob(options, argument)),
    'docsAgent.enterJobId': async (argument) => toApiJob(await enterJobId(options, argument)),
    'docsAgent.untrackJob': (argument) => untrackJob(options, argument),
    'docsAgent.restoreJob': (argument) => restoreJob(options, argument),
    'docsAgent.renameJob': (argument) => renameJob(options, argument),
    'docsAgent.togglePin': (argument) => togglePin(options, argument),
  };
}
