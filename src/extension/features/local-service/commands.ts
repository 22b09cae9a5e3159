import type { CommandHandlers } from '../../ids';
import type { LocalService } from '../../platform/localService';
import { type CodeHostOptions, connectCodeHost } from './codeHost';
import {
  archiveJob,
  cancelJob,
  type LocalJobOptions,
  showJobFolders,
  startLocalService,
  stopLocalService,
} from './localServiceCommands';
import { showAgents } from './showAgents';

export function localServiceCommands(
  options: LocalJobOptions & CodeHostOptions & { local: LocalService },
): CommandHandlers {
  const { local, localAccess } = options;
  return {
    'docsAgent.cancelJob': (argument) => cancelJob(options, argument),
    'docsAgent.archiveJob': (argument) => archiveJob(options, argument),
    'docsAgent.showJobFolders': () => showJobFolders(options),
    'docsAgent.showAgents': () => showAgents(localAccess),
    'docsAgent.connectCodeHost': () => connectCodeHost(options),
    'docsAgent.startLocalService': () => startLocalService(local),
    'docsAgent.stopLocalService': () => stopLocalService(localAccess),
  };
}
