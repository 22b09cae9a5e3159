import type { CommandHandlers } from '../../ids';
import { archiveJob, cancelJob, startLocalService, stopLocalService } from './localServiceCommands';
import { type LocalServiceOptions, manageLocalService } from './manageLocalService';

export function localServiceCommands(options: LocalServiceOptions): CommandHandlers {
  const { local, localAccess } = options;
  return {
    'docsAgent.cancelJob': (argument) => cancelJob(options, argument),
    'docsAgent.archiveJob': (argument) => archiveJob(options, argument),
    'docsAgent.manageLocalService': (argument) => manageLocalService(options, argument),
    'docsAgent.startLocalService': () => startLocalService(local),
    'docsAgent.stopLocalService': () => stopLocalService(localAccess),
  };
}
