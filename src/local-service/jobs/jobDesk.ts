import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/async';
import type { Disposable } from '../../base/disposable';
import { coded, type CodedText } from '../../protocol/codedText';
import type { WireJob } from '../../protocol/job';
import type { JobEvent } from '../../protocol/localService';
import { agentTitle } from '../agents/knownAgents';
import { CodedError, toEnglish } from '../codedText';
import { branchOf } from '../git/jobClone';
import type { UserRepository } from '../git/userRepository';
import type { Job, JobStore, NewJob, Operation, Project, Turn, TurnState } from '../store/jobStore';
import type { JobArchive } from './jobArchive';
import { HOUR_MS, type RateLimit } from './rateLimit';
import type { TurnRunner } from './turnRunner';

/** The limit of requests per hour was reached. */
export class TooManyRequests extends CodedError {
  constructor(
    readonly retryAfterSeconds: number,
    limit: number,
  ) {
    super(coded('limitReached', { limit }));
  }
}

/** A part of the list of jobs; `next` is what the next part is asked for with, null at the end. */
export interface JobPage {
  jobs: WireJob[];
  next: string | null;
}

/** What a client can ask for. A job is on disk before it is answered. */
export class JobDesk {
  constructor(
    private readonly parts: {
      store: JobStore;
      runner: Pick<TurnRunner, 'start' | 'cancel'>;
      archive: Pick<JobArchive, 'archive'>;
      repository: UserRepository;
      rateLimit: RateLimit;
      clock: Clock;
      /** The address of a job's review page, which opens nothing by itself. */
      reviewLink: (jobId: string) => string;
    },
  ) {}

  /** Throws TooManyRequests. */
  async createJob(project: Project, prompt: string): Promise<WireJob> {
    const { store, runner, repository, clock } = this.parts;
    // A folder that is gone or broken fails the job's first turn, where the user sees why.
    const [head, address] = await Promise.all([
      repository.head(project.folder).catch(() => undefined),
      repository.address(project.folder),
    ]);
    this.checkLimit(project.id, 'create');
    const job: NewJob = {
      id: randomBytes(8).toString('hex'),
      projectId: project.id,
      model: agentTitle(project.settings),
      repository: address,
      baseCommit: head?.commit ?? null,
      baseBranch: head?.branch ?? null,
      createdAt: clock.now(),
    };
    runner.start(store.addJob(job, prompt));
    return this.describe({ ...job, publishedCommit: null, prLink: null, note: null, archivedAt: null, review: null });
  }

  /** Returns undefined when the project has no such job. Throws TooManyRequests. */
  sendMessage(project: Project, jobId: string, prompt: string): WireJob | undefined {
    if (this.jobOf(project, jobId) === undefined) {
      return undefined;
    }
    this.checkLimit(project.id, 'message');
    const { store, runner, clock } = this.parts;
    runner.start(store.addTurn({ id: jobId, projectId: project.id }, prompt, clock.now()));
    return this.retrieveJob(project, jobId);
  }

  /** Returns undefined when the project has no such job. */
  retrieveJob(project: Project, jobId: string): WireJob | undefined {
    const job = this.jobOf(project, jobId);
    return job && this.describe(job);
  }

  /** The jobs of a project, newest first; those before the job `before` where it is given. */
  listJobs(project: Project, limit: number, before: string | undefined): JobPage {
    const found = this.parts.store.jobs(project.id, limit + 1, before);
    const jobs = found.slice(0, limit).map((job) => this.describe(job));
    return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null };
  }

  /**
   * Stops the job's present turn, also one that waits, and answers when no agent works on it any more. A job that has
   * ended stays as it is. Returns undefined when the project has no such job.
   */
  async cancelJob(project: Project, jobId: string): Promise<WireJob | undefined> {
    if (this.jobOf(project, jobId) === undefined) {
      return undefined;
    }
    const { store, runner } = this.parts;
    if (!(await runner.cancel(jobId))) {
      const left = store.unfinishedTurns().filter((turn) => turn.jobId === jobId);
      left.forEach(({ id }) => store.setTurn(id, 'cancelled', USER_REASON));
    }
    return this.retrieveJob(project, jobId);
  }

  /** Throws ArchiveRefused. Returns undefined when the project has no such job. */
  async archiveJob(project: Project, jobId: string, discard: boolean): Promise<WireJob | undefined> {
    const job = this.jobOf(project, jobId);
    if (job === undefined) {
      return undefined;
    }
    await this.parts.archive.archive(job.id, discard);
    return this.retrieveJob(project, jobId);
  }

  /** Tells of each job that changes; what it is then is worked out when `event` is called. */
  onJobEvent(listener: (jobId: string, event: () => JobEvent | undefined) => void): Disposable {
    const { store } = this.parts;
    return store.onJob((jobId) =>
      listener(jobId, () => {
        const job = store.job(jobId);
        return job && { projectId: job.projectId, jobId, status: this.describe(job).status };
      }),
    );
  }

  private jobOf(project: Project, jobId: string): Job | undefined {
    const job = this.parts.store.job(jobId);
    return job?.projectId === project.id ? job : undefined;
  }

  private describe(job: NewJob & Pick<Job, 'publishedCommit' | 'prLink' | 'note' | 'archivedAt' | 'review'>): WireJob {
    const turns = this.parts.store.turns(job.id);
    const { status, error, stopped, endedEarly } = jobStatus(turns);
    const note =
      endedEarly && job.note ? coded('both', { first: endedEarly, second: job.note }) : (endedEarly ?? job.note);
    const isArchived = status !== 'active' && job.archivedAt !== null;
    const reviewLink = job.publishedCommit === null ? null : this.parts.reviewLink(job.id);
    return {
      id: job.id,
      status: isArchived ? 'archived' : status,
      // Before the first publication there is nothing that could be opened or checked out under that name.
      source: { repository: job.repository, ref: job.publishedCommit === null ? null : branchOf(job.id) },
      model: job.model,
      prLink: job.prLink ?? reviewLink,
      createdAt: new Date(job.createdAt).toISOString(),
      archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
      turn: turns.length,
      // Beyond the hosted API: why it failed, what the user should know of the result, what they did with the work.
      ...(error === undefined ? {} : { error: toEnglish(error) }),
      ...(stopped === undefined ? {} : { stopped }),
      ...(note === null ? {} : { note: toEnglish(note) }),
      ...(endedEarly === undefined ? {} : { endedEarly: true }),
      ...(job.review === null ? {} : { review: job.review }),
      ...(error === undefined && note === null ? {} : { coded: { ...(error && { error }), ...(note && { note }) } }),
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

/**
 * One piece of work at a time on the folders and the branch of a job: a turn, the removal of its folders, the merge of
 * its branch.
 */
export class JobLocks {
  /** The end of what was asked for last, by job. */
  private readonly last = new Map<string, Promise<void>>();

  /** True while somebody works on the job or waits to. */
  isHeld(jobId: string): boolean {
    return this.last.has(jobId);
  }

  /** Resolves when nobody works on any job, and who did has had the time to note what came of it. */
  async untilFree(): Promise<void> {
    while (this.last.size > 0) {
      await Promise.all(this.last.values());
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Does the work as soon as what was asked for before has ended, whatever came of that. */
  async hold<T>(jobId: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(jobId);
    const result = before === undefined ? work() : before.then(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(jobId, ended);
    try {
      return await result;
    } finally {
      if (this.last.get(jobId) === ended) {
        this.last.delete(jobId);
      }
    }
  }

  /** Does the work at once, or not at all and returns undefined when somebody else works on the job. */
  tryHold<T>(jobId: string, work: () => Promise<T>): Promise<T> | undefined {
    return this.isHeld(jobId) ? undefined : this.hold(jobId, work);
  }
}

export type JobStatus = 'active' | 'completed' | 'failed';

const UNFINISHED: readonly TurnState[] = ['queued', 'running', 'publishing'];

/** Why a turn failed that the service did not live to see the end of, more than once. */
export const STOPPED_REASON = coded('stoppedByService');

/** Why a turn ended that the user stopped. */
export const USER_REASON = coded('stoppedByUser');

/** What the story tells of a turn that a later run of the service goes on with. */
export const SHUTDOWN_NOTE = coded('goesOnLater');
export const CRASH_NOTE = coded('takenUpAgain');

interface JobStanding {
  status: JobStatus;
  error?: CodedText;
  stopped?: true;
  /** Why it ended before its work was done. */
  endedEarly?: CodedText;
}

/**
 * What a job is, told from its turns, oldest first: active while one of them has not ended; else what the newest came to.
 * A job is nowhere stored as active, so none can stay so by mistake.
 * `stopped` tells a job that the user stopped from one that failed by itself.
 */
export function jobStatus(turns: readonly Turn[]): JobStanding {
  const newest = turns.at(-1);
  if (turns.some((turn) => UNFINISHED.includes(turn.state))) {
    return { status: 'active' };
  }
  if (newest?.state === 'done') {
    return { status: 'completed', ...(newest.reason === null ? {} : { endedEarly: newest.reason }) };
  }
  const error = newest?.reason ?? STOPPED_REASON;
  // A newer message also cancels a turn, but then it isn't the newest one.
  return newest?.state === 'cancelled' ? { status: 'failed', error, stopped: true } : { status: 'failed', error };
}
