import * as vscode from 'vscode';
import type { Clock } from '../base/async';
import type { JobStore } from '../jobs/jobStore';
import type { DocsAgentApi } from './api';
import type { Commands } from './app';
import type { Tools } from './features/chat-tools/registerTools';
import { type CommandId } from './ids';
import { type Log, showErrorWithLog } from './platform/log';
import { toNotice } from './platform/sanitize';

/** What the user, other extensions and language models ask for. */
export interface Requests extends Pick<DocsAgentApi, 'createJob' | 'sendFollowUp'> {
  /** Runs a command. Errors are already logged when it rejects. */
  run(id: CommandId, argument: unknown): Promise<unknown>;
  /** Opens a link to a job. The link is untrusted, so its parts are not logged. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** Returns the language model tools. */
  tools(): Promise<Tools>;
}

/** Answers requests with the commands, which are loaded for the first one. */
export function answerRequests(options: {
  commands: () => Promise<Commands>;
  /** Resolves when a request may run. */
  read: (id?: CommandId) => Promise<void>;
  log: Log;
}): Requests {
  const { commands, read, log } = options;
  const ready = async (id?: CommandId): Promise<Commands> => {
    const [built] = await Promise.all([commands(), read(id)]);
    return built;
  };
  return {
    run: async (id, argument) => {
      try {
        return await (await ready(id)).run(id, argument);
      } catch (error) {
        log.error(`${id} failed`, error);
        // Sanitized here, because the file that shows the message is loaded whenever the editor starts and must stay
        // small.
        throw new Error(toNotice(error instanceof Error ? error.message : String(error), 300), { cause: error });
      }
    },
    openLink: async (uri) => {
      try {
        await (await ready()).openLink(uri);
      } catch (error) {
        log.error('couldn’t open a job link', error);
        void showErrorWithLog(vscode.l10n.t('The job link couldn’t be opened. Check the log, then open it again.'));
      }
    },
    tools: async () => (await ready()).tools(),
    createJob: async (prompt, options) => (await ready()).createJob(prompt, options?.project),
    sendFollowUp: async (jobId, prompt, options) => (await ready()).sendFollowUp(jobId, prompt, options?.when),
  };
}

/** How long requests right after startup wait for the records to be read, in milliseconds. */
export const READ_LIMIT_MS = 10_000;

/** Commands that concern no job and help to diagnose why records can't be read. */
const WITHOUT_RECORDS: ReadonlySet<CommandId> = new Set([
  'docsAgent.showLog',
  'docsAgent.connect',
  'docsAgent.setApiKey',
]);

/**
 * Returns a function that resolves when a command may run, so that its effect does not depend on how many records have
 * been read.
 */
export function waitForRecords(
  store: Pick<JobStore, 'loaded'>,
  clock: Pick<Clock, 'after'>,
): (id?: CommandId) => Promise<void> {
  // The limit counts from startup: a disk that does not answer must not block every command.
  const read = new Promise<void>((resolve) => {
    const limit = clock.after(READ_LIMIT_MS, resolve);
    void store.loaded.then(() => {
      limit.dispose();
      resolve();
    });
  });
  return async (id) => (id !== undefined && WITHOUT_RECORDS.has(id) ? undefined : read);
}
