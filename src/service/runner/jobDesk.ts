import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { WireJob } from '../../shared/protocol/job';
import type { Clock } from '../../shared/util/clock';
import { branchOf } from '../git/jobClone';
import type { UserRepository } from '../git/userRepository';
import type { Job, JobStore, NewJob, Operation, Project } from '../store/jobStore';
import { jobStatus } from './jobState';
import { HOUR_MS, type RateLimit } from './rateLimit';
import type { TurnRunner } from './turnRunner';

/** The limit of requests per hour was reached. */
export class TooManyRequests extends Error {
  constructor(
    readonly retryAfterSeconds: number,
    limit: number,
  ) {
    super(`The limit of ${limit} requests per project and hour is reached.`);
  }
}

/** What a client can ask for: make a job, send a message to it, look at it. A job is on disk before it is answered. */
export class JobDesk {
  constructor(
    private readonly parts: {
      store: JobStore;
      runner: TurnRunner;
      repository: UserRepository;
      rateLimit: RateLimit;
      clock: Clock;
      /** The address of a job's review page. */
      reviewLink: (jobId: string, capability: string) => string;
    },
  ) {}

  /** Throws TooManyRequests. */
  async createJob(project: Project, prompt: string): Promise<WireJob> {
    const { store, runner, repository, clock } = this.parts;
    // A folder that is gone or broken fails the job's first turn, where the user sees why.
    const head = await repository.head(project.folder).catch(() => undefined);
    const address = await repository.address(project.folder);
    this.checkLimit(project.id, 'create');
    const job: NewJob = {
      id: randomBytes(8).toString('hex'),
      projectId: project.id,
      model: basename(project.settings.command[0] ?? project.settings.agent),
      repository: address,
      baseCommit: head?.commit ?? null,
      baseBranch: head?.branch ?? null,
      capability: randomBytes(32).toString('base64url'),
      createdAt: clock.now(),
    };
    runner.start(store.addJob(job, prompt));
    return this.describe({ ...job, publishedCommit: null, prLink: null, note: null });
  }

  /** Returns undefined when the project has no such job. Throws TooManyRequests. */
  sendMessage(project: Project, jobId: string, prompt: string): WireJob | undefined {
    const job = this.jobOf(project, jobId);
    if (job === undefined) {
      return undefined;
    }
    this.checkLimit(project.id, 'message');
    this.parts.runner.start(this.parts.store.addTurn(job, prompt, this.parts.clock.now()));
    return this.describe(job);
  }

  /** Returns undefined when the project has no such job. */
  retrieveJob(project: Project, jobId: string): WireJob | undefined {
    const job = this.jobOf(project, jobId);
    return job && this.describe(job);
  }

  private jobOf(project: Project, jobId: string): Job | undefined {
    const job = this.parts.store.job(jobId);
    return job?.projectId === project.id ? job : undefined;
  }

  private describe(job: NewJob & Pick<Job, 'publishedCommit' | 'prLink' | 'note'>): WireJob {
    const { status, error } = jobStatus(this.parts.store.turns(job.id));
    return {
      id: job.id,
      status,
      source: { repository: job.repository, ref: branchOf(job.id) },
      model: job.model,
      prLink: job.prLink ?? (job.publishedCommit === null ? null : this.parts.reviewLink(job.id, job.capability)),
      createdAt: new Date(job.createdAt).toISOString(),
      archivedAt: null,
      ...(error === undefined ? {} : { error }),
    };
  }

  private checkLimit(projectId: string, operation: Operation): void {
    const { rateLimit, clock } = this.parts;
    const waitMs = rateLimit.waitMs(projectId, operation, clock.now());
    if (waitMs > 0) {
      throw new TooManyRequests(Math.ceil(Math.min(waitMs, HOUR_MS) / 1000), rateLimit.perHour);
    }
  }
}
