import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { archiveJob, cancelJob, startLocalService, stopLocalService, unarchiveJob } from './localServiceCommands';
import { manageLocalService } from './manageLocalService';

export function register(app: App): CommandHandlers {
  const decisions = (): Promise<typeof import('./decideJob')> => import('./decideJob');
  const updates = (): Promise<typeof import('./updateJob')> => import('./updateJob');
  return {
    'docsAgent.cancelJob': (argument) => cancelJob(app, argument),
    'docsAgent.archiveJob': (argument) => archiveJob(app, argument),
    'docsAgent.unarchiveJob': (argument) => unarchiveJob(app, argument),
    'docsAgent.finishJob': async (argument) => (await decisions()).finishJob(app, argument),
    'docsAgent.mergeJob': async (argument) => (await decisions()).mergeJob(app, argument),
    'docsAgent.undoMerge': async (argument) => (await decisions()).undoMerge(app, argument),
    'docsAgent.closeJob': async (argument) => (await decisions()).decideReview(app, 'close', argument),
    'docsAgent.reopenJob': async (argument) => (await decisions()).decideReview(app, 'reopen', argument),
    'docsAgent.updateJob': async (argument) => (await updates()).updateJob(app, argument),
    'docsAgent.keepWork': async (argument) => (await updates()).keepWork(app, argument),
    'docsAgent.discardWork': async (argument) => (await updates()).discardWork(app, argument),
    'docsAgent.manageLocalService': (argument) => manageLocalService(app, argument),
    'docsAgent.startLocalService': () => startLocalService(app.local),
    'docsAgent.stopLocalService': () => stopLocalService(app.localAccess),
  };
}
