import { type Clock, delay } from '../../base/async';
import { StoreInUse } from './openDatabase';
import { SqliteJobStore } from './sqliteJobStore';

/** How long a service that is shutting down may hold the file, in milliseconds. Longer than a shutdown may take. */
const MAX_WAIT_MS = 12_000;
const LOOK_MS = 100;

/**
 * Opens the store. Retries while another service holds the file, unless that one is known to keep running. Throws
 * StoreInUse.
 *
 * @param isStaying whether the other service is known to keep running
 * @param onSetAside called with the new path of a damaged file
 */
export async function openStore(
  file: string,
  isStaying: () => Promise<boolean>,
  clock: Clock,
  onSetAside?: (path: string) => void,
): Promise<SqliteJobStore> {
  for (const start = clock.monotonic(); ;) {
    try {
      return SqliteJobStore.open(file, Date.now, onSetAside);
    } catch (error) {
      if (!(error instanceof StoreInUse) || clock.monotonic() - start > MAX_WAIT_MS || (await isStaying())) {
        throw error;
      }
    }
    await delay(clock, LOOK_MS);
  }
}
