import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, DAY_MS, HOUR_MS } from '../../base/async';
import { exists } from '../../base/files';
import type { Logger } from '../../base/logger';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { CodedError } from '../codedText';
import { commitsElsewhere, ignoredWork } from '../git/leftOutWork';
import { hostPlace, type JobFolders, jobFolders, removeStaleLocks } from '../git/jobClone';
import { stageWork } from '../git/stageWork';
import type { UserRepository } from '../git/userRepository';
import { finishRemovals, type removeAll, removeFolder } from '../removeFolder';
import type { ActivityLogStore, Job, JobStore, Project } from '../store/jobStore';
import { TurnFailure } from '../turnFailure';
import type { JobLocks } from './jobLocks';

/** How long the activity log of an archived job is kept, in days. */
const ACTIVITY_DAYS = 30;

/** Thrown when a job can't be archived now. */
export class ArchiveRefused extends CodedError {
  /** @param canDiscard whether the user can archive it anyway and lose uncommitted work */
  constructor(
    why: CodedText,
    readonly canDiscard = false,
  ) {
    super(why);
  }
}

/** Archives jobs and removes the folders of old ones, but never before the work in them is safe. */
export class JobArchive {
  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'archiveJob' | 'endedAt' | 'job' | 'project'> & Pick<ActivityLogStore, 'dropActivity'>;
      git: Git;
      /** Tells whether a commit is safe without the job's folders. */
      repository: Pick<UserRepository, 'holds'>;
      locks: JobLocks;
      /** The folder with one subfolder per job. */
      jobsFolder: string;
      clock: Clock;
      log: Logger;
      remove?: typeof removeAll;
    },
  ) {}

  /**
   * Archives a job and removes its folders. A job that is already archived stays archived.
   *
   * @param discard allows uncommitted work to be lost
   */
  async archive(jobId: string, discard: boolean): Promise<void> {
    const done = this.parts.locks.tryHold(jobId, async () => {
      const job = await this.parts.store.job(jobId);
      if (job === undefined || (await this.isActive(jobId))) {
        throw new ArchiveRefused(coded('jobActive'));
      }
      await this.removeIfSafe(job, discard, () => this.parts.store.archiveJob(jobId));
    });
    if (done === undefined) {
      throw new ArchiveRefused(coded('jobInUse'));
    }
    await done;
  }

  /**
   * Removes the folders of archived jobs and of jobs that ended more than `keepDays` days ago. Folders that are in use
   * or whose work is not safe stay until the next sweep. Folders that belong to no job are left alone. Also deletes the
   * activity logs of jobs that were archived long ago.
   */
  async sweep(keepDays: number): Promise<void> {
    const { jobsFolder, log, store, clock } = this.parts;
    await store.dropActivity(clock.now() - ACTIVITY_DAYS * DAY_MS);
    const warn = (folder: string, error: unknown): void => log.warn(`couldn’t remove “${folder}”`, error);
    await finishRemovals(jobsFolder, warn, this.parts.remove);
    for (const jobId of await readdir(jobsFolder)) {
      try {
        await this.parts.locks.tryHold(jobId, () => this.sweepOne(jobId, keepDays));
      } catch (error) {
        if (!(error instanceof ArchiveRefused)) {
          log.warn(`couldn’t remove the folder of job ${jobId}`, error);
        }
      }
    }
  }

  private async sweepOne(jobId: string, keepDays: number): Promise<void> {
    const { store, clock } = this.parts;
    const job = await store.job(jobId);
    const endedAt = await store.endedAt(jobId);
    if (job === undefined || endedAt === undefined) {
      return;
    }
    if (job.archivedAt !== null || endedAt + keepDays * DAY_MS < clock.now()) {
      await this.removeIfSafe(job, false, async () => !(await this.isActive(jobId)));
    }
  }

  /**
   * @param decide called once the folders can be removed. Resolves to false if a message has arrived in the meantime.
   * From then on, a turn that a message starts waits until the folders are gone
   */
  private async removeIfSafe(job: Job, discard: boolean, decide: () => Promise<boolean>): Promise<void> {
    const { store, jobsFolder, log } = this.parts;
    const directory = join(jobsFolder, job.id);
    const project = await store.project(job.projectId);
    if (project === undefined) {
      throw new ArchiveRefused(coded('repositoryGone'));
    }
    const why = await findUnsafeWork(this.parts, job, project, jobFolders(directory), discard);
    if (why !== undefined) {
      throw new ArchiveRefused(why.text, why.canDiscard);
    }
    if (!(await decide())) {
      throw new ArchiveRefused(coded('messageCame'));
    }
    // A failed removal is retried by each sweep; the job is archived anyway.
    await removeFolder(directory, this.parts.remove).catch((error: unknown) =>
      log.warn(`couldn’t remove the folder of job ${job.id}`, error),
    );
  }

  private async isActive(jobId: string): Promise<boolean> {
    return (await this.parts.store.endedAt(jobId)) === undefined;
  }
}

/** Removes the folders of old jobs, now and every hour. Returns a function that stops it. */
export function scheduleArchiveCleanup(archive: Pick<JobArchive, 'sweep'>, keepDays: number, log: Logger): () => void {
  let isBusy = false;
  const sweep = (): void => {
    if (isBusy) {
      return;
    }
    isBusy = true;
    archive
      .sweep(keepDays)
      .catch((error: unknown) => log.warn('couldn’t remove old folders', error))
      .finally(() => (isBusy = false));
  };
  const timer = setInterval(sweep, HOUR_MS);
  timer.unref();
  sweep();
  return () => clearInterval(timer);
}

interface UnsafeWork {
  text: CodedText;
  /** Whether `discard` would allow the folders to be removed. */
  canDiscard: boolean;
}

/**
 * Returns why a job's folders must not be removed; undefined when their content is safe: everything is committed, and
 * the commits are in a branch of the user's repository or on the Git host. Files that git ignores count as not
 * committed, unless they look generated, and so do the agent's commits on other branches, under tags, in linked
 * worktrees and in its stash.
 *
 * @param discard allows uncommitted work to be lost, but never commits
 */
async function findUnsafeWork(
  parts: { git: Git; repository: Pick<UserRepository, 'holds'> },
  job: Job,
  project: Project,
  folders: JobFolders,
  discard: boolean,
): Promise<UnsafeWork | undefined> {
  const { git, repository } = parts;
  if (!(await exists(folders.hostGit))) {
    // There is nothing, or cloning was interrupted. The work folder is created later and never exists without this one.
    return undefined;
  }
  await removeStaleLocks(folders.hostGit, job.branch);
  const host = { folder: folders.hostGit, gitDir: folders.hostGit };
  const tip = (await git.run(host, ['rev-parse', '--verify', `refs/heads/${job.branch}`])).trim();
  const text =
    discard || !(await exists(folders.work)) ? undefined : await whyNotCommitted(git, folders, project.folder, tip);
  if (text !== undefined) {
    return { text, canDiscard: true };
  }
  if (tip === job.baseCommit || tip === job.pushedCommit || (await repository.holds(project.folder, tip))) {
    return undefined;
  }
  return { text: coded('workNotPublished', { folder: project.folder }), canDiscard: false };
}

async function whyNotCommitted(
  git: Git,
  folders: JobFolders,
  repository: string,
  tip: string,
): Promise<CodedText | undefined> {
  try {
    const tree = await stageWork(git, folders, repository, tip);
    if (tree !== (await git.run(hostPlace(folders), ['rev-parse', '--verify', `${tip}^{tree}`])).trim()) {
      return coded('workNotCommitted');
    }
    const ignored = await ignoredWork(git, folders, repository);
    if (ignored !== undefined) {
      return coded('workIgnored', { names: ignored, folder: folders.work });
    }
    const elsewhere = await commitsElsewhere(git, folders);
    return elsewhere === undefined ? undefined : coded('workElsewhere', { names: elsewhere, folder: folders.work });
  } catch (error) {
    if (error instanceof TurnFailure || error instanceof GitError) {
      return coded('workNotCommitted');
    }
    throw error;
  }
}
