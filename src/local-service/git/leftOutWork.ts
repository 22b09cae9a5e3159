import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readStart } from '../../base/files';
import type { Git } from '../../git/git';
import { streamEntries } from '../../git/streamEntries';
import { MAX_NAMED, shownPaths } from '../text';
import { hostPlace, type JobFolders, stagingPlace } from './jobClone';

/** What is read of a ref and of the list of packed refs, in bytes. */
const MAX_REF = 1024;
const MAX_PACKED = 16 * 1024 * 1024;

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const OWN = /^refs\/(heads\/|tags\/|stash$)/;
const PACKED = /^([0-9a-f]{40,64}) (refs\/(?:(?:heads|tags)\/.{1,500}|stash))$/gm;

/**
 * Names the branches, the tags, the linked worktrees and the stash of the agent's clone that have commits which no other
 * place has. The job's branch is made from the files in the work folder, so it has the work of the branch that is
 * checked out, but no other. Reads the clone's refs as files, because git would run what the agent has configured there.
 * Throws GitError.
 *
 * @returns a list for a message; undefined if there are none
 */
export async function commitsElsewhere(git: Git, folders: JobFolders): Promise<string | undefined> {
  const gitDir = join(folders.work, '.git');
  const refs = await refsIn(gitDir);
  const head = (await readStart(join(gitDir, 'HEAD'), MAX_REF))?.trim() ?? '';
  const current = ID.test(head) ? head : refs.get(head.replace(/^ref:\s*/, ''));
  const others = [...refs].filter(([, id]) => id !== current);
  const missing = await missingIn(git, folders, new Set(others.map(([, id]) => id)));
  const names = others.filter(([, id]) => missing.has(id)).map(([name]) => name);
  return shownPaths(names.map((name) => name.replace(/^refs\/heads\/|^refs\/(?=tags\/|stash$)/, '')));
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

/** The names of a repository's refs, and of the heads of its linked worktrees, with the commits that they point to. */
async function refsIn(gitDir: string): Promise<Map<string, string>> {
  const packed = (await readStart(join(gitDir, 'packed-refs'), MAX_PACKED)) ?? '';
  const refs = new Map([...packed.matchAll(PACKED)].map(([, id = '', name = '']) => [name, id]));
  const files = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  const worktrees = await readdir(join(gitDir, 'worktrees')).catch(() => []);
  const loose = files.map((name) => `refs/${name.replaceAll('\\', '/')}`).filter((name) => OWN.test(name));
  for (const name of [...loose, ...worktrees.map((each) => `worktrees/${each}/HEAD`)]) {
    const id = (await readStart(join(gitDir, name), MAX_REF))?.trim() ?? '';
    if (ID.test(id)) {
      refs.set(name, id);
    }
  }
  return refs;
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
  for await (const paths of streamEntries(git, host, args, { encoding: 'latin1' })) {
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
