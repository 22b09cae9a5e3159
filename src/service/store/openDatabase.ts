import { existsSync, renameSync, statSync } from 'node:fs';
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

/** Another program made the file. */
class StoreForeign extends Error {
  readonly exitCode = 2;
}

/** What is in the file can't be read any more. */
class StoreDamaged extends Error {}

/**
 * Opens the database file and brings its tables to the present version, all or nothing. The exclusive lock is held by the
 * system for as long as this process lives, so that no second service can work on the same jobs, and none is left behind
 * by one that was killed.
 *
 * A file that is damaged is set aside, and a new one begins: else the service could never start again.
 *
 * @param onSetAside told where the damaged file is now
 */
export function openDatabase(file: string, onSetAside: (path: string) => void = () => undefined): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    const before = inodeOf(file);
    try {
      return openOnce(file);
    } catch (error) {
      if (error instanceof StoreDamaged && attempt < ATTEMPTS) {
        // Not one that another service, which found the same damage, has begun anew meanwhile.
        if (inodeOf(file) === before) {
          onSetAside(setAside(file));
        }
        continue;
      }
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
    if (row.user_version === 0 && database.prepare('SELECT 1 FROM sqlite_master').get() !== undefined) {
      throw new StoreForeign(`“${file}” is not a database of this service. Name another folder with --data.`);
    }
    if (row.user_version > MIGRATIONS.length) {
      throw new StoreTooNew(
        'A newer version of the local service wrote this data folder. Start that version, or name another folder with --data.',
      );
    }
    checkPages(database);
    for (const migration of MIGRATIONS.slice(row.user_version)) {
      database.exec(migration);
    }
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT; PRAGMA foreign_keys = ON`);
    return database;
  } catch (error) {
    database.close();
    switch (primaryCode(error)) {
      case SQLITE_BUSY:
        throw new StoreInUse('another local service works on this data folder');
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
        throw new StoreDamaged((error as Error).message);
      default:
        throw error;
    }
  }
}

/** Damage amid the file shows only when it is read, and then as a failure of each request. */
function checkPages(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string } | undefined;
  if (found?.quick_check !== 'ok') {
    throw new StoreDamaged(found?.quick_check);
  }
}

/** Moves the file away with those beside it; returns where to. */
function setAside(file: string): string {
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

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Without what SQLite adds to tell more. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}
