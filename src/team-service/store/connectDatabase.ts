import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Clock, delay } from '../../base/async';
import { CONNECT_MS, DATABASE_ANSWER_MS } from '../../base/limits';
import type { Logger } from '../../base/logger';
import { retry } from '../../base/retry';
import type { Channel, Database, Query, Row, Transaction } from '../../local-service/store/database';

/** How long to wait before interrupted work is repeated, in milliseconds. */
const AGAIN_MS = 500;

/**
 * How often the connection for notifications is checked, in milliseconds. One that a firewall has dropped would otherwise look
 * like one on which nothing happens.
 */
const CHECK_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;
const TOO_LATE = 'Query read timeout';

/**
 * What PostgreSQL itself ends, so that no lock is held for long: a statement whose client may be gone, one that waits
 * for a lock, and a transaction whose client hangs or was lost. Whatever waits for a lock gives up before others give
 * up waiting for its connection. These are set in the session, because a session pooler doesn't accept them as
 * connection parameters.
 */
function serverLimits(answerMs: number): string {
  const limits = {
    statement_timeout: (answerMs * 5) / 6,
    lock_timeout: answerMs / 6,
    idle_in_transaction_session_timeout: answerMs / 3,
  };
  return Object.entries(limits)
    .map(([name, limitMs]) => `SET ${name} = ${Math.round(limitMs)}`)
    .join('; ');
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export const CHANNELS: readonly Channel[] = ['job_changed', 'activity_grown'];

/** The channel of `checkNotifications`. */
const PROBE = 'notifications_arrive';
const NO_NOTIFICATIONS =
  'Notifications of the database don’t arrive. Connect to PostgreSQL directly or through a pool of sessions, not of transactions.';

export interface ConnectOptions {
  /** `postgres://…` */
  url: string;
  /** Maximum number of connections, without the one for notifications. */
  connections: number;
  /** How long a statement may take, in milliseconds. */
  answerMs?: number;
  clock: Clock;
  log: Logger;
}

/**
 * Creates a pool of connections, and one more for notifications. It needs sessions, so a pooler in between must not
 * hand out connections per transaction.
 */
export function connectDatabase(options: ConnectOptions): Database {
  const { url, connections, answerMs = DATABASE_ANSWER_MS, clock, log } = options;
  const settings = { connectionString: url, types, keepAlive: true, connectionTimeoutMillis: CONNECT_MS };
  const pool = new pg.Pool({
    ...settings,
    max: connections,
    // The pool awaits the returned promise, although its types don't say so.
    onConnect: (client): unknown => queryOf(client, answerMs).query(serverLimits(answerMs)),
  });
  pool.on('error', (error) => log.warn('lost a connection to the database', error));
  // Without a listener, the loss of a connection in use would end the process. Its statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const closing = new AbortController();
  const listeners: Promise<void>[] = [];

  const transaction: Database['transaction'] = async (work) => {
    const client = await pool.connect();
    const { query } = queryOf(client, answerMs);
    let failure: Error | undefined;
    try {
      await query('BEGIN');
      const result = await work(transactionOf(query));
      await query('COMMIT');
      return result;
    } catch (error) {
      if ((error as Error).message === TOO_LATE) {
        failure = error as Error;
      } else {
        await query('ROLLBACK').catch((lost: unknown) => (failure = lost as Error));
      }
      throw error;
    } finally {
      // A connection that could not be rolled back is not used again.
      client.release(failure);
    }
  };

  /**
   * Makes sure that notifications of other connections arrive. A pool that hands out connections per transaction accepts
   * LISTEN, but loses them.
   */
  const checkNotifications = async (client: pg.Client): Promise<void> => {
    const [arrived, mark] = [new AbortController(), randomUUID()];
    client.on('notification', ({ payload }) => payload === mark && arrived.abort());
    await client.query(`LISTEN ${PROBE}`);
    await pool.query('SELECT pg_notify($1, $2)', [PROBE, mark]);
    const isLate = await delay(clock, CHECK_TIMEOUT_MS, arrived.signal).then(
      () => true,
      () => false,
    );
    if (isLate) {
      throw new Error(NO_NOTIFICATIONS);
    }
    await client.query(`UNLISTEN ${PROBE}`);
  };

  /** Listens until the connection is lost. */
  const listenOnce = async (
    onNotification: (channel: Channel, jobId: string) => void,
    { isFirst, onListening }: { isFirst: boolean; onListening: () => void },
  ): Promise<void> => {
    const client = new pg.Client(settings);
    const lost = new AbortController();
    const signal = AbortSignal.any([closing.signal, lost.signal]);
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    client.on('notification', ({ channel, payload = '' }) => {
      if (isChannel(channel)) {
        onNotification(channel, payload);
      }
    });
    try {
      await client.connect();
      if (isFirst) {
        await checkNotifications(client);
      }
      await client.query(CHANNELS.map((channel) => `LISTEN ${channel}`).join('; '));
      onListening();
      for (;;) {
        await delay(clock, CHECK_MS, signal);
        await queryOf(client, CHECK_TIMEOUT_MS).query('SELECT 1');
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const listen: Database['listen'] = (onNotification) =>
    new Promise((resolve, reject) => {
      const keepListening = async (): Promise<void> => {
        let isFirst = true;
        const onListening = (): void => {
          if (!isFirst) {
            CHANNELS.forEach((channel) => onNotification(channel, undefined));
          }
          isFirst = false;
          resolve();
        };
        while (!closing.signal.aborted) {
          await listenOnce(onNotification, { isFirst, onListening }).catch((error: unknown) => {
            if (isFirst) {
              throw error;
            }
            if (!closing.signal.aborted) {
              log.warn('lost the connection for notifications', error);
            }
          });
          await delay(clock, AGAIN_MS, closing.signal).catch(() => undefined);
        }
      };
      listeners.push(keepListening().catch((error: unknown) => reject(error as Error)));
    });

  return {
    ...queryOf(pool, answerMs),
    transaction,
    listen,
    async close() {
      closing.abort();
      await Promise.all(listeners);
      await pool.end();
    },
  };
}

/**
 * Codes of errors that mean that nothing was done: no connection, too many of them, a server that is starting, or a
 * limit for locks or statements.
 */
const BUSY: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  '53300',
  '57P03',
  '55P03',
  '57014',
]);

/** The message of the pool's error when no connection becomes free in time. That error has no code. */
const POOL_IS_FULL = 'timeout exceeded when trying to connect';

/** Returns whether the error means that nothing was done, so that the request can be sent again. */
export function isDatabaseBusy(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return BUSY.has(code) || message === POOL_IS_FULL;
}

/** What a transaction can do beyond running statements. */
export function transactionOf(query: Query['query']): Transaction {
  return {
    query,
    lock: async (name) => void (await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])),
    notify: async (channel, jobId) => void (await query('SELECT pg_notify($1, $2)', [channel, jobId])),
  };
}

/** Replaces the one character that PostgreSQL cannot store in a text. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}

function isChannel(name: string): name is Channel {
  return CHANNELS.some((channel) => channel === name);
}

function queryOf(client: Pick<pg.ClientBase, 'query'>, limitMs: number): Query {
  return {
    async query(text, values = []) {
      // The driver's types lack the timeout.
      const statement = { text, values: values.map(storable), query_timeout: limitMs } as pg.QueryConfig;
      return (await client.query<Row>(statement)).rows;
    },
  };
}

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
