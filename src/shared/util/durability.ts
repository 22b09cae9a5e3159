import type { PathLike } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { type Clock, delay, systemClock } from './clock';

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
