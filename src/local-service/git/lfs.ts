import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exists, joinBytes, lstatIfThere, move } from '../../base/files';
import { readBlobs } from '../../git/blobs';
import { PLAIN_DIFF } from '../../git/diff';
import { type Git, GIT_MS, type GitPlace } from '../../git/git';
import { shownPaths } from '../text';
import type { RawEntry } from './rawDiff';

/** A Git LFS pointer file, which the repository has in place of a large file (git-lfs: docs/spec.md). */
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n/;

/** A pointer is smaller than this, in bytes. */
const MAX_POINTER = 1024;

/** Returns the object ID in a pointer file; undefined for any other file. */
export function pointerId(blob: Buffer | undefined): string | undefined {
  return blob !== undefined && blob.length < MAX_POINTER ? POINTER.exec(blob.toString('latin1'))?.[1] : undefined;
}

/** Where a repository keeps the content. */
async function storageOf(git: Git, folder: string): Promise<string> {
  const common = (await git.run({ folder }, ['rev-parse', '--git-common-dir'])).replace(/\r?\n$/, '');
  return join(resolve(folder, common), 'lfs');
}

function objectIn(storage: string, id: string): string {
  return join(storage, 'objects', id.slice(0, 2), id.slice(2, 4), id);
}

/**
 * Stages pointers for files that the agent has written whole, and stores their content in the user's repository, as
 * `git lfs` would.
 *
 * @param repository the folder of the user's repository
 */
export async function stagePointers(
  git: Git,
  host: GitPlace,
  work: string,
  repository: string,
  files: readonly Pick<RawEntry, 'mode' | 'path'>[],
): Promise<void> {
  const staged: string[] = [];
  for (const { mode, path } of files) {
    const file = joinBytes(work, Buffer.from(path, 'latin1'));
    const { size } = await lstat(file);
    if (size > 0 && (size >= MAX_POINTER || pointerId(await readFile(file)) === undefined)) {
      const input = await storeObject(await storageOf(git, repository), file);
      const blob = (await git.run(host, ['hash-object', '-w', '--stdin'], { input })).trim();
      staged.push(`${mode} ${blob} 0\t${path}\0`);
    }
  }
  if (staged.length > 0) {
    await git.run(host, ['update-index', '-z', '--index-info'], { input: staged.join(''), bytes: true });
  }
}

/** Returns the pointer to the file's content. */
async function storeObject(storage: string, file: Buffer): Promise<string> {
  const copy = join(storage, 'tmp', `docs-agent-${randomUUID()}`);
  await mkdir(dirname(copy), { recursive: true });
  try {
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(copy) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    const id = hash.digest('hex');
    await mkdir(dirname(objectIn(storage, id)), { recursive: true });
    await move(copy, objectIn(storage, id));
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${size}\n`;
  } finally {
    await rm(copy, { force: true });
  }
}

/** Returns the content for a pointer; undefined if it was not downloaded, is too large, or is something else. */
export async function readLfsObject(git: Git, folder: string, id: string, maxBytes: number) {
  const file = objectIn(await storageOf(git, folder), id);
  const size = (await stat(file).catch(() => undefined))?.size ?? Infinity;
  const content = size > maxBytes ? undefined : await readFile(file);
  return content !== undefined && createHash('sha256').update(content).digest('hex') === id ? content : undefined;
}

/**
 * Names the files whose content Git LFS has to upload: pointers of a commit that its base has nowhere. Throws GitError.
 *
 * @param folder the user's work tree
 * @param place the service's own git directory, which has both
 * @param base a commit or a tree
 * @returns a list for a message; undefined if there are none
 */
export async function findNewPointers(git: Git, folder: string, place: GitPlace, base: string, commit: string) {
  const gitDir = join(folder, '.git');
  const isMain = (await lstatIfThere(gitDir))?.isDirectory() === true;
  if (!(await exists(isMain ? join(gitDir, 'lfs') : await storageOf(git, folder)))) {
    return undefined;
  }
  const how = ['--name-only', '-z', '--text', '--find-copies-harder', '-G^oid sha256:'];
  const names = (await git.run(place, [...PLAIN_DIFF, ...how, base, commit, '--'])).split('\0').slice(0, -1);
  const where = { git, place, signal: AbortSignal.timeout(GIT_MS) };
  const ids = names.map((name) => `${commit}:${name}`);
  const blobs = await readBlobs(where, ids, names.length * MAX_POINTER);
  return shownPaths(names.filter((_, index) => pointerId(blobs[index]) !== undefined));
}
