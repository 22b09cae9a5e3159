import { join } from 'node:path';
import { exists } from '../../base/files';
import type { Logger } from '../../base/logger';
import { jobFolders } from '../git/jobClone';
import type { JobStore } from '../store/jobStore';
import { look, type UpToDateParts } from './bringUpToDate';
import type { JobLocks } from './jobLocks';
import { foundPullRequest, summarize } from './lookAround';

/** How often ended jobs are looked at, and how soon again when a client asks, in milliseconds. */
const LOOK_MS = 3 * 60_000;
const SOON_MS = 10_000;
/** How many jobs are looked at, newest first. */
const MAX_JOBS = 20;
/** For one job, in milliseconds. */
const JOB_MS = 60_000;

interface WatchParts extends UpToDateParts {
  store: Pick<JobStore, 'project' | 'openJobs' | 'job' | 'changeJob'>;
  locks: Pick<JobLocks, 'tryHold'>;
  /** The folder with one subfolder per job. */
  jobsFolder: string;
  log: Logger;
}

/** Keeps up to date what is known about the base and the pull request of jobs that have ended, however they have. */
export class SurroundingsWatch {
  private readonly timer = setInterval(() => void this.lookAtAll(), LOOK_MS).unref();
  private readonly ending = new AbortController();
  private looking: Promise<void> | undefined;
  private lastMs = -Infinity;

  constructor(private readonly parts: WatchParts) {}

  /** Looks again unless that was just done. */
  wake(): void {
    if (performance.now() - this.lastMs > SOON_MS) {
      void this.lookAtAll();
    }
  }

  /** Looks again, also if that is just being done: a branch has moved meanwhile. */
  lookAgain(): void {
    void (this.looking ?? Promise.resolve()).then(() => this.lookAtAll());
  }

  /** Looks at the jobs once. Calls made in the meantime share the result. Never rejects. */
  lookAtAll(): Promise<void> {
    return (this.looking ??= this.lookAtEach().finally(() => {
      this.looking = undefined;
      this.lastMs = performance.now();
    }));
  }

  /** Resolves once nothing is looked at. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.ending.abort();
    await this.looking;
  }

  private async lookAtEach(): Promise<void> {
    const { store, locks, log } = this.parts;
    try {
      for (const { id } of await store.openJobs(MAX_JOBS)) {
        if (this.ending.signal.aborted) {
          return;
        }
        await locks
          .tryHold(id, () => this.lookAt(id), true)
          ?.catch((error: unknown) => {
            log.info(`couldn’t look around job ${id}: ${String(error)}`);
          });
      }
    } catch (error) {
      log.warn('couldn’t look around ended jobs', error);
    }
  }

  private async lookAt(id: string): Promise<void> {
    const { store, git, repository, jobsFolder } = this.parts;
    const job = await store.job(id);
    const known = await store.project(job?.projectId ?? '');
    const folders = jobFolders(join(jobsFolder, id));
    // It may have been merged since it was listed.
    if (known === undefined || job?.review !== null || !(await exists(folders.hostGit))) {
      return;
    }
    const project = { ...known, folder: await repository.findProjectFolder(known) };
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(JOB_MS)]);
    const seen = await look(this.parts, { job, project, folders, signal });
    const surroundings = await summarize(git, folders.hostGit, seen);
    const found = foundPullRequest(job, seen);
    if (found.prLink !== undefined || JSON.stringify(surroundings) !== JSON.stringify(job.surroundings)) {
      await store.changeJob(job.id, { surroundings, ...found });
    }
  }
}
