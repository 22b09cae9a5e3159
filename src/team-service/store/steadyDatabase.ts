import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { retry } from '../../base/retry';
import type { Database } from '../../local-service/store/database';

/** How long to wait before work is repeated, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Codes of temporary errors: a connection that was lost (08), a transaction that had to give way (40), a lack of space
 * or connections (53), a lock or a statement that took too long (55P03, 57014), a server that restarts (57P01 to
 * 57P03); and those of the network.
 */
const TEMPORARY = /^(?:(?:08|40|53)[0-9A-Z]{3}|55P03|57014|57P0[1-3]|E[A-Z_]+)$/;

/** What the driver says in the same cases. These errors have no code. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect)/;

/**
 * Repeats work that was interrupted by such an error until it succeeds: the restart of a server must not cost hours of
 * an agent's work. An interrupted transaction may have been committed, so use this only for work that can safely be
 * done twice.
 *
 * @param mayRepeat asked before each repetition
 */
export function steadyDatabase(
  database: Database,
  { mayRepeat, clock, log }: { mayRepeat: () => boolean; clock: Clock; log: Logger },
): Database {
  const wait = (error: unknown): number | undefined => {
    if (!isTemporary(error) || !mayRepeat()) {
      return undefined;
    }
    log.warn('the database was interrupted; trying again', error);
    return AGAIN_MS;
  };
  const steadily = <T>(work: () => Promise<T>): Promise<T> => retry(work, { attempts: Infinity, wait, clock });
  return {
    ...database,
    query: (...all) => steadily(() => database.query(...all)),
    transaction: (work) => steadily(() => database.transaction(work)),
  };
}

function isTemporary(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? TEMPORARY.test(code) : LOST.test(String(message));
}
