import type { Clock } from '../base/async';
import type { JobStore } from '../jobs/jobStore';
import { type CommandId, COMMANDS } from './ids';

/** How long requests right after startup wait for the records to be read, in milliseconds. */
export const READ_LIMIT_MS = 10_000;

/** Commands that concern no job and help to diagnose why records can't be read. */
const WITHOUT_RECORDS: ReadonlySet<CommandId> = new Set([COMMANDS.showLog, COMMANDS.connect, COMMANDS.setApiKey]);

/**
 * Returns a function that resolves when a command may run, so that its effect does not depend on how many records have
 * been read.
 */
export function untilRead(
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
