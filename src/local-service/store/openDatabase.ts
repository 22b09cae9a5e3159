import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { keepPrivate } from '../../base/files';

/** Maximum number of attempts to open a file that is in use, and maximum wait between two attempts, in milliseconds. */
const ATTEMPTS = 8;
const MAX_WAIT_MS = 150;

/** Another service uses the same data folder. */
export class StoreInUse extends Error {
  readonly exitCode = 3;
}

/** A newer version wrote the data folder, which may hold data that this version would lose. */
export class StoreTooNew extends Error {
  readonly exitCode = 4;
}

/** Another program created the file. */
class StoreForeign extends Error {
  readonly exitCode = 2;
}

/** The content of the file is corrupt. */
class StoreDamaged extends Error {}

/**
 * Opens the database file, and creates the tables if it is new. The operating system holds the exclusive lock for as
 * long as this process lives, so no second service can work on the same jobs, and a killed service leaves no stale lock.
 *
 * Moves a damaged file aside and creates a new one; otherwise the service could never start again.
 *
 * @param onSetAside called with the new path of the damaged file
 */
export function openDatabase(file: string, onSetAside: (path: string) => void = () => undefined): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    const before = inodeOf(file);
    try {
      return openOnce(file);
    } catch (error) {
      if (error instanceof StoreDamaged && attempt < ATTEMPTS) {
        // Don't move a file that another service, which found the same damage, has recreated in the meantime.
        if (inodeOf(file) === before) {
          onSetAside(moveAside(file));
        }
        continue;
      }
      // Two services that create a new file at the same time can lock each other out. Random waits let one of them win.
      if (!(error instanceof StoreInUse) || attempt === ATTEMPTS) {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_WAIT_MS * Math.random());
    }
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
      database.exec(TABLES);
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

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code, without the extended part. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

/** A file without tables has version 0. */
const VERSION = 1;

/**
 * Ids in the activity log are never reused (AUTOINCREMENT), because a reader resumes after the last one that it has
 * seen.
 */
const TABLES = `
  CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL, settings TEXT NOT NULL) STRICT;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id), branch TEXT NOT NULL, model TEXT NOT NULL,
    repository TEXT NOT NULL, base_commit TEXT, base_branch TEXT, published_commit TEXT, changes TEXT, pushed_commit TEXT,
    pushed_to TEXT, pr_link TEXT, note TEXT, left_out TEXT, agent_session TEXT, session_agent TEXT, session_turn INTEGER,
    review TEXT, created_at INTEGER NOT NULL, archived_at INTEGER
  ) STRICT;
  CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
  CREATE INDEX jobs_by_branch ON jobs (branch);
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY, job_id TEXT NOT NULL REFERENCES jobs (id), project_id TEXT NOT NULL, operation TEXT NOT NULL,
    prompt TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, created_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0, free_attempts INTEGER NOT NULL DEFAULT 0, agent_pid INTEGER, agent_start_time TEXT,
    started_at INTEGER, ended_at INTEGER, summary TEXT, usage TEXT, commit_id TEXT
  ) STRICT;
  CREATE INDEX turns_by_job ON turns (job_id);
  CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
  CREATE INDEX turns_unfinished ON turns (id) WHERE state IN ('queued', 'running', 'publishing');
  CREATE TABLE story (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL REFERENCES jobs (id),
    turn_id INTEGER NOT NULL REFERENCES turns (id), at INTEGER NOT NULL, entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX story_by_job ON story (job_id, id);
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;
