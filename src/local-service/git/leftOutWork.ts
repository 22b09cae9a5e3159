import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lstatIfThere, joinBytes } from '../../base/files';
import { type Git, GIT_MS } from '../../git/git';
import { MAX_NAMED, shownPaths } from '../text';
import { hostPlace, type JobFolders, stagingPlace } from './jobClone';

/*
 * The name of a ref is a string with one character per byte here, because it need not be UTF-8.
 */

/** What is read of a ref and of the list of packed refs, in bytes, and how many refs of a kind are looked at. */
const MAX_REF = 1024;
const MAX_PACKED = 1024 * 1024;
const MAX_REFS = 2_000;

/** Stands for what can't be read, or is too much to be read; no repository has it. */
const UNKNOWN = '0'.repeat(40);

/** The name of a ref, and the commit that it points to. */
type Ref = [name: string, id: string];

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Names the branches, the tags, the linked worktrees and the stash of the agent's clone that have commits which no other
 * place has, and what can't be read. The job's branch is made from the files in the work folder, so it has the work of the branch that is checked out, but no other. Reads the
 * clone's refs as files, because git would run what the agent has configured there. Throws GitError.
 *
 * @returns a list for a message; undefined if there are none
 */
export async function commitsElsewhere(git: Git, folders: JobFolders): Promise<string | undefined> {
  const gitDir = join(folders.work, '.git');
  if ((await lstatIfThere(gitDir))?.isDirectory() !== true) {
    return undefined;
  }
  const refs = new Map([
    ...(await packedRefs(gitDir)),
    ...(await looseRefs(gitDir, 'refs/heads')),
    ...(await looseRefs(gitDir, 'refs/tags')),
    ...(await linkedHeads(gitDir)),
    ...(await refIn(gitDir, 'refs/stash')),
  ]);
  const head = (await readStart(join(gitDir, 'HEAD'), MAX_REF).catch(() => '')).trim();
  const current = ID.test(head) ? head : refs.get(head.replace(/^ref:\s*/, ''));
  const others = [...refs].filter(([, id]) => id !== current || id === UNKNOWN);
  const missing = await missingIn(git, folders, new Set(others.map(([, id]) => id)));
  const names = others.filter(([, id]) => missing.has(id)).map(([name]) => shortName(name));
  return shownPaths(names.map((name) => Buffer.from(name, 'latin1')));
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\/|^refs\/(?=tags\/|stash$)/, '');
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

async function packedRefs(gitDir: string): Promise<Ref[]> {
  const rest: Ref = ['refs/heads/packed-refs', UNKNOWN];
  const text = await readStart(join(gitDir, 'packed-refs'), MAX_PACKED + 1).catch(() => undefined);
  const found = [...(text ?? '').matchAll(/^([0-9a-f]{40,64}) (refs\/(?:(?:heads|tags)\/.{1,500}|stash))$/gm)];
  return [
    ...found.map(([, id = '', name = '']): Ref => [name, id]),
    ...(text === undefined || text.length > MAX_PACKED ? [rest] : []),
  ];
}

async function looseRefs(gitDir: string, folder: string): Promise<Ref[]> {
  const found: Ref[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await list(onDisk(gitDir, next)).catch(() => undefined);
    if (entries === undefined || found.length + folders.length + entries.length > MAX_REFS) {
      return [...found, [next, UNKNOWN]];
    }
    for (const entry of entries) {
      const name = `${next}/${entry.name.toString('latin1')}`;
      if (entry.isDirectory()) {
        folders.push(name);
      } else {
        found.push(...(await refIn(gitDir, name)));
      }
    }
  }
  return found;
}

/** What is checked out in linked worktrees; a branch is found as such. */
async function linkedHeads(gitDir: string): Promise<Ref[]> {
  const entries = await list(onDisk(gitDir, 'worktrees')).catch(() => undefined);
  if (entries === undefined || entries.length > MAX_REFS) {
    return [['worktrees', UNKNOWN]];
  }
  const heads = entries.map(({ name }) => refIn(gitDir, `worktrees/${name.toString('latin1')}/HEAD`));
  return (await Promise.all(heads)).flat();
}

/** Empty if there is no such file, or if it has no id. */
async function refIn(gitDir: string, name: string): Promise<Ref[]> {
  const text = await readStart(onDisk(gitDir, name), MAX_REF).catch(() => UNKNOWN);
  return ID.test(text.trim()) ? [[name, text.trim()]] : [];
}

function onDisk(gitDir: string, ref: string): Buffer {
  return joinBytes(gitDir, Buffer.from(ref, 'latin1'));
}

/** Empty if there is no such folder. Throws if there is something else: a link could lead anywhere. */
async function list(folder: Buffer): Promise<Dirent<Buffer>[]> {
  const stats = await lstatIfThere(folder);
  if (stats?.isDirectory() === false) {
    throw new Error('not a folder');
  }
  return stats === undefined ? [] : readdir(folder, { withFileTypes: true, encoding: 'buffer' });
}

/** The beginning of a file; empty if there is no such file. Throws if there is something else. */
async function readStart(path: string | Buffer, bytes: number): Promise<string> {
  const stats = await lstatIfThere(path);
  if (stats === undefined) {
    return '';
  }
  if (!stats.isFile()) {
    throw new Error('not a file');
  }
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Folders that programs fill: packages, caches, and the results of builds. */
const GENERATED =
  /(^|\/)(node_modules|bower_components|vendor|pods|\.yarn|\.pnpm-store|\.?venv|site-packages|[^/]+\.egg-info|\.eggs|__pycache__|[^/]*cache|\.tox|\.nox|\.gradle|\.terraform|\.bundle|\.dart_tool|\.angular|\.astro|\.docusaurus|\.next|\.nuxt|\.output|\.svelte-kit|\.turbo|\.nyc_output|coverage|htmlcov|_?build|dist|out|target|bin|obj|_?site|public|te?mp|logs?)\//iu;
const LEFTOVER =
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.[^/]*cache|[^/]*(~|\.(log|py[co]|class|o|obj|tsbuildinfo|sw[op]|tmp)))$/iu;

/**
 * Names files in the work folder that no commit will contain because git ignores them, except for what programs
 * generate. The clone had none at first, so the agent, or a program that it ran, has written them.
 *
 * @param repository the folder of the user's repository
 * @returns a list for a message; undefined if there are none
 */
export async function ignoredWork(git: Git, folders: JobFolders, repository: string): Promise<string | undefined> {
  const host = await stagingPlace(git, folders, repository);
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z'];
  const found: Buffer[] = [];
  // One character per byte, because a name need not be UTF-8.
  let rest = '';
  for await (const chunk of git.stream(host, args, AbortSignal.timeout(GIT_MS))) {
    const paths = (rest + Buffer.from(chunk).toString('latin1')).split('\0');
    rest = paths.pop() ?? '';
    for (const path of paths.filter((each) => !GENERATED.test(each) && !LEFTOVER.test(each))) {
      found.push(Buffer.from(path, 'latin1'));
      if (found.length > MAX_NAMED) {
        // There may be millions.
        return shownPaths(found);
      }
    }
  }
  return shownPaths(found);
}
