import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { keepPrivate, makePrivateFolder, PRIVATE_FILE } from '../base/files';
import { removeStalePushDirectories } from '../local-service/git/pushBranch';
import { UsageError } from '../local-service/options';
import { SQLITE_BUSY } from '../local-service/store/openDatabase';

/** Another worker uses the same data folder. */
class FolderInUse extends Error {
  readonly exitCode = 3;
}

/** The data folder of one worker. */
export interface WorkerFolder {
  /** The worker's name. It is kept here, because jobs belong to the worker that has their folders. */
  name: string;
  /** The folder with one subfolder per job. */
  jobs: string;
  /** The folder with the clones of the projects' repositories. */
  repositories: string;
  /** A folder for pushing. */
  push: string;
  /** Lets another process use the folder. */
  unlock: () => void;
}

/** Creates a worker's data folder if it is missing. Throws FolderInUse, or UsageError if it belongs to another user. */
export async function openWorkerFolder(data: string): Promise<WorkerFolder> {
  return open(data).catch((error: unknown) => {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    if (!/^E(?:ACCES|PERM)$/.test(code)) {
      throw error;
    }
    throw new UsageError(
      `Couldn’t use the data folder “${data}” (${message}). Run the worker as the user that owns the folder.`,
    );
  });
}

async function open(data: string): Promise<WorkerFolder> {
  await mkdir(data, { recursive: true });
  const unlock = lock(data);
  const [jobs, push] = [join(data, 'jobs'), join(data, 'push')];
  await makePrivateFolder(jobs);
  await removeStalePushDirectories(push);
  return { name: await readName(join(data, 'worker')), jobs, repositories: join(data, 'repositories'), push, unlock };
}

/**
 * Locks the folder for other processes. Node.js can't lock files, but SQLite can: the operating system holds the lock
 * for as long as this process lives, so a killed worker leaves no stale one. A suspended worker keeps its lock.
 */
function lock(data: string): () => void {
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

async function readName(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (/^[A-Za-z0-9._-]{1,100}$/.test(known.trim())) {
    return known.trim();
  }
  const machine = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 80);
  const name = `${machine}-${randomBytes(4).toString('hex')}`;
  await writeFile(file, `${name}\n`, { mode: PRIVATE_FILE });
  return name;
}
