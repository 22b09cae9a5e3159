import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Clock, delay, KeyedQueue } from '../../base/async';
import { CONNECT_MS, DATABASE_ANSWER_MS } from '../../base/limits';
import type { Logger } from '../../base/logger';
import { retry } from '../../base/retry';
import { LimitedWarning } from '../limitedWarning';
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
 * The settings of each session, whatever the role or the database has for others. PostgreSQL itself ends a statement
 * whose client may be gone, one that waits for a lock, and a transaction whose client hangs or was lost, so that no lock
 * is held for long. Whatever waits for a lock gives up before others give up waiting for its connection. A transaction
 * sees what was committed before each of its statements, because locks decide what comes first. A connection may be idle;
 * and the driver reads dates of one style only. A session pooler doesn't accept these as connection parameters.
 */
function sessionSettings(answerMs: number): string {
  const settings = {
    statement_timeout: Math.round((answerMs * 5) / 6),
    lock_timeout: Math.round(answerMs / 6),
    idle_in_transaction_session_timeout: Math.round(answerMs / 3),
    idle_session_timeout: 0,
    default_transaction_isolation: "'read committed'",
    datestyle: 'ISO',
  };
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
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
  /** Whether the server keeps the plans of statements with values: for a process that has few and repeats them often. */
  keepsPlans?: boolean;
  clock: Clock;
  log: Logger;
}

/**
 * Creates a pool of connections, and one more for notifications. It needs sessions, so a pooler in between must not
 * hand out connections per transaction.
 */
export function connectDatabase(options: ConnectOptions): Database {
  const { url, connections, answerMs = DATABASE_ANSWER_MS, keepsPlans = false, clock, log } = options;
  const settings = {
    connectionString: url,
    types,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    pipeline: true,
  };
  const pool = new pg.Pool({
    ...settings,
    max: connections,
    // The pool awaits the returned promise, although its types don't say so.
    onConnect: (client): unknown => queryOf(client, answerMs)(sessionSettings(answerMs)),
  });
  const lostConnections = new LimitedWarning('connections to the database that were lost', log, clock);
  pool.on('error', (error) => lostConnections.add(withCode(error)));
  // Without a listener, the loss of a connection in use would end the process. Its statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let names: Map<string, string> | undefined;
  const closing = new AbortController();
  const listeners: Promise<void>[] = [];

  const withConnection = async <T>(work: (query: Query['query']) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch(throwNothingDone);
    const query = queryOf(client, answerMs, names);
    let failure: Error | undefined;
    try {
      return await work(query);
    } catch (error) {
      const { message, code } = error as { message?: unknown; code?: unknown };
      if (message === TOO_LATE || code === READ_ONLY) {
        // The next connection may lead to another server.
        failure = error as Error;
      } else {
        await query('ROLLBACK').catch((lost: unknown) => (failure = lost as Error));
      }
      throw error;
    } finally {
      // With a failure, it is not used again.
      client.release(failure);
    }
  };

  const transact: Database['transaction'] = (work) =>
    withConnection(async (query) => {
      // A pool of transactions, with which keys and projects can be managed, doesn't keep the session's settings.
      const begun = query('BEGIN ISOLATION LEVEL READ COMMITTED').catch(throwNothingDone);
      const { transaction, report } = transactionOf(query, begun);
      // The server rolls back what it wasn't told to commit.
      const result = await work(transaction).catch(throwLostAsNothingDone);
      await Promise.all([report(), query('COMMIT')]);
      return result;
    });

  const queues = new KeyedQueue();
  /** Work waits no longer in its queue than it would for a lock. */
  const transaction: Database['transaction'] = (work, queue) => {
    const late = clock.monotonic() + answerMs / 6;
    const inTurn = async () => (clock.monotonic() > late ? throwNothingDone(QUEUED_TOO_LONG) : transact(work));
    return queue === undefined ? transact(work) : queues.run(queue, inTurn);
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
    client.on('error', (error) => lost.abort(withCode(error)));
    client.on('notification', ({ channel, payload = '' }) => {
      if (isChannel(channel)) {
        onNotification(channel, payload);
      }
    });
    try {
      await client.connect().catch(throwNothingDone);
      await queryOf(client, CHECK_TIMEOUT_MS)(sessionSettings(answerMs));
      if (isFirst) {
        await checkNotifications(client);
        // Not before: a pool of transactions loses plans, too, and then the reason to refuse it would not be said.
        names = keepsPlans ? new Map() : undefined;
      }
      await client.query(CHANNELS.map((channel) => `LISTEN ${channel}`).join('; '));
      onListening();
      for (;;) {
        await delay(clock, CHECK_MS, signal);
        await queryOf(client, CHECK_TIMEOUT_MS)('SELECT 1');
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const listen: Database['listen'] = (onNotification) =>
    new Promise((resolve, reject) => {
      const keepListening = async (): Promise<void> => {
        let isFirst = true;
        let told: string | undefined;
        const onListening = (): void => {
          told = undefined;
          if (!isFirst) {
            log.info('the database answers again');
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
            // Each attempt fails for the same reason until the server is back.
            const { message } = error as Error;
            if (!closing.signal.aborted && message !== told) {
              log.warn('lost the connection for notifications', error);
              told = message;
            }
          });
          await delay(clock, AGAIN_MS, closing.signal).catch(() => undefined);
        }
      };
      listeners.push(keepListening().catch((error: unknown) => reject(error as Error)));
    });

  return {
    query: (text, values) =>
      withConnection((query) => {
        const rows = query(text, values);
        return /^\s*SELECT\b/.test(text) ? rows.catch(throwLostAsNothingDone) : rows;
      }),
    transaction,
    listen,
    async close() {
      closing.abort();
      await Promise.all(listeners);
      await pool.end();
    },
  };
}

/** A fault of the database that has changed nothing. Has the words and the code of the server, the driver, or the system. */
export class NothingDone extends Error {
  readonly code: string;

  constructor(fault: unknown) {
    const { message, code } = fault as { message: string; code?: string };
    // Two addresses that both refuse a connection make an error without words.
    super(message || code);
    this.code = code ?? NO_CONNECTION;
  }
}

const QUEUED_TOO_LONG = new Error('waited too long for other transactions of this process');

/** SQLSTATE of a connection that couldn't be had, and of one that was lost, where the driver gives none. */
const NO_CONNECTION = '08001';
const CONNECTION_LOST = '08006';

/** SQLSTATE of a statement that a standby refuses. */
const READ_ONLY = '25006';

function throwNothingDone(fault: unknown): never {
  throw new NothingDone(fault);
}

function throwLostAsNothingDone(error: unknown): never {
  throw isLost(error) ? new NothingDone(error) : error;
}

/**
 * Codes of errors of a statement that has changed nothing: a limit for locks or statements, or a database that is read-only,
 * as a standby is until it becomes the primary.
 */
const BUSY: ReadonlySet<unknown> = new Set(['55P03', '57014', READ_ONLY]);

/** Returns whether the error means that nothing was done, so that the request can be sent again. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof NothingDone || BUSY.has((error as { code?: unknown }).code);
}

/** Throws NothingDone if nothing can be saved. */
export async function checkWritable({ query }: Query): Promise<void> {
  const [row] = await query("SELECT current_setting('transaction_read_only') AS read_only");
  if (row?.['read_only'] !== 'off') {
    throw new NothingDone({ message: 'The database is read-only. Is this a standby?', code: READ_ONLY });
  }
}

const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const NOTIFY = 'SELECT pg_notify(channel, job) FROM unnest($1::text[], $2::text[]) AS report (channel, job)';

/**
 * What a transaction can do, and `report`, which sends its notifications before it ends. A lock is requested together
 * with the begin, and statements as soon as that was answered.
 */
export function transactionOf(query: Query['query'], begun?: Promise<unknown>) {
  let failure: Error | undefined;
  const run: Query['query'] = (text, values) =>
    query(text, values).catch((error: unknown) => {
      // Of the statements after one that failed, the server says only that.
      failure ??= error as Error;
      throw failure;
    });
  const notifications = new Map<string, [Channel, string]>();
  const transaction: Transaction = {
    async query(text, values) {
      await begun;
      return run(text, values);
    },
    lock: async (name) => void (await Promise.all([begun, run(LOCK, [name])])),
    notify: (channel, jobId) => void notifications.set(`${channel} ${jobId}`, [channel, jobId]),
  };
  const report = async (): Promise<void> => {
    const all = [...notifications.values()];
    if (all.length > 0) {
      await query(NOTIFY, [all.map(([channel]) => channel), all.map(([, jobId]) => jobId)]);
    }
  };
  return { transaction, report };
}

/** Replaces the one character that PostgreSQL cannot store in a text. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}

function isChannel(name: string): name is Channel {
  return CHANNELS.some((channel) => channel === name);
}

/** @param names of statements that are prepared once for each connection; the server doesn't plan these again */
function queryOf(client: Pick<pg.ClientBase, 'query'>, limitMs: number, names?: Map<string, string>): Query['query'] {
  return async (text, values = []) => {
    if (names?.has(text) === false && values.length > 0) {
      names.set(text, `statement_${names.size}`);
    }
    const of = { text, name: names?.get(text), values: values.map(storable), query_timeout: limitMs };
    // The driver's types lack the timeout, and that several statements have several results.
    const results: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client
      .query<Row>(of as pg.QueryConfig)
      .catch((error: unknown) => {
        throw withCode(error as Error);
      });
    return [results].flat().flatMap(({ rows }) => rows);
  };
}

/** What the driver says when a connection was lost. These errors have no code. */
const LOST = /^(?:Connection terminated|Client has encountered a connection error|Query read timeout)/;

/** Gives such an error the code that a server would. */
function withCode(error: Error): Error {
  return LOST.test(error.message) ? Object.assign(error, { code: CONNECTION_LOST }) : error;
}

/** Whether it has the code of a lost connection (08), a server that restarts (57P01 to 57P03), or the network. */
function isLost(error: unknown): boolean {
  return /^(?:08[0-9A-Z]{3}|57P0[1-3]|E(?!RR_)[A-Z_]+)$/.test(String((error as { code?: unknown }).code));
}

/** Whether it may succeed later: also if a transaction had to give way (40), or space or connections are lacking (53). */
function isTemporary(error: unknown): boolean {
  return isDatabaseBusy(error) || isLost(error) || /^(?:40|53)/.test(String((error as { code?: unknown }).code));
}

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
  const interrupted = new LimitedWarning('interruptions by the database, after which work is tried again', log, clock);
  const wait = (error: unknown, failures: number): number | undefined => {
    if (!isTemporary(error) || !mayRepeat()) {
      return undefined;
    }
    if (failures === 1) {
      interrupted.add(error);
    }
    return AGAIN_MS;
  };
  const steadily = <T>(work: () => Promise<T>): Promise<T> => retry(work, { attempts: Infinity, wait, clock });
  return {
    ...database,
    query: (...all) => steadily(() => database.query(...all)),
    transaction: (...all) => steadily(() => database.transaction(...all)),
  };
}
