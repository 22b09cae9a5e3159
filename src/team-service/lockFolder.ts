import { join } from 'node:path';
import { keepPrivate } from '../base/files';

/** Another worker uses the same data folder. */
class FolderInUse extends Error {
  readonly exitCode = 3;
}

const SQLITE_BUSY = 5;

/**
 * Locks a worker's data folder for other processes. Returns a function that unlocks it. Throws FolderInUse.
 *
 * Node.js can't lock files, but SQLite can: the operating system holds the lock for as long as this process lives, so a
 * killed worker leaves no stale one. A suspended worker keeps its lock.
 */
export function lockFolder(data: string): () => void {
  // Loaded at run time: an import would also load it, and print its warning, in each supervisor.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const file = join(data, 'lock');
  keepPrivate(file);
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new FolderInUse(`Another worker uses the data folder “${data}”. Give each worker its own.`);
    }
    throw error;
  }
  return () => database.close();
}
