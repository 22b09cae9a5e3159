import type { Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../../git/git';
import { joinBytes, shownPath } from '../text';
import { hostPlace, type JobFolders } from './jobClone';

/*
 * The name of a ref is a string with one character per byte here, because it need not be UTF-8.
 */

/** What is read of a ref and of the list of packed refs, in bytes, and how many refs are looked at. */
const MAX_REF = 1024;
const MAX_PACKED = 1024 * 1024;
const MAX_REFS = 2_000;

/** How many are named. */
const MAX_NAMED = 5;

/** Stands for a ref that the agent has made unreadable; no repository has it. */
const UNKNOWN = '0'.repeat(40);

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Names the branches and the stash of the agent's clone that have commits which no other place has. The job's branch is
 * made from the files in the work folder, so it has the work of the branch that is checked out, but no other. Reads the
 * clone's refs as files, because git would run what the agent has configured there. Throws GitError.
 *
 * @returns a list for a message; undefined if there are none
 */
export async function commitsElsewhere(git: Git, folders: JobFolders): Promise<string | undefined> {
  const gitDir = join(folders.work, '.git');
  if (!(await isFolder(gitDir))) {
    return undefined;
  }
  const refs = new Map([...(await packedRefs(gitDir)), ...(await looseRefs(gitDir, 'refs/heads'))]);
  const stash = await idIn(join(gitDir, 'refs', 'stash')).catch(() => UNKNOWN);
  if (stash !== undefined) {
    refs.set('refs/stash', stash);
  }
  const head = (await readStart(join(gitDir, 'HEAD'), MAX_REF).catch(() => ''))?.trim() ?? '';
  const current = ID.test(head) ? head : refs.get(head.replace(/^ref:\s*/, ''));
  const others = [...refs].filter(([, id]) => id !== current).slice(0, MAX_REFS);
  const missing = await missingIn(git, folders, new Set(others.map(([, id]) => id)));
  const names = others.filter(([, id]) => missing.has(id)).map(([name]) => shortName(name));
  const shown = names.slice(0, MAX_NAMED).map((name) => shownPath(Buffer.from(name, 'latin1')));
  return names.length === 0 ? undefined : [...shown, ...(names.length > shown.length ? ['…'] : [])].join(', ');
}

function shortName(ref: string): string {
  return ref === 'refs/stash' ? 'stash' : ref.replace('refs/heads/', '');
}

/** Returns those of the ids that the service's own git directory, which has the user's commits and the job's, lacks. */
async function missingIn(git: Git, folders: JobFolders, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) {
    return new Set();
  }
  const input = [...ids].map((id) => `${id}\n`).join('');
  const { hostGit } = folders;
  const printed = await git.run({ ...hostPlace(folders), folder: hostGit }, ['cat-file', '--batch-check'], { input });
  return new Set([...printed.matchAll(/^([0-9a-f]+) missing$/gm)].map(([, id = '']) => id));
}

async function packedRefs(gitDir: string): Promise<[string, string][]> {
  const text =
    (await readStart(join(gitDir, 'packed-refs'), MAX_PACKED).catch(() => `${UNKNOWN} refs/heads/packed-refs`)) ?? '';
  return [...text.matchAll(/^([0-9a-f]{40,64}) (refs\/(?:heads\/.{1,500}|stash))$/gm)].map(([, id = '', name = '']) => [
    name,
    id,
  ]);
}

async function looseRefs(gitDir: string, folder: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && found.length < MAX_REFS; next = folders.pop()) {
    const entries = await list(onDisk(gitDir, next)).catch(() => undefined);
    found.push(...(entries === undefined ? [[next, UNKNOWN] as [string, string]] : []));
    for (const entry of entries ?? []) {
      const name = `${next}/${entry.name.toString('latin1')}`;
      if (entry.isDirectory()) {
        folders.push(name);
      } else {
        const id = entry.isFile() ? await idIn(onDisk(gitDir, name)).catch(() => UNKNOWN) : undefined;
        found.push(...(id === undefined ? [] : [[name, id] as [string, string]]));
      }
    }
  }
  return found;
}

function onDisk(gitDir: string, ref: string): Buffer {
  return joinBytes(gitDir, Buffer.from(ref, 'latin1'));
}

async function list(folder: Buffer): Promise<Dirent<Buffer>[]> {
  return (await isFolder(folder)) ? readdir(folder, { withFileTypes: true, encoding: 'buffer' }) : [];
}

/** False for a link to a folder, which could lead anywhere. */
async function isFolder(path: string | Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function idIn(path: string | Buffer): Promise<string | undefined> {
  const text = (await readStart(path, MAX_REF))?.trim() ?? '';
  return ID.test(text) ? text : undefined;
}

/** The beginning of a file; undefined if there is no such file. */
async function readStart(path: string | Buffer, bytes: number): Promise<string | undefined> {
  if ((await lstat(path).catch(() => undefined))?.isFile() !== true) {
    return undefined;
  }
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
