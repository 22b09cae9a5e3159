import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../base/logger';
import type { JobArchive } from '../local-service/jobs/jobArchive';
import { removeFolder } from '../local-service/removeFolder';
import type { JobLocks } from '../local-service/jobs/jobLocks';
import type { Project } from '../local-service/store/jobStore';
import type { WorkerRegistry } from './workerRegistry';
import type { WorkerRepositories } from './workerRepositories';

/** Removes folders that a worker doesn't need anymore. */
export class WorkerCleanup {
  constructor(
    private readonly parts: {
      archive: Pick<JobArchive, 'sweep'>;
      registry: Pick<WorkerRegistry, 'isElsewhere'>;
      locks: Pick<JobLocks, 'tryHold' | 'untilPresentEnds'>;
      repositories: Pick<WorkerRepositories, 'removeUnused'>;
      projects: () => Promise<readonly Project[]>;
      /** The folder with one subfolder per job. */
      jobsFolder: string;
      log: Logger;
    },
  ) {}

  /**
   * Removes the folders of jobs that another worker has taken over, what `JobArchive.sweep` removes, and the clones that
   * no project needs. A job whose folders are gone continues from its pushed branch.
   */
  async sweep(keepDays: number): Promise<void> {
    const { archive, registry, locks, repositories, projects, jobsFolder, log } = this.parts;
    for (const jobId of await readdir(jobsFolder)) {
      const remove = async (): Promise<void> => {
        if (await registry.isElsewhere(jobId)) {
          await removeFolder(join(jobsFolder, jobId));
        }
      };
      await locks.tryHold(jobId, remove)?.catch((error: unknown) => {
        log.warn(`couldn’t remove the folder of job ${jobId}`, error);
      });
    }
    await archive.sweep(keepDays);
    await repositories.removeUnused(projects, () => locks.untilPresentEnds());
  }
}
