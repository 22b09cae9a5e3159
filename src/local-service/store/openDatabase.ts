import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { keepPrivate } from '../../base/files';

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

/** The tables as the first version made them. */
const FIRST = `
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
`;

/**
 * Settings in the place of one command, what a restart needs to take a turn up again, and the story. A story's ids are
 * never given twice (AUTOINCREMENT), because a reader goes on after the last one that it has seen.
 */
const SETTINGS_RECOVERY_STORY = `
  ALTER TABLE projects ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
  UPDATE projects SET settings = json_object('agent', 'custom', 'command', json(agent_command), 'protocol', 'stdin')
    WHERE json_array_length(agent_command) > 0;
  ALTER TABLE projects DROP COLUMN agent_command;
  ALTER TABLE jobs ADD COLUMN pushed_commit TEXT;
  ALTER TABLE jobs ADD COLUMN pr_link TEXT;
  ALTER TABLE jobs ADD COLUMN note TEXT;
  ALTER TABLE jobs ADD COLUMN agent_session TEXT;
  ALTER TABLE jobs ADD COLUMN session_agent TEXT;
  ALTER TABLE jobs ADD COLUMN session_turn INTEGER;
  ALTER TABLE jobs ADD COLUMN review TEXT;
  ALTER TABLE jobs ADD COLUMN archived_at INTEGER;
  CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
  ALTER TABLE turns ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN agent_pid INTEGER;
  ALTER TABLE turns ADD COLUMN agent_start_time TEXT;
  ALTER TABLE turns ADD COLUMN started_at INTEGER;
  ALTER TABLE turns ADD COLUMN ended_at INTEGER;
  ALTER TABLE turns ADD COLUMN summary TEXT;
  CREATE INDEX turns_unfinished ON turns (id) WHERE state IN ('queued', 'running', 'publishing');
  CREATE TABLE story (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL REFERENCES jobs (id),
    turn_id INTEGER NOT NULL REFERENCES turns (id), at INTEGER NOT NULL, entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX story_by_job ON story (job_id, id);
`;

/** What makes a file of version n, counted from 0 for an empty one, a file of version n + 1. Never changed once shipped. */
export const MIGRATIONS: readonly string[] = [FIRST, SETTINGS_RECOVERY_STORY];
