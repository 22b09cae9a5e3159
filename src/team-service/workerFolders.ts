import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jobFolders } from '../local-service/git/jobClone';
import type { UserRepository } from '../local-service/git/userRepository';
import { TurnFailure } from '../local-service/turnFailure';
import type { JobStore, Project, Turn } from '../local-service/store/jobStore';
import { coded } from '../protocol/codedText';
import type { WorkerClaims } from './workerClaims';
import type { WorkerRepositories } from './workerRepositories';

/** The folders of jobs on this worker. */
export class WorkerFolders {
  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'job' | 'project'>;
      claims: Pick<WorkerClaims, 'setPublished'>;
      repositories: WorkerRepositories;
      repository: Pick<UserRepository, 'commitOf' | 'isAncestor'>;
      /** The folder with one subfolder per job. */
      jobsFolder: string;
    },
  ) {}

  folderOf(jobId: string): string {
    return join(this.parts.jobsFolder, jobId);
  }

  /** A project whose folder is this worker's clone of its repository. */
  async projectOf(id: string): Promise<Project | undefined> {
    const project = await this.parts.store.project(id);
    return project && { ...project, folder: this.parts.repositories.folderOf(project) };
  }

  /**
   * Makes sure that the worker has what the turn's clone is made from: the newest commit of the repository and, if the
   * job's folder is gone or was another worker's, what was pushed or what this worker could not push. Throws
   * TurnFailure, ClaimLost, or the signal's reason.
   */
  async prepare(turn: Turn, signal: AbortSignal): Promise<void> {
    const { store, claims, repositories, repository } = this.parts;
    const job = await store.job(turn.jobId);
    const project = job && (await store.project(job.projectId));
    if (job === undefined || project === undefined) {
      throw new TurnFailure(coded('projectGone'));
    }
    const clone = repositories.folderOf(project);
    const hasClones = await exists(jobFolders(this.folderOf(job.id)).hostGit);
    if (hasClones && (await exists(clone))) {
      return;
    }
    await repositories.update(project, signal);
    if (!hasClones) {
      // Also of a job that has published nothing: its worker may have been lost between the push and its record.
      const brought = (await repositories.bringBranch(project, job)) ?? null;
      if (brought !== job.publishedCommit && !(await isIn(repository, clone, job.publishedCommit, brought))) {
        await claims.setPublished(turn, brought);
      }
    }
  }
}

/**
 * Whether the branch contains what the job has published. It may also have commits that a person added or that could not
 * be pushed.
 */
async function isIn(
  repository: Pick<UserRepository, 'isAncestor'>,
  folder: string,
  published: string | null,
  brought: string | null,
): Promise<boolean> {
  return published !== null && brought !== null && repository.isAncestor(folder, published, brought);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
