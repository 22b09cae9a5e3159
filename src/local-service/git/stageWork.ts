import { lstat, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import { joinBytes, shownPath } from '../text';
import { hostPlace, type JobFolders } from './jobClone';
import { leadsOut } from './leadsOut';

/*
 * A path in the work folder is a text with one character per byte here: names need not be UTF-8, and such a text can be
 * compared, cut at its slashes and led back to the bytes.
 */

/** The mode of a submodule's entry in a tree. */
export const GITLINK = '160000';
const SYMLINK = '120000';
/** The most that the list of all files may be, in bytes: some millions of them. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;
/** So much of a path that is too long for the system tells whether it is ignored, in bytes. */
const MAX_PLACE = 1000;

/**
 * Stages what stands in the work folder and returns the id of its tree. Only git says what changed; what the agent says
 * does not count. Throws TurnFailure for what must not reach the user's repository.
 */
export async function stageWork(git: Git, folders: JobFolders, parent: string): Promise<string> {
  const work = await lstat(folders.work).catch(() => undefined);
  if (work?.isDirectory() !== true) {
    throw new TurnFailure(coded('folderReplaced'));
  }
  // The service's git directory lies where an agent that is not confined can write, so it is not trusted either.
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  await refuseForeignFiles(git, host, folders.work);
  await addAll(git, host);
  await refuseWorkInSubmodules(git, host, folders.work);
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none', parent, '--'];
  for (const { oldMode, mode, path } of parseRaw(await git.run(host, args, { bytes: true }))) {
    if (oldMode === GITLINK) {
      throw workInSubmodule(path);
    }
    if (mode === GITLINK) {
      throw new TurnFailure(coded('nestedRepository', { path: shown(path) }));
    }
    if (mode === SYMLINK && (await leadsOut(folders.work, Buffer.from(path, 'latin1')))) {
      throw new TurnFailure(coded('linkLeadsOut', { path: shown(path) }));
    }
  }
  return (await git.run(host, ['write-tree'])).trim();
}

/** Where a path of the work folder is on the disk. */
function onDisk(work: string, path: string): Buffer {
  return path === '' ? Buffer.from(work) : joinBytes(work, Buffer.from(path, 'latin1'));
}

function shown(path: string): string {
  return shownPath(Buffer.from(path, 'latin1'));
}

async function addAll(git: Git, host: GitPlace): Promise<void> {
  try {
    await git.run(host, ['add', '--all', '--', '.']);
  } catch (error) {
    // Names that are none on another system, files that can't be read.
    throw error instanceof GitError ? new TurnFailure(coded('notCommitted', { words: error.message })) : error;
  }
}

/** The modes and the path of each entry of `git diff-index --raw -z` or `git diff-tree --raw -z`. */
export function parseRaw(raw: string): { oldMode: string; mode: string; path: string }[] {
  const parts = raw.split('\0');
  const entries: { oldMode: string; mode: string; path: string }[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [oldMode = '', mode = ''] = parts[index]?.slice(':'.length).split(' ') ?? [];
    entries.push({ oldMode, mode, path: parts[index + 1] ?? '' });
  }
  return entries;
}

/** What no commit may hold, or what git can't read. */
interface Foreign {
  path: string;
  /** Where git would come upon it: a nested `.git` shows in the folder that holds it. */
  place: string;
  what: 'nestedRepository' | 'specialFile' | 'foldersTooDeep' | 'folderNotReadable';
}

/**
 * Refuses, before git looks: a nested `.git` of any kind, whose configuration git would follow while it asks whether a
 * submodule changed, and files that are no files, on which git would wait for ever. What is ignored, such as installed
 * packages, may hold such.
 */
async function refuseForeignFiles(git: Git, host: GitPlace, work: string): Promise<void> {
  const foreign = await foreignFiles(work);
  // Which paths are ignored stands in files that git reads: it would wait for ever where one of them is a pipe.
  const ownFile = foreign.find(({ path, what }) => what === 'specialFile' && /(^|\/)\.git[^/]*$/i.test(path));
  const ignored = ownFile ? new Set() : await ignoredOf(git, host, [...new Set(foreign.map(({ place }) => place))]);
  const first = ownFile ?? foreign.find(({ place }) => !ignored.has(place));
  if (first !== undefined) {
    throw new TurnFailure(coded(first.what, { path: shown(first.path) }));
  }
}

async function foreignFiles(work: string): Promise<Foreign[]> {
  const found: Foreign[] = [];
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(onDisk(work, folder), { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name.toString('latin1');
      const path = posix.join(folder, name);
      if (name.toLowerCase() === '.git') {
        if (folder !== '') {
          found.push({ path, place: folder, what: 'nestedRepository' });
        }
      } else if (entry.isDirectory()) {
        await look(path).catch((error: unknown) => found.push(...whyNotListed(path, error)));
      } else if (!entry.isFile() && !entry.isSymbolicLink()) {
        found.push({ path, place: path, what: 'specialFile' });
      }
    }
  };
  await look('');
  return found;
}

/** A folder that can't be listed would be committed as if all that is in it had been deleted. */
function whyNotListed(path: string, error: unknown): Foreign[] {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      // It went meanwhile.
      return [];
    case 'ENAMETOOLONG': {
      const place = path.slice(0, path.lastIndexOf('/', MAX_PLACE));
      return [{ path, place, what: 'foldersTooDeep' }];
    }
    default:
      return [{ path, place: path, what: 'folderNotReadable' }];
  }
}

/** Which of the paths git leaves out of account. */
async function ignoredOf(git: Git, host: GitPlace, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) {
    return new Set();
  }
  // The command takes no literal paths; with a dot before it, none is a pattern of `:` either.
  const args = ['--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
  const input = paths.map((path) => `./${path}\0`).join('');
  try {
    const printed = await git.run(host, args, { input, bytes: true });
    return new Set(printed.split('\0').map((path) => path.slice('./'.length)));
  } catch (error) {
    // With code 1 it is none of them; where git can't tell, as within a submodule, none counts as ignored either.
    if (error instanceof GitError) {
      return new Set();
    }
    throw error;
  }
}

/** What stands in a submodule's folder is in no commit: the clone does not hold the submodule. */
async function refuseWorkInSubmodules(git: Git, host: GitPlace, work: string): Promise<void> {
  const options = { maxBytes: MAX_INDEX_BYTES, bytes: true } as const;
  const printed = await git.run(host, ['ls-files', '--stage', '-z'], options);
  for (const entry of printed.split('\0').filter((each) => each.startsWith(`${GITLINK} `))) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    if ((await readdir(onDisk(work, path)).catch(() => [])).length > 0) {
      throw workInSubmodule(path);
    }
  }
}

function workInSubmodule(path: string): TurnFailure {
  return new TurnFailure(coded('workInSubmodule', { path: shown(path) }));
}
