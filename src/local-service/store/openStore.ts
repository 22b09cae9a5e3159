import { type Clock, delay } from '../../base/async';
import { StoreInUse } from './openDatabase';
import { SqliteJobStore } from './sqliteJobStore';

/** How long a service that ends may still hold the file, in milliseconds: longer than an end may take. */
const MAX_WAIT_MS = 12_000;
const LOOK_MS = 100;

/**
 * Opens the store. While another service holds the file, which stays so only if that one does not end, it is tried again.
 * Throws StoreInUse.
 *
 * @param isStaying whether the other service is known to go on
 * @param onSetAside told where a file that was damaged is now
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
