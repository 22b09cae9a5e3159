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
 * Opens the database file and migrates its tables to the current version in one transaction. The operating system holds
 * the exclusive lock for as long as this process lives, so no second service can work on the same jobs, and a killed
 * service leaves no stale lock.
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

/** The tables of the first version. */
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
 * Adds settings in place of a single command, the columns that a restart needs to resume a turn, and the activity log.
 * Ids in the log are never reused (AUTOINCREMENT), because a reader resumes after the last one that it has seen.
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

const LEFT_OUT = 'ALTER TABLE jobs ADD COLUMN left_out TEXT;';

/** Adds the names of branches. Before, they followed from the job's id. */
const BRANCH = `
  ALTER TABLE jobs ADD COLUMN branch TEXT NOT NULL DEFAULT '';
  UPDATE jobs SET branch = 'docs-agent/' || id;
  CREATE INDEX jobs_by_branch ON jobs (branch);
`;

const CHANGES = 'ALTER TABLE jobs ADD COLUMN changes TEXT;';

const USAGE = 'ALTER TABLE turns ADD COLUMN usage TEXT;';

const TURN_COMMIT = 'ALTER TABLE turns ADD COLUMN commit_id TEXT;';

/** Adds the number of attempts that a shutdown interrupted. Before, they were subtracted from the attempts. */
const FREE_ATTEMPTS = 'ALTER TABLE turns ADD COLUMN free_attempts INTEGER NOT NULL DEFAULT 0;';

const PUSHED_TO = 'ALTER TABLE jobs ADD COLUMN pushed_to TEXT;';

/**
 * Each entry migrates a file from version n, its index, to version n + 1. An empty file has version 0. Never change an
 * entry once it has shipped.
 */
const MIGRATIONS: readonly string[] = [
  FIRST,
  SETTINGS_RECOVERY_STORY,
  LEFT_OUT,
  BRANCH,
  CHANGES,
  USAGE,
  TURN_COMMIT,
  FREE_ATTEMPTS,
  PUSHED_TO,
];
