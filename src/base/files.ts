import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync, type PathLike, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, delay, systemClock } from './async';

/*
 * On Linux and macOS, a mode controls who may read a file. On Windows, it only controls whether the file is writable
 * (Node.js, File system, “File modes”): a file there is private through the access list inherited from its folder, and
 * our folders are in the user's own profile, which other users can't read. So the same mode is used on every system.
 */

/** The mode of a new file that only its user may read. */
export const PRIVATE_FILE = 0o600;

/** The mode of a new folder that only its user may access. */
export const PRIVATE_FOLDER = 0o700;

/**
 * Creates a folder that only its user may access, with its parents. Returns the first folder created, or undefined if
 * none was.
 */
export function makePrivateFolder(folder: string): Promise<string | undefined> {
  return mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Creates an empty file if it does not exist, and removes all permissions of other users. */
export function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_FILE));
  chmodSync(file, PRIVATE_FILE);
}

/** Makes a folder that a program left read-only writable again, so that it can be emptied. */
export function makeWritable(folder: PathLike): Promise<void> {
  return chmod(folder, PRIVATE_FOLDER);
}

/** Whether something exists at a path. Also true if the folder can't be read, so that nothing counts as missing by mistake. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !isAbsent(error),
  );
}

const OF_OTHERS = 0o077;

/**
 * Returns true if only this user could have written or read a file. Always true on Windows, where the mode and owner
 * say nothing about that.
 *
 * @param user the id of this user
 */
export function isPrivateToUser(
  { mode, uid }: { readonly mode: number; readonly uid: number },
  user = process.getuid?.(),
  platform: NodeJS.Platform = process.platform,
): boolean {
  return platform === 'win32' || (uid === user && (mode & OF_OTHERS) === 0);
}

/** Error codes of file systems that can't sync folders, such as network file systems and those of other systems. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EBADF']);

/**
 * Makes names in a folder durable. Node's `sync` is `F_FULLFSYNC` on macOS, so it reaches the disk there as well.
 * Windows only syncs handles opened for writing, which is impossible for folders (FlushFileBuffers: access denied), and
 * NTFS journals names itself. If a file system does not support the call, its own guarantees have to suffice, as in
 * PostgreSQL (fsync_fname_ext in fd.c): otherwise nothing could be stored there at all.
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

/** Whether an error of the file system means that nothing exists at a path. False for any other failure. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Like `lstat`, but undefined if nothing exists at the path. Throws any other error. */
export async function lstatIfThere(path: PathLike): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Windows has no pipes in the file system, and no such flag. */
const WITHOUT_WAITING = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Returns the start of a file as text; undefined if there is none, if it can't be read, or if it is not a regular file.
 * For folders that anyone may have made: opening a pipe would block one of Node's few threads forever.
 */
export async function readStart(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path, WITHOUT_WAITING).catch(() => undefined);
  try {
    if ((await file?.stat())?.isFile() !== true) {
      return undefined;
    }
    const read = await file?.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return read?.buffer.toString('utf8', 0, read.bytesRead);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

/** Renames atomically, replacing an existing file of that name. */
export function move(from: PathLike, to: PathLike): Promise<void> {
  return retryWhileInUse(() => rename(from, to));
}

/** Removes a file if it exists. */
export function removeFile(path: string): Promise<void> {
  return retryWhileInUse(() => rm(path, { force: true }));
}

const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);
const ATTEMPTS = 40;
const MAX_WAIT_MS = 100;

/**
 * Retries for about three seconds if Windows refuses an operation because another program has the file open, such as a
 * virus scanner reading a new file or a window reading one that is being replaced (as graceful-fs and VS Code's own
 * `rename` do). On other systems such errors are not transient and are thrown at once.
 */
export async function retryWhileInUse<T>(
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
 * Writes a private file atomically: readers see either the previous or the new content in full. A crash of the machine
 * may lose the new content.
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

const SLASH = Buffer.from('/');

/** Joins a folder and a name as bytes, since a name that is not UTF-8 can't be a string. */
export function joinBytes(folder: string | Buffer, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(folder as string), SLASH, Buffer.from(name as string)]);
}
