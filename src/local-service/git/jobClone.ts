import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder, move, removeFile } from '../../base/files';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import type { Job } from '../store/jobStore';
import type { UserRepository } from './userRepository';
import { makeWorkClone, unshareWorkClone } from './workClone';

/** How long a git command may go on that outlived a killed service, in milliseconds. */
const ORPHAN_LIMIT_MS = 3_000;
const LOOK_MS = 50;

/** The folders of one job. */
export interface JobFolders {
  /** Where the agent works; its `.git` belongs to the agent and no git command of the service ever runs by it. */
  work: string;
  /** The service's own bare git directory, from which changes are found and committed. */
  hostGit: string;
}

/** @param directory the job's own folder in the data folder */
export function jobFolders(directory: string): JobFolders {
  return {
    work: join(directory, 'work'),
    hostGit: join(directory, 'host.git'),
  };
}

/** Where the service's own git commands on a job work: its git directory over the agent's files. */
export function hostPlace(folders: JobFolders): GitPlace {
  return { folder: folders.work, gitDir: folders.hostGit, workTree: folders.work };
}

/** Where the branches of jobs stand. */
const BRANCHES = 'docs-agent';

/** The branch of a job, in its clone and in the user's repository. */
export function branchOf(jobId: string): string {
  return `${BRANCHES}/${jobId}`;
}

/** What to do where a branch of the user's takes the place of the folder of ours; undefined for another failure. */
export function branchInTheWay(error: unknown): TurnFailure | undefined {
  // git-check-ref-format(1): a name can't be a branch and a folder of branches at once.
  return error instanceof GitError && error.message.includes(`'refs/heads/${BRANCHES}' exists`)
    ? new TurnFailure(coded('branchInTheWay', { branch: BRANCHES }))
    : undefined;
}

/**
 * Makes the job's two clones, unless they stand already. The objects of the service's own are hard links to those of the
 * user's repository, so that the latter may be packed or deleted meanwhile; where it is on another disk git copies them
 * (with `--local` it would fail). The agent's shares no file with either. Each clone gets its name last: one that was cut
 * off is made again.
 *
 * Two of them, because staging in a folder that an agent controlled would run the agent's configuration.
 *
 * Throws TurnFailure when a branch of the user's is in the way.
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
  if (!(await exists(folders.hostGit))) {
    await makeHostClone(git, folders, repository, branch, base);
  }
  const work = await lstat(folders.work).catch(() => undefined);
  if (work?.isDirectory() === true) {
    await unshareWorkClone(folders);
  } else {
    // A link that the agent has put there is removed, and nothing of what it leads to.
    await rm(folders.work, { force: true });
    await makeWorkClone(git, folders, branch, maxCopiedBytes);
  }
  await removeStaleLocks(folders.hostGit, branch);
}

/**
 * Removes the locks that a git command which was killed has left in the service's directory of a job. Nobody but who
 * calls this works there, save a command that outlived a killed service: that one is given some seconds to end.
 */
export async function removeStaleLocks(hostGit: string, branch: string): Promise<void> {
  const locks = ['index.lock', 'HEAD.lock', `refs/heads/${branch}.lock`].map((lock) => join(hostGit, lock));
  const areLeft = async () => (await Promise.all(locks.map(exists))).includes(true);
  for (let waited = 0; waited < ORPHAN_LIMIT_MS && (await areLeft()); waited += LOOK_MS) {
    await delay(LOOK_MS);
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
  const how = ['--quiet', '--bare', '--no-tags', '--template=', await uploadPack(git)];
  await git.run(at, ['clone', ...how, '--', repository, unfinished]);
  const host = { folder: unfinished, gitDir: unfinished };
  await git.run(host, ['remote', 'remove', 'origin']);
  await git.run(host, ['update-ref', `refs/heads/${branch}`, base]).catch((error: unknown) => {
    throw branchInTheWay(error) ?? error;
  });
  await git.run(host, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  await git.run(host, ['read-tree', base]);
  await move(unfinished, hostGit);
}

/**
 * The program that reads the repository gets nothing of the configuration of `git clone`, which is given it here; and it
 * may fetch nothing that a partial clone lacks.
 */
async function uploadPack(git: Git): Promise<string> {
  const directories = await git.safeDirectories();
  const quoted = directories.map((directory) => `-c 'safe.directory=${directory.replaceAll("'", `'\\''`)}'`);
  return `--upload-pack=${['GIT_ALLOW_PROTOCOL=none git', ...quoted, 'upload-pack'].join(' ')}`;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/**
 * The commit that new clones of a job start from: its branch in the user's repository, with what the user added to it;
 * else what was published last, which the repository's objects may still hold; else the base.
 */
export async function resolveCloneBase(
  repository: Pick<UserRepository, 'commitOf' | 'isAncestor'>,
  folder: string,
  job: Pick<Job, 'id' | 'publishedCommit'> & { baseCommit: string },
): Promise<string> {
  const { publishedCommit, baseCommit } = job;
  if (publishedCommit === null) {
    return baseCommit;
  }
  const branch = await repository.commitOf(folder, `refs/heads/${branchOf(job.id)}`);
  return branch !== undefined && (await repository.isAncestor(folder, publishedCommit, branch))
    ? branch
    : publishedCommit;
}
