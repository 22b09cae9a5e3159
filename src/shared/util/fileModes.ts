import { chmodSync, closeSync, openSync, type PathLike } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';

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
