import * as z from 'zod/mini';
import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { reader } from '../../platform/commandArguments';
import { toApiJob } from '../../presentation/apiJob';
import {
  copyAs,
  copyJobId,
  copyPullRequestLink,
  openJobPullRequest,
  removeRows,
  renameJob,
  renameRow,
  restoreJob,
  untrackJob,
} from './jobCommands';
import { filterJobs, markAllSeen, refreshJobs, showAllJobs, viewOptions } from './listCommands';
import { trackJob } from './trackJob';

/** A key passes no rows to a command, so the manifest's key bindings ask for those that are selected. */
const readRows = reader(z.object({ rows: z.literal('selected') }));

export function register(app: App): CommandHandlers {
  return {
    'docsAgent.refreshJobs': () => refreshJobs(app),
    'docsAgent.viewOptions': (argument) => viewOptions(app, argument),
    'docsAgent.filterJobs': (argument) => filterJobs(app, argument),
    'docsAgent.showAllJobs': () => showAllJobs(app),
    'docsAgent.markAllSeen': () => markAllSeen(app),
    'docsAgent.openPullRequest': (argument) => openJobPullRequest(app, argument),
    'docsAgent.copyPullRequestLink': (argument) => copyPullRequestLink(app, argument),
    'docsAgent.copyJobId': (argument) => copyJobId(app, argument),
    'docsAgent.copyAs': (argument) => copyAs(app, argument),
    'docsAgent.trackJob': async (argument) => toApiJob(await trackJob(app, argument)),
    'docsAgent.untrackJob': async (argument) =>
      readRows(argument) ? removeRows(app, await app.view.rowsForKey()) : untrackJob(app, argument),
    'docsAgent.restoreJob': (argument) => restoreJob(app, argument),
    'docsAgent.renameJob': async (argument) =>
      readRows(argument) ? renameRow(app, await app.view.rowsForKey()) : renameJob(app, argument),
  };
}
