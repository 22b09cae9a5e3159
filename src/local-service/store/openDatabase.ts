import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Clock, delay, KeyedQueue } from '../../base/async';
import { Emitter } from '../../base/disposable';
import { keepPrivate } from '../../base/files';
import type { Channel, Database, Query, Row, Transaction } from './database';
import { tablesWith } from './tables';

/** How long a service that is shutting down may hold the file, in milliseconds. Longer than a shutdown may take. */
const MAX_WAIT_MS = 12_000;

/**
 * How long two services that create a new file at the same time may lock each other out, in milliseconds, and the
 * longest wait between two attempts: waits are random, so that one of them wins.
 */
const CREATION_MS = 1_000;
const AGAIN_MS = 150;

/** How often a file is replaced by a new one: other services may do that at the same time. */
const MAX_DAMAGED = 8;

/** A file without tables has version 0. */
const VERSION = 1;

const LAST_PORT = 'CREATE TABLE last_port (port integer NOT NULL)';

/** Another service uses the same data folder. */
export class StoreInUse extends Error {
  readonly exitCode = 3;
}

/** A newer version wrote the data folder, which may hold data that this version would lose. */
class StoreTooNew extends Error {
  readonly exitCode = 4;
}

/** Another program created the file. */
class StoreForeign extends Error {
  readonly exitCode = 2;
}

/** The content of the file is corrupt. */
class StoreDamaged extends Error {}

export interface OpenOptions {
  clock: Clock;
  /** Whether the other service that uses the file is known to keep running. */
  isStaying: () => Promise<boolean>;
  /** Called with the new path of a damaged file. */
  onSetAside: (path: string) => void;
}

/**
 * Opens the local service's database file, and creates the tables if it is new. Retries while another service holds the
 * file, unless that one keeps running; throws StoreInUse then. The operating system holds the exclusive lock for as long
 * as this process lives, so no second service can work on the same jobs, and a killed service leaves no stale lock.
 *
 * Moves a damaged file aside and creates a new one; otherwise the service could never start again.
 */
export async function openDatabase(file: string, { clock, isStaying, onSetAside }: OpenOptions): Promise<Database> {
  const start = clock.monotonic();
  for (let damaged = 0; ;) {
    const before = inodeOf(file);
    try {
      return new SqliteDatabase(openOnce(file), () => clock.now());
    } catch (error) {
      const waitedMs = clock.monotonic() - start;
      if (error instanceof StoreDamaged && damaged++ < MAX_DAMAGED) {
        // Don't move a file that another service, which found the same damage, has recreated in the meantime.
        if (inodeOf(file) === before) {
          onSetAside(moveAside(file));
        }
        continue;
      }
      if (!(error instanceof StoreInUse) || waitedMs > MAX_WAIT_MS || (waitedMs > CREATION_MS && (await isStaying()))) {
        throw error;
      }
    }
    await delay(clock, AGAIN_MS * Math.random());
  }
}

function openOnce(file: string): DatabaseSync {
  // Loaded at run time: an import would also load it, and print its warning, in each supervisor.
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  if (sqlite === undefined) {
    throw new Error(`this Node.js (${process.version}) has no node:sqlite; the local service needs 22.15 or later`);
  }
  // It contains prompts and the addresses of review pages. SQLite gives the files next to it the same permissions.
  keepPrivate(file);
  const database = new sqlite.DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('BEGIN IMMEDIATE');
    const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (row.user_version === 0 && database.prepare('SELECT 1 FROM sqlite_master').get() !== undefined) {
      throw new StoreForeign(`“${file}” isn’t a database of this service. Use another folder with --data.`);
    }
    if (row.user_version > VERSION) {
      throw new StoreTooNew(
        'A newer version of the local service wrote this data folder. Start that version, or name another folder with --data.',
      );
    }
    checkPages(database);
    if (row.user_version === 0) {
      database.exec(tablesWith('integer PRIMARY KEY AUTOINCREMENT') + LAST_PORT);
    }
    database.exec(`PRAGMA user_version = ${VERSION}; COMMIT; PRAGMA foreign_keys = ON`);
    return database;
  } catch (error) {
    database.close();
    switch (primaryCode(error)) {
      case SQLITE_BUSY:
        throw new StoreInUse('another local service is using this data folder');
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
        throw new StoreDamaged((error as Error).message);
      default:
        throw error;
    }
  }
}

/**
 * Checks all pages. Damage in the middle of the file would otherwise show only when it is read, as a failure of each
 * request.
 */
function checkPages(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string } | undefined;
  if (found?.quick_check !== 'ok') {
    throw new StoreDamaged(found?.quick_check);
  }
}

/** Moves the file and the files that SQLite keeps next to it. Returns the new path. */
function moveAside(file: string): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  let path = `${file}.damaged-${time}`;
  for (let number = 2; existsSync(path); number++) {
    path = `${file}.damaged-${time}-${number}`;
  }
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(file + end)) {
      renameSync(file + end, path + end);
    }
  }
  return path;
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

export const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code, without the extended part. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

/** The port that the service listened on last. */
export async function readLastPort({ query }: Query): Promise<number | undefined> {
  const [row] = await query('SELECT port FROM last_port');
  return row?.['port'] as number | undefined;
}

export async function saveLastPort(database: Database, port: number): Promise<void> {
  await database.transaction(async ({ query }) => {
    await query('DELETE FROM last_port');
    await query('INSERT INTO last_port VALUES ($1)', [port]);
  });
}

/** A SQLite file. Only this process uses it; its tasks take turns, each with a statement or a transaction. */
export class SqliteDatabase implements Database {
  private readonly turns = new KeyedQueue();
  private readonly notified = new Emitter<{ channel: Channel; jobId: string }>(() => undefined);

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly database: DatabaseSync,
    now: () => number,
  ) {
    database.function('now_ms', () => BigInt(now()));
  }

  query: Query['query'] = (text, values) => this.inTurn(() => this.run(text, values));

  transaction: Database['transaction'] = (work) =>
    this.inTurn(async () => {
      const notifications = new Map<string, { channel: Channel; jobId: string }>();
      const transaction: Transaction = {
        query: async (text, values) => this.run(text, values),
        // Nothing else uses the database until this transaction ends.
        lock: async () => undefined,
        notify: (channel, jobId) => void notifications.set(`${channel} ${jobId}`, { channel, jobId }),
      };
      this.database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(transaction);
        this.database.exec('COMMIT');
        notifications.forEach((each) => this.notified.fire(each));
        return result;
      } catch (error) {
        try {
          this.database.exec('ROLLBACK');
        } catch {
          // SQLite itself has rolled back, as it does when the disk is full or the file is lost.
        }
        throw error;
      }
    });

  listen: Database['listen'] = async (onNotification) => {
    this.notified.event(({ channel, jobId }) => onNotification(channel, jobId));
  };

  close = (): Promise<void> => this.inTurn(async () => this.database.close());

  private inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    return this.turns.run('', async () => work());
  }

  private run(text: string, values: readonly unknown[] = []): Row[] {
    // By name, `1` for `$1`: Node.js 22 can't bind them by position.
    const named = Object.fromEntries(values.map((value, index) => [index + 1, value as SQLInputValue]));
    return this.database.prepare(text).all(named);
  }
}
