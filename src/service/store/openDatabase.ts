import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** The version of the tables below, kept in the file. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL, agent_command TEXT NOT NULL) STRICT;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id), model TEXT NOT NULL, repository TEXT NOT NULL,
    base_commit TEXT, base_branch TEXT, capability TEXT NOT NULL, published_commit TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY, job_id TEXT NOT NULL REFERENCES jobs (id), project_id TEXT NOT NULL, operation TEXT NOT NULL,
    prompt TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_job ON turns (job_id);
  CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** How often a file that is in use is tried, and the longest wait between, in milliseconds. */
const ATTEMPTS = 8;
const MAX_WAIT_MS = 150;

/** Another service works on the same data folder. */
export class StoreInUse extends Error {
  readonly exitCode = 3;
}

/**
 * Opens the database file and makes its tables. The exclusive lock is held by the system for as long as this process
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
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new sqlite.DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('BEGIN IMMEDIATE');
    const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (row.user_version > SCHEMA_VERSION) {
      throw new Error('the data folder was written by a newer version of the local service');
    }
    if (row.user_version === 0) {
      database.exec(SCHEMA);
    }
    database.exec('COMMIT; PRAGMA foreign_keys = ON');
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
