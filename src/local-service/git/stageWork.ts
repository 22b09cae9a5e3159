import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, realpath, mkdtemp, readFile, rm } from 'node:fs/promises';
import { posix, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { streamEntries } from '../../git/streamEntries';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';
import { shownPath } from '../text';
import { isAbsent, joinBytes } from '../../base/files';
import { ENCODING, haveAttributes, readAttributes, restoreEncodings } from './convertedFiles';
import { type JobFolders, stagingPlace, whenAllEnded } from './jobClone';
import { keepStyle } from './keptStyle';
import { stagePointers } from './lfs';
import { type RawEntry, toRawEntry } from './rawDiff';

/*
 * A path in the work folder is a string with one character per byte here. Names need not be UTF-8, and such a string
 * can be compared, split at its slashes and converted back to bytes.
 */

/** The mode of a submodule's entry in a tree. */
export const GITLINK = '160000';
const SYMLINK = '120000';
const ABSENT = '000000';
/** Modes of files start with this, whether they are executable or not. */
const FILE = '100';

/**
 * Stages the contents of the work folder and returns the id of the tree. Only git determines what changed; what the
 * agent says does not count. Throws TurnFailure for anything that must not reach the user's repository.
 *
 * @param repository the folder of the user's repository
 * @param onStyleKept called with the names of files that got back their line ends, their byte order mark, or their end;
 *   without it, files stay as the agent wrote them
 */
export async function stageWork(
  git: Git,
  folders: JobFolders,
  repository: string,
  parent: string,
  onStyleKept?: (names: string) => void,
): Promise<string> {
  const work = await lstat(folders.work).catch(() => undefined);
  if (work?.isDirectory() !== true) {
    throw new TurnFailure(coded('folderReplaced'));
  }
  const host = await stagingPlace(git, folders, repository);
  await refuseUnstageable(git, host, folders.work);
  await addAll(git, host, folders.work);
  const [, entries] = await whenAllEnded([
    refuseWorkInSubmodules(git, host, folders.work),
    stagedChanges(git, host, parent),
  ]);
  for (const { oldMode, mode, oldId, path } of entries) {
    if (oldMode === GITLINK) {
      throw workInSubmodule(path);
    }
    if (mode === GITLINK) {
      throw new TurnFailure(coded('nestedRepository', { path: shown(path) }));
    }
    if (oldMode === SYMLINK && mode !== SYMLINK) {
      await refuseWorkBehindLink(git, host, path, oldId, entries);
    }
    if (mode === SYMLINK && (await isEscapingLink(folders.work, Buffer.from(path, 'latin1')))) {
      throw new TurnFailure(coded('linkLeadsOut', { path: shown(path) }));
    }
  }
  const written = entries.filter(({ mode }) => mode.startsWith(FILE));
  let changed = written.filter(({ oldMode }) => oldMode.startsWith(FILE));
  const paths = written.map(({ path }) => path);
  // Without attributes, git stages files as they are.
  if (await haveAttributes(folders.work, paths)) {
    await unstageUntouched(git, host, folders.work, parent, changed);
    const valueOf = await readAttributes(git, host, ['filter', ENCODING], paths);
    if (await restoreEncodings(folders.work, paths, (path) => valueOf(path, ENCODING))) {
      return stageWork(git, folders, repository, parent, onStyleKept);
    }
    const isLarge = ({ path }: RawEntry): boolean => valueOf(path, 'filter') === 'lfs';
    await stagePointers(git, host, folders.work, repository, written.filter(isLarge));
    changed = changed.filter((entry) => !isLarge(entry));
  }
  const kept = onStyleKept && (await keepStyle(git, host, folders.work, changed));
  if (kept !== undefined) {
    onStyleKept?.(kept);
  }
  return (await git.run(host, ['write-tree'])).trim();
}

/** The path on disk of a path in the work folder. */
function onDisk(work: string, path: string): Buffer {
  return path === '' ? Buffer.from(work) : joinBytes(work, Buffer.from(path, 'latin1'));
}

function shown(path: string): string {
  return shownPath(Buffer.from(path, 'latin1'));
}

async function addAll(git: Git, host: GitPlace, work: string): Promise<void> {
  try {
    await git.run(host, ['add', '--all', '--sparse', '--', '.']);
  } catch (error) {
    const words = error instanceof GitError ? error.message : '';
    const [, name, encoding = ''] =
      /(?:failed to encode|BOM is required in) '(.+)' (?:from|if encoded as) (\S+)/.exec(words) ?? [];
    const path = name === undefined ? undefined : Buffer.from(name).toString('latin1');
    if (path !== undefined && (await restoreEncodings(work, [path], () => encoding))) {
      return addAll(git, host, work);
    }
    // For example names that are invalid on another system, or files that cannot be read.
    throw error instanceof GitError ? new TurnFailure(coded('notCommitted', { words: error.message })) : error;
  }
}

/** What is staged that a commit doesn't have. Read piece by piece: there can be a million files. */
async function stagedChanges(git: Git, host: GitPlace, commit: string): Promise<RawEntry[]> {
  const how = ['--cached', '--raw', '--no-abbrev', '-z', '--no-renames', '--ignore-submodules=none'];
  const entries: RawEntry[] = [];
  let header = '';
  for await (const parts of streamEntries(git, host, ['diff-index', ...how, commit, '--'], { encoding: 'latin1' })) {
    for (const part of parts) {
      if (header === '') {
        header = part;
      } else {
        entries.push(toRawEntry(header, part));
        header = '';
      }
    }
  }
  return entries;
}

/** Something that no commit may contain, or that git cannot read. */
interface Unstageable {
  path: string;
  /** Where git would find it: a nested `.git` is reported for the folder that contains it. */
  place: string;
  what: 'nestedRepository' | 'folderNotReadable';
}

/**
 * Refuses a nested `.git` of any kind, whose configuration git would follow when it checks whether a submodule changed,
 * and folders that can't be listed, whose contents git would commit as deleted. Ignored folders, such as those of
 * installed packages, may contain both.
 */
async function refuseUnstageable(git: Git, host: GitPlace, work: string): Promise<void> {
  const found = await findUnstageable(work);
  const ignored = await ignoredOf(git, host, [...new Set(found.map(({ place }) => place))]);
  const first = found.find(({ place }) => !ignored.has(place));
  if (first !== undefined) {
    throw new TurnFailure(coded(first.what, { path: shown(first.path) }));
  }
}

async function findUnstageable(work: string): Promise<Unstageable[]> {
  const found: Unstageable[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(onDisk(work, folder), { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name.toString('latin1');
      const path = posix.join(folder, name);
      if (name.toLowerCase() === '.git') {
        if (folder !== '') {
          found.push({ path, place: folder, what: 'nestedRepository' });
        }
      } else if (entry.isDirectory()) {
        await visit(path).catch((error: unknown) => {
          if (!isAbsent(error)) {
            found.push({ path, place: path, what: 'folderNotReadable' });
          }
        });
      }
    }
  };
  await visit('');
  return found;
}

/** Returns those of the paths that git ignores. */
async function ignoredOf(git: Git, host: GitPlace, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) {
    return new Set();
  }
  // The command accepts no literal paths. The leading dot keeps a path from being read as a `:` pattern.
  const args = ['--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
  const input = paths.map((path) => `./${path}\0`).join('');
  try {
    const printed = await git.run(host, args, { input, bytes: true });
    return new Set(printed.split('\0').map((path) => path.slice('./'.length)));
  } catch (error) {
    // Exit code 1 means that none is ignored. If git cannot tell, as within a submodule, none counts as ignored either.
    if (error instanceof GitError) {
      return new Set();
    }
    throw error;
  }
}

/** Refuses files in a submodule's folder, which no commit would include: the clone does not contain the submodule. */
async function refuseWorkInSubmodules(git: Git, host: GitPlace, work: string): Promise<void> {
  for await (const entries of streamEntries(git, host, ['ls-files', '--stage', '-z'], { encoding: 'latin1' })) {
    for (const entry of entries.filter((each) => each.startsWith(`${GITLINK} `))) {
      const path = entry.slice(entry.indexOf('\t') + 1);
      if ((await readdir(onDisk(work, path)).catch(() => [])).length > 0) {
        throw workInSubmodule(path);
      }
    }
  }
}

/**
 * Refuses work in the place of a link that leads out of the repository: while the agent runs there is no such link, so
 * what it writes there isn't where it belongs.
 */
async function refuseWorkBehindLink(
  git: Git,
  host: GitPlace,
  path: string,
  id: string,
  entries: readonly RawEntry[],
): Promise<void> {
  if (entries.some((each) => each.mode !== ABSENT && `${each.path}/`.startsWith(`${path}/`))) {
    const target = await git.run(host, ['cat-file', 'blob', id], { bytes: true });
    if (isAbsolute(target) || /^\.\.(\/|$)/.test(posix.join(posix.dirname(path), target))) {
      throw new TurnFailure(coded('workBehindLink', { path: shown(path), target: shown(target) }));
    }
  }
}

function workInSubmodule(path: string): TurnFailure {
  return new TurnFailure(coded('workInSubmodule', { path: shown(path) }));
}

/**
 * True for a link that points outside the work folder or into its `.git`, even where nothing is there.
 *
 * @param path relative to the work folder, in bytes: a name need not be UTF-8
 */
export async function isEscapingLink(work: string, path: Buffer): Promise<boolean> {
  const file = joinBytes(work, path);
  const root = Buffer.from(await realpath(work)).toString('latin1');
  const named = resolve(root, dirname(path.toString('latin1')), await readlink(file, { encoding: 'latin1' }));
  const end = await realpath(file, { encoding: 'latin1' }).catch(() => named);
  return [named, end].some((place) => /^(\.\.|\.git)([\\/]|$)|^[\\/]|^[a-z]:/i.test(relative(root, place)));
}

/** Larger files are not compared and count as changed. In bytes. */
const MAX_COMPARED = 64 * 1024 * 1024;

/**
 * Stages the old content of files in which git sees a change although the agent has not touched them: attributes that
 * were added later (`text`, `ident`, an encoding) normalize a file whenever it is staged. To find them, this checks the
 * files out again and compares the bytes.
 *
 * @param work the work folder; the files are checked out next to it
 */
export async function unstageUntouched(
  git: Git,
  host: GitPlace,
  work: string,
  parent: string,
  changed: readonly RawEntry[],
): Promise<void> {
  // What git stores as it is on the disk, no attribute has changed.
  const files: RawEntry[] = [];
  for (const file of changed) {
    if (!(await isStoredAs(onDisk(work, file.path), file.id))) {
      files.push(file);
    }
  }
  if (files.length === 0) {
    return;
  }
  const directory = await mkdtemp(join(dirname(work), 'untouched-'));
  try {
    const environment = { GIT_INDEX_FILE: join(directory, 'index') };
    await git.run(host, ['read-tree', parent], { environment });
    const copies = join(directory, 'files');
    const args = ['checkout-index', '--quiet', '-z', '--stdin', `--prefix=${copies}/`];
    const input = files.map(({ path }) => `${path}\0`).join('');
    await git.run(host, args, { environment, input, bytes: true });
    const untouched: string[] = [];
    for (const { mode, oldId, path } of files) {
      const name = Buffer.from(path, 'latin1');
      if (await haveSameBytes(joinBytes(work, name), joinBytes(copies, name))) {
        untouched.push(`${mode} ${oldId} 0\t${path}\0`);
      }
    }
    if (untouched.length > 0) {
      await git.run(host, ['update-index', '-z', '--index-info'], { input: untouched.join(''), bytes: true });
    }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether the blob with this id has the very bytes of the file. */
async function isStoredAs(file: Buffer, id: string): Promise<boolean> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size > MAX_COMPARED) {
    return false;
  }
  const bytes = await readFile(file);
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes);
  return hash.digest('hex') === id;
}

async function haveSameBytes(one: Buffer, other: Buffer): Promise<boolean> {
  const stats = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)));
  const [first, second] = stats;
  if (first?.isFile() !== true || second?.isFile() !== true || first.size !== second.size) {
    return false;
  }
  return first.size <= MAX_COMPARED && (await readFile(one)).equals(await readFile(other));
}
