import { constants } from 'node:fs';
import { appendFile, cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder, move, removeFile } from '../../base/files';
import { addSettings, disableRepositoryPrograms, readSettings } from '../../git/repositorySettings';
import { type Git, GitError, type GitPlace, NOT_TRUSTED } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';
import type { Job } from '../store/jobStore';
import { BRANCHES, type UserRepository } from './userRepository';

/** How long to wait for a git command that outlived a killed service, in milliseconds. */
const ORPHAN_LIMIT_MS = 3_000;
const CHECK_AGAIN_MS = 50;

/**
 * Larger object stores are not copied into the agent's clone, because with many jobs that would fill the disk. In
 * bytes.
 */
const MAX_COPIED_BYTES = 256 * 1024 * 1024;

/** The folders of one job. */
export interface JobFolders {
  /** Where the agent works. Its `.git` belongs to the agent, and the service never runs a git command with it. */
  work: string;
  /** The service's own bare git directory, used to find and commit changes. */
  hostGit: string;
}

/** @param directory the job's own folder in the data folder */
export function jobFolders(directory: string): JobFolders {
  return {
    work: join(directory, 'work'),
    hostGit: join(directory, 'host.git'),
  };
}

/** Where the service runs git for a job: its own git directory, with the agent's files as the work tree. */
export function hostPlace(folders: JobFolders): GitPlace {
  return { folder: folders.work, gitDir: folders.hostGit, workTree: folders.work };
}

/**
 * Where the service looks for work to commit. Git runs no program there, because an agent that is not confined can write
 * to the service's git directory, and ignores what the user's own git ignores in all repositories. The user's
 * configuration for their own repository decides that, because the agent can change that of its clone.
 *
 * @param repository the folder of the user's repository
 */
export async function stagingPlace(git: Git, folders: JobFolders, repository: string): Promise<GitPlace> {
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  return addSettings(host, [['core.excludesFile', await git.excludesFile(repository)]]);
}

/** What to do if a user's branch has the name of our folder of branches; undefined for any other failure. */
export function branchConflict(error: unknown): TurnFailure | undefined {
  // git-check-ref-format(1): a name cannot be both a branch and a folder of branches.
  return error instanceof GitError && error.message.includes(`'refs/heads/${BRANCHES}' exists`)
    ? new TurnFailure(coded('branchInTheWay', { branch: BRANCHES }))
    : undefined;
}

/**
 * Creates the job's two clones, unless they already exist. The service's clone hard-links the objects of the user's
 * repository, so that the repository may be repacked or deleted in the meantime. If it is on another disk, git copies
 * them (with `--local` it would fail). The agent's clone shares no file with either. Each clone is renamed to its final
 * name last, so an interrupted one is created again.
 *
 * There are two, because staging in a folder that an agent controlled would run the agent's configuration.
 *
 * Throws TurnFailure if one of the user's branches is in the way.
 */
export async function prepareClones(
  git: Git,
  folders: JobFolders,
  repository: string,
  branch: string,
  base: string,
  maxCopiedBytes?: number,
): Promise<void> {
  await makePrivateFolder(join(folders.work, '..'));
  const isNew = !(await exists(folders.hostGit));
  if (isNew) {
    await makeHostClone(git, folders, repository, branch, base);
  }
  if ((await lstat(folders.work).catch(() => undefined))?.isDirectory() !== true) {
    // If the agent has put a link there, removes the link but not its target.
    await rm(folders.work, { force: true });
    await makeWorkClone(git, folders, branch, {
      ...(maxCopiedBytes !== undefined && { maxCopiedBytes }),
      ...(isNew && { tip: base }),
    });
  }
  await removeStaleLocks(folders.hostGit, branch);
}

/**
 * Removes the locks that a killed git command has left in the service's git directory of a job. Only the caller works
 * there, except for a command that outlived a killed service, which gets a few seconds to finish.
 */
export async function removeStaleLocks(hostGit: string, branch: string): Promise<void> {
  const locks = ['index.lock', 'HEAD.lock', `refs/heads/${branch}.lock`].map((lock) => join(hostGit, lock));
  const areLeft = async () => (await Promise.all(locks.map(exists))).includes(true);
  for (let waited = 0; waited < ORPHAN_LIMIT_MS && (await areLeft()); waited += CHECK_AGAIN_MS) {
    await delay(CHECK_AGAIN_MS);
  }
  await Promise.all(locks.map((lock) => removeFile(lock)));
}

async function makeHostClone(
  git: Git,
  { hostGit }: JobFolders,
  repository: string,
  branch: string,
  base: string,
): Promise<void> {
  const unfinished = `${hostGit}.new`;
  const at = { folder: join(hostGit, '..') };
  await rm(unfinished, { recursive: true, force: true });
  const how = ['--quiet', '--bare', '--no-tags', '--template='];
  await withUploadPack(git, (program) => git.run(at, ['clone', ...how, program, '--', repository, unfinished]));
  const host = { folder: unfinished, gitDir: unfinished };
  const begin = () =>
    whenAllEnded([
      git.run(host, ['update-ref', `refs/heads/${branch}`, base]).catch((error: unknown) => {
        throw branchConflict(error) ?? error;
      }),
      git.run(host, ['read-tree', base]),
    ]);
  await whenAllEnded([
    git.run(host, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]),
    git.run(host, ['config', '--remove-section', 'remote.origin']),
    begin().catch(async (error: unknown) => {
      if (!(error instanceof GitError)) {
        throw error;
      }
      // From a shallow repository, git clones only what the branches have. That of merged work may be deleted.
      await fetchCommits(git, host, repository, [base]);
      return begin();
    }),
  ]);
  await takeSparseCheckout(git, unfinished, repository);
  await move(unfinished, hostGit);
}

/** Rejects if one of them has failed, but not while another still works in the same folder. */
export async function whenAllEnded<T extends readonly Promise<unknown>[] | []>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Creates the clone that the agent works in, with a copy of all objects. No file in it may be a hard link: git does not
 * check what it reads, so writing to a hard link would change the user's repository, and no diff would show it.
 *
 * A copy takes no space if the file system supports copy-on-write, and the clone also works on its own, as in a
 * container that contains nothing else. For a large repository, the clone borrows the objects from the service's own
 * directory instead, where a confined agent cannot write.
 */
export async function makeWorkClone(
  git: Git,
  { work, hostGit }: JobFolders,
  branch: string,
  {
    maxCopiedBytes = MAX_COPIED_BYTES,
    isCheckedOut = true,
    ...known
  }: { maxCopiedBytes?: number; isCheckedOut?: boolean; tip?: string } = {},
): Promise<void> {
  const unfinished = `${work}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const read = ['rev-parse', '--verify', `refs/heads/${branch}`];
  const tip = known.tip ?? (await git.run({ folder: hostGit, gitDir: hostGit }, read)).trim();
  const format = tip.length === 64 ? ['--object-format=sha256'] : [];
  // `git clone` would also do what is only needed for another repository.
  const how = ['--quiet', '--template=', `--initial-branch=${branch}`, ...format];
  await git.run({ folder: join(work, '..') }, ['init', ...how, '--', unfinished]);
  const own = join(unfinished, '.git');
  const [objects, hostObjects] = [join(own, 'objects'), join(hostGit, 'objects')];
  const counted = await git.run({ folder: hostGit, gitDir: hostGit }, ['count-objects', '-v']);
  const kib = [...counted.matchAll(/^size(?:-pack)?: (\d+)$/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
  if (kib * 1024 > maxCopiedBytes) {
    // Relative, so that it still works if the job's folder is moved or mounted elsewhere.
    await writeFile(join(objects, 'info', 'alternates'), `${relative(objects, hostObjects).replaceAll('\\', '/')}\n`);
  } else {
    // Includes the alternates of the user's repository, if any.
    await cp(hostObjects, objects, { recursive: true, mode: constants.COPYFILE_FICLONE });
  }
  if (await exists(join(hostGit, 'shallow'))) {
    await cp(join(hostGit, 'shallow'), join(own, 'shallow'));
  }
  const isSparse = await exists(join(hostGit, SPARSE));
  if (isSparse) {
    await mkdir(dirname(join(own, SPARSE)), { recursive: true });
    await cp(join(hostGit, SPARSE), join(own, SPARSE));
    await appendFile(join(own, 'config'), await readFile(join(hostGit, `${SPARSE}.config`)));
  }
  try {
    await git.run({ folder: unfinished }, ['reset', '--quiet', isCheckedOut ? '--hard' : '--mixed', tip]);
  } catch (error) {
    const words = error instanceof GitError ? error.message : '';
    const names = [...words.matchAll(/unable to read \S+ file of (.+?) \([0-9a-f]{40,}\)/g)].map(([, name]) => name);
    throw names.length > 0 ? new TurnFailure(coded('blobsMissing', { names: names.join(', ') })) : error;
  }
  if (isSparse && isCheckedOut) {
    // So that files that aren't checked out don't count as deleted.
    await cp(join(own, 'index'), join(hostGit, 'index'));
  }
  await move(unfinished, work);
}

/** Where a git directory has the patterns of a sparse checkout. */
const SPARSE = join('info', 'sparse-checkout');

/**
 * Takes over the sparse checkout of a partial clone: other files aren't on this machine, and no command of the service
 * fetches them.
 */
async function takeSparseCheckout(git: Git, hostGit: string, repository: string): Promise<void> {
  const packs = await readdir(join(hostGit, 'objects', 'pack')).catch(() => []);
  const isPartial = packs.some((name) => name.endsWith('.promisor'));
  const names = '^core\\.sparsecheckout(cone)?$';
  const known = isPartial ? new Map(await readSettings(git, { folder: repository }, names)) : new Map<string, string>();
  if (known.get('core.sparsecheckout') !== 'true') {
    return;
  }
  const isCone = known.get('core.sparsecheckoutcone') !== 'false';
  const patterns = (await git.run({ folder: repository }, ['rev-parse', '--git-path', SPARSE])).replace(/\r?\n$/, '');
  await mkdir(join(hostGit, 'info'), { recursive: true });
  await cp(resolve(repository, patterns), join(hostGit, SPARSE));
  const settings = `[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = ${isCone}\n`;
  await writeFile(join(hostGit, `${SPARSE}.config`), settings);
  await appendFile(join(hostGit, 'config'), settings);
}

/** Brings commits of the user's repository into the service's git directory, where it lacks them. Throws GitError. */
export async function fetchCommits(
  git: Git,
  host: GitPlace,
  repository: string,
  commits: readonly string[],
): Promise<void> {
  const found = await Promise.all(commits.map((commit) => hasCommit(git, host, commit)));
  const missing = commits.filter((_, index) => found[index] === false);
  if (missing.length > 0) {
    const how = ['--quiet', '--no-tags', '--no-write-fetch-head'];
    await withUploadPack(git, (program) => git.run(host, ['fetch', ...how, program, '--', repository, ...missing]));
  }
}

function hasCommit(git: Git, place: GitPlace, commit: string): Promise<boolean> {
  return git.run(place, ['cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
}

/**
 * The program that reads the repository does not inherit the configuration of `git clone` or `git fetch`, so it is passed here. That
 * program must not fetch objects that a partial clone lacks, but is allowed to provide commits that no branch has.
 */
export async function withUploadPack(git: Git, run: (program: string) => Promise<unknown>): Promise<void> {
  try {
    await run(uploadPack([]));
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== NOT_TRUSTED) {
      throw error;
    }
    await run(uploadPack(await git.safeDirectories()));
  }
}

function uploadPack(directories: readonly string[]): string {
  const quoted = directories.map((directory) => `-c 'safe.directory=${directory.replaceAll("'", `'\\''`)}'`);
  const settings = [...quoted, '-c uploadpack.allowAnySHA1InWant=true'];
  return `--upload-pack=${['GIT_ALLOW_PROTOCOL=none git', ...settings, 'upload-pack'].join(' ')}`;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/**
 * The commit that new clones of a job start from: its branch in the user's repository, with the commits that the user
 * added; else the last published commit, which the repository's objects may still include; else the base.
 */
export async function resolveCloneBase(
  repository: Pick<UserRepository, 'commitOf' | 'isAncestor'>,
  folder: string,
  job: Pick<Job, 'branch' | 'publishedCommit'> & { baseCommit: string },
): Promise<string> {
  const { publishedCommit, baseCommit } = job;
  if (publishedCommit === null) {
    return baseCommit;
  }
  const branch = await repository.commitOf(folder, `refs/heads/${job.branch}`);
  return branch !== undefined && (await repository.isAncestor(folder, publishedCommit, branch))
    ? branch
    : publishedCommit;
}
