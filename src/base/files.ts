import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync, type PathLike } from 'node:fs';
import { chmod, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, delay, systemClock } from './async';

/*
 * On Linux and macOS a mode says who may read. On Windows it says no more than whether a file may be written (Node.js,
 * File system, “File modes”): there a file is private by the access list that it inherits from its folder, and our folders
 * lie in the user's own profile, into which no other user may look. So what we make gets the same mode on each system.
 */

/** The mode of a new file that only its user may read. */
export const PRIVATE_FILE = 0o600;

/** The same of a folder. */
export const PRIVATE_FOLDER = 0o700;

/** Makes a folder that only its user may look into, with those above it. Returns the first that was made, if any was. */
export function makePrivateFolder(folder: string): Promise<string | undefined> {
  return mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Makes an empty file unless there is one, and takes from others what rights they had to it. */
export function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_FILE));
  chmodSync(file, PRIVATE_FILE);
}

/** Lets a folder be emptied that a program has made read-only. */
export function makeWritable(folder: PathLike): Promise<void> {
  return chmod(folder, PRIVATE_FOLDER);
}

const OF_OTHERS = 0o077;

/**
 * Whether nobody but this user could have written a file, or read it. True on Windows, which tells neither.
 *
 * @param user the id of this user
 */
export function isOursAlone(
  { mode, uid }: { readonly mode: number; readonly uid: number },
  user = process.getuid?.(),
  platform: NodeJS.Platform = process.platform,
): boolean {
  return platform === 'win32' || (uid === user && (mode & OF_OTHERS) === 0);
}

/** Whether a file is one to be run; on Windows none is, by its mode. */
export function isExecutable({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o100) !== 0;
}

/** How a folder's file system says that it does not sync folders: those of networks and of other systems. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EBADF']);

/**
 * Makes names in a folder durable. Node's `sync` is `F_FULLFSYNC` on macOS, so it reaches the disk there as well. Windows
 * syncs what was opened for writing, which no folder can be (FlushFileBuffers: access denied), and NTFS has its own journal
 * of names. Where a file system has no such call, what it does by itself is all there is, and is taken for enough, as
 * PostgreSQL does (fsync_fname_ext in fd.c): else nothing at all could be kept there.
 */
export async function syncFolder(folder: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === 'win32') {
    return;
  }
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  } finally {
    await handle.close();
  }
}

/** Renames in one step, over a file of that name if there is one. */
export function move(from: PathLike, to: PathLike): Promise<void> {
  return whenFree(() => rename(from, to));
}

/** Removes a file if there is one. */
export function removeFile(path: string): Promise<void> {
  return whenFree(() => rm(path, { force: true }));
}

const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);
const ATTEMPTS = 40;
const MAX_WAIT_MS = 100;

/**
 * What Windows refuses while another program looks at a file, such as a virus scanner at one that is new or a window at
 * one that is to be replaced, is tried again for some three seconds (the way of graceful-fs and of VS Code's own `rename`).
 * On other systems nobody is in the way, and each error means what it says.
 */
export async function whenFree<T>(
  action: () => Promise<T>,
  clock: Pick<Clock, 'after'> = systemClock,
  platform: NodeJS.Platform = process.platform,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (platform !== 'win32' || !IN_USE.has(code) || attempt === ATTEMPTS) {
        throw error;
      }
      await delay(clock, Math.min(attempt * 10, MAX_WAIT_MS));
    }
  }
}

/**
 * Writes a private file so that readers see the one before or the new one, whole. A crash of the machine may cost the new
 * one.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await makePrivateFolder(dirname(file));
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, text, { mode: PRIVATE_FILE });
    await move(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
