import type { DatabaseSync } from 'node:sqlite';
import { keepPrivate } from '../../shared/util/fileModes';
import { MIGRATIONS } from './migrations';

/** How often a file that is in use is tried, and the longest wait between, in milliseconds. */
const ATTEMPTS = 8;
const MAX_WAIT_MS = 150;

/** Another service works on the same data folder. */
export class StoreInUse extends Error {
  readonly exitCode = 3;
}

/** A newer version wrote the data folder, and may have put there what this one would lose. */
export class StoreTooNew extends Error {
  readonly exitCode = 4;
}

/**
 * Opens the database file and brings its tables to the present version, all or nothing. The exclusive lock is held by the system for as long as this process
 * lives, so that no second service can work on the same jobs, and none is left behind by one that was killed.
 */
export function openDatabase(file: string): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    try {
      return openOnce(file);
    } catch (error) {
      // Two that make a new file together can refuse each other; with waits of different length one of them gets it.
      if (!(error instanceof StoreInUse) || attempt === ATTEMPTS) {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_WAIT_MS * Math.random());
    }
  }
}

function openOnce(file: string): DatabaseSync {
  // By name at run time: an import would load it, and print its warning, in each supervisor as well.
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  if (sqlite === undefined) {
    throw new Error(`this Node.js (${process.version}) has no node:sqlite; the local service needs 22.15 or newer`);
  }
  // Prompts and the addresses of review pages stand in it. SQLite gives the files beside it the same rights.
  keepPrivate(file);
  const database = new sqlite.DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('BEGIN IMMEDIATE');
    const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (row.user_version > MIGRATIONS.length) {
      throw new StoreTooNew(
        'A newer version of the local service wrote this data folder. Start that version, or name another folder with --data.',
      );
    }
    for (const migration of MIGRATIONS.slice(row.user_version)) {
      database.exec(migration);
    }
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT; PRAGMA foreign_keys = ON`);
    return database;
  } catch (error) {
    database.close();
    throw isBusy(error) ? new StoreInUse('another local service works on this data folder') : error;
  }
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}
