import type { CommandHandlers } from '../../ids';
import type { DecisionOptions } from './decideJob';
import { archiveJob, cancelJob, startLocalService, stopLocalService } from './localServiceCommands';
import { type LocalServiceOptions, manageLocalService } from './manageLocalService';

export function localServiceCommands(options: LocalServiceOptions & DecisionOptions): CommandHandlers {
  const { local, localAccess } = options;
  return {
    'docsAgent.cancelJob': (argument) => cancelJob(options, argument),
    'docsAgent.archiveJob': (argument) => archiveJob(options, argument),
    'docsAgent.finishJob': async (argument) => (await import('./decideJob')).finishJob(options, argument),
    'docsAgent.mergeJob': async (argument) => (await import('./decideJob')).mergeJob(options, argument),
    'docsAgent.undoMerge': async (argument) => (await import('./decideJob')).undoMerge(options, argument),
    'docsAgent.closeJob': async (argument) => (await import('./decideJob')).closeJob(options, argument),
    'docsAgent.reopenJob': async (argument) => (await import('./decideJob')).reopenJob(options, argument),
    'docsAgent.manageLocalService': (argument) => manageLocalService(options, argument),
    'docsAgent.startLocalService': () => startLocalService(local),
    'docsAgent.stopLocalService': () => stopLocalService(localAccess),
  };
}
