import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { TurnFailure } from '../runner/turnFailure';
import { type Git, GitError, type GitPlace } from './git';
import { hostPlace, type JobFolders } from './jobClone';
import { switchedOff } from './switchedOff';

const GITLINK = '160000';
const SYMLINK = '120000';

/**
 * Stages what stands in the work folder and returns the id of its tree. Only git says what changed; what the agent says
 * does not count. Throws TurnFailure for what must not reach the user's repository.
 */
export async function stageWork(git: Git, folders: JobFolders, parent: string): Promise<string> {
  await refuseForeignFiles(folders.work, '');
  // The service's git directory lies where an agent that is not confined can write, so it is not trusted either.
  const host = await switchedOff(git, hostPlace(folders));
  await addAll(git, host);
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none', parent, '--'];
  for (const { mode, path } of parseRaw(await git.run(host, args))) {
    if (mode === GITLINK) {
      throw new TurnFailure(`The agent left a repository inside the repository at “${path}”. Nothing was committed.`);
    }
    if (mode === SYMLINK && (await leadsOut(folders.work, path))) {
      throw new TurnFailure(
        `The agent made a link that leads out of the repository at “${path}”. Nothing was committed.`,
      );
    }
  }
  return (await git.run(host, ['write-tree'])).trim();
}

async function addAll(git: Git, host: GitPlace): Promise<void> {
  try {
    await git.run(host, ['add', '--all', '--', '.']);
  } catch (error) {
    // Names that are none on another system, files that can't be read.
    throw error instanceof GitError ? new TurnFailure(`The changes could not be committed: ${error.message}`) : error;
  }
}

/** The new mode and the path of each entry of `git diff-index --raw -z`. */
function parseRaw(raw: string): { mode: string; path: string }[] {
  const parts = raw.split('\0');
  const entries: { mode: string; path: string }[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    entries.push({ mode: parts[index]?.split(' ')[1] ?? '', path: parts[index + 1] ?? '' });
  }
  return entries;
}

/**
 * Refuses, before git looks: a nested `.git` of any kind, whose configuration git would follow while it asks whether a
 * submodule changed, and files that are no files, on which git would wait for ever.
 */
async function refuseForeignFiles(work: string, folder: string): Promise<void> {
  for (const entry of await readdir(join(work, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    const isGit = entry.name.toLowerCase() === '.git';
    if (isGit && folder === '') {
      continue;
    }
    if (isGit) {
      throw new TurnFailure(`The agent left a repository inside the repository at “${path}”. Nothing was committed.`);
    }
    if (entry.isDirectory()) {
      await refuseForeignFiles(work, path);
    } else if (!entry.isFile() && !entry.isSymbolicLink()) {
      throw new TurnFailure(`The agent left a special file at “${path}”. Nothing was committed.`);
    }
  }
}

/** True for a link that leads out of the work folder, by its text or by where it ends up on this disk. */
async function leadsOut(work: string, path: string): Promise<boolean> {
  const file = join(work, path);
  if (!(await lstat(file)).isSymbolicLink()) {
    return true;
  }
  const target = await readlink(file);
  if (leadsOutByText(path, target)) {
    return true;
  }
  const root = await realpath(work);
  const end = await realpath(join(await realpath(dirname(file)), target)).catch(() => undefined);
  return end !== undefined && end !== root && !end.startsWith(root + sep);
}

/**
 * True unless the target is relative, climbs only at its start, and not above the root: behind another link `..` would
 * leave from where that link leads.
 *
 * @param path the link's own path from the root, with `/`
 */
export function leadsOutByText(path: string, target: string): boolean {
  if (target === '' || /^[/\\]|^[A-Za-z]:/.test(target)) {
    return true;
  }
  const parts = target.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  const climbs = parts.findIndex((part) => part !== '..');
  const leading = climbs === -1 ? parts.length : climbs;
  const depth = path.split('/').length - 1;
  return leading > depth || parts.slice(leading).includes('..') || parts.some((part) => part.toLowerCase() === '.git');
}
