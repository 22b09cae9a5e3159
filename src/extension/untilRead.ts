import type { Clock } from '../base/async';
import type { JobStore } from '../jobs/jobStore';
import { type CommandId, COMMANDS } from './ids';

/** How long what is asked for right after a start waits for the records to be read, in milliseconds. */
export const READ_LIMIT_MS = 10_000;

/** They are about no job, and help with what keeps the records from being read. */
const WITHOUT_RECORDS: ReadonlySet<CommandId> = new Set([COMMANDS.showLog, COMMANDS.connect, COMMANDS.setApiKey]);

/** Tells when a command may begin: what it does must not depend on how many of the records have been read by then. */
export function untilRead(
  store: Pick<JobStore, 'loaded'>,
  clock: Pick<Clock, 'after'>,
): (id?: CommandId) => Promise<void> {
  // From the start on: a disk that gives no records must not hold up every command.
  const read = new Promise<void>((resolve) => {
    const limit = clock.after(READ_LIMIT_MS, resolve);
    void store.loaded.then(() => {
      limit.dispose();
      resolve();
    });
  });
  return async (id) => (id !== undefined && WITHOUT_RECORDS.has(id) ? undefined : read);
}
