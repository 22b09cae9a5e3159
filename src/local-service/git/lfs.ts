import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Git } from '../../git/git';

/** What stands for a large file in a repository with Git LFS (git-lfs: docs/spec.md). */
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n/;

/** A pointer is smaller than this, in bytes. */
export const MAX_POINTER = 1024;

/** Returns the id of the content that a pointer stands for; undefined for anything else. */
export function pointerId(blob: Buffer): string | undefined {
  return blob.length < MAX_POINTER ? POINTER.exec(blob.toString('latin1'))?.[1] : undefined;
}

/** Where a repository keeps the content. */
export async function lfsObject(git: Git, folder: string, id: string): Promise<string> {
  const common = (await git.run({ folder }, ['rev-parse', '--git-common-dir'])).replace(/\r?\n$/, '');
  return join(resolve(folder, common), 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id);
}

/** Returns the content for a pointer; undefined if it was not downloaded, is too large, or is something else. */
export async function readLfsObject(git: Git, folder: string, id: string, maxBytes: number) {
  const file = await lfsObject(git, folder, id);
  const size = (await stat(file).catch(() => undefined))?.size ?? Infinity;
  const content = size > maxBytes ? undefined : await readFile(file);
  return content !== undefined && createHash('sha256').update(content).digest('hex') === id ? content : undefined;
}
