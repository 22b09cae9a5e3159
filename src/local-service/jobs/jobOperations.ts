import { randomBytes } from 'node:crypto';
import type { Disposable } from '../../base/disposable';
import { coded } from '../../protocol/codedText';
import type { Surroundings } from '../../protocol/surroundings';
import type { WireJob } from '../../protocol/job';
import type { JobChangedEvent } from '../../protocol/localService';
import { agentTitle } from '../agents/knownAgents';
import { CodedError, joinTexts, toEnglish } from '../codedText';
import { newBranchNames, type UserRepository } from '../git/userRepository';
import { redactDetectedSecrets } from '../../prompt/secrets/findSecrets';
import type { Admission, JobStore, JobWithTurns, Project, TurnOutline } from '../store/jobStore';
import type { JobArchive } from './jobArchive';
import { jobStatus, USER_REASON, jobUsage } from './jobStatus';

/** Thrown when the hourly limit of requests is reached. */
export class TooManyRequests extends CodedError {
  constructor(
    readonly retryAfterSeconds: number,
    limit: number,
  ) {
    super(coded('limitReached', { limit }));
  }
}

/** A page of the job list. `next` is the cursor for the next page, null at the end. */
export interface JobPage {
  jobs: WireJob[];
  next: string | null;
}

/** The operations that clients can request. A job is on disk before it is returned. */
export class JobOperations {
  constructor(
    private readonly parts: {
      store: JobStore;
      runner: {
        start: (turn: TurnOutline) => void;
        cancel: (jobId: string) => Promise<unknown>;
        /** Whether a turn that has not started has to wait until another one ends. */
        readonly isFull: boolean;
      };
      archive: Pick<JobArchive, 'archive'>;
      repository: Pick<UserRepository, 'headAndJobBranches' | 'address'>;
      /** Maximum number of requests of each kind per project and hour. */
      perHour: number;
      /** The URL of a job's review page, which grants no access by itself; null if there is none. */
      reviewLink: (jobId: string) => string | null;
      /** Learns that someone asks for jobs. */
      watch?: { wake: () => void };
    },
  ) {}

  /** Throws TooManyRequests. */
  async createJob(project: Project, prompt: string): Promise<WireJob> {
    const { store, repository, perHour } = this.parts;
    // A missing or broken folder fails the job's first turn, where the user sees why.
    const [{ head, jobBranches }, address, words] = await Promise.all([
      repository.headAndJobBranches(project.folder),
      repository.address(project.folder),
      redactDetectedSecrets(prompt.trim().split('\n', 1)[0] ?? ''),
    ]);
    const id = randomBytes(8).toString('hex');
    const job = {
      id,
      branches: newBranchNames(words, id).filter((name) => !jobBranches.has(name)),
      projectId: project.id,
      model: agentTitle(project.settings),
      repository: address,
      baseCommit: head?.commit ?? null,
      baseBranch: head?.branch ?? null,
    };
    return this.start(await store.createJob(job, prompt, perHour));
  }

  /** Resolves to undefined when the project has no such job. Throws TooManyRequests. */
  async sendMessage(project: Project, jobId: string, prompt: string): Promise<WireJob | undefined> {
    const { store, perHour } = this.parts;
    const admission = await store.addFollowUp({ id: jobId, projectId: project.id }, prompt, perHour);
    return admission && this.start(admission);
  }

  /** Resolves to undefined when there is no such job. */
  async retrieveJob(jobId: string): Promise<WireJob | undefined> {
    const job = await this.parts.store.jobWithTurns(jobId);
    return job && this.describe(job);
  }

  /** Lists a project's jobs, newest first; only those before the job `before`, if given. */
  async listJobs(project: Project, limit: number, before: string | undefined): Promise<JobPage> {
    const found = await this.parts.store.jobs(project.id, limit + 1, before);
    const jobs = found.slice(0, limit).map((job) => this.answer(job));
    return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null };
  }

  /**
   * Stops the job's current turn, even a queued one, and resolves once no agent is working on it. A job that has ended
   * is not changed.
   */
  async cancelJob(jobId: string): Promise<WireJob | undefined> {
    const { store, runner } = this.parts;
    // A turn that was just accepted might not have reached the runner yet.
    await store.requestStop(jobId, USER_REASON);
    await runner.cancel(jobId);
    return this.retrieveJob(jobId);
  }

  /** Throws ArchiveRefused. */
  async archiveJob(jobId: string, discard: boolean): Promise<WireJob | undefined> {
    await this.parts.archive.archive(jobId, discard);
    return this.retrieveJob(jobId);
  }

  async unarchiveJob(jobId: string): Promise<WireJob | undefined> {
    await this.parts.store.unarchiveJob(jobId);
    return this.retrieveJob(jobId);
  }

  /** Reports each job that changes; undefined when reports may have been lost. `jobEvent` returns the new state. */
  onJobEvent(listener: (jobId: string | undefined) => void): Disposable {
    return this.parts.store.onJob(listener);
  }

  async jobEvent(jobId: string): Promise<JobChangedEvent | undefined> {
    const job = await this.parts.store.jobWithTurns(jobId);
    return job && { projectId: job.projectId, jobId, status: this.describe(job).status };
  }

  /** Starts the new turn of an accepted request. */
  private start(admission: Admission): WireJob {
    if ('waitMs' in admission) {
      const seconds = Math.ceil(admission.waitMs / 1000);
      throw new TooManyRequests(seconds, this.parts.perHour);
    }
    const turn = admission.job.turns.at(-1);
    if (turn !== undefined) {
      // After the answer, which would wait for the first steps of the turn otherwise.
      setTimeout(() => this.parts.runner.start(turn));
    }
    return this.describe(admission.job);
  }

  /** The job for a client that asks for it, which may be the moment to look at what is around jobs. */
  answer(job: JobWithTurns): WireJob {
    this.parts.watch?.wake();
    return this.describe(job);
  }

  /** The job as clients get it. */
  describe(job: JobWithTurns): WireJob {
    const { reviewLink, runner } = this.parts;
    return describeJob(job, job.publishedCommit === null ? null : reviewLink(job.id), runner.isFull);
  }
}

/**
 * @param reviewLink the URL of its review page; null if it has none
 * @param isFull a turn that has not started waits until another one ends
 */
export function describeJob(job: JobWithTurns, reviewLink: string | null, isFull: boolean): WireJob {
  const { turns } = job;
  const { status, error, stopped, endedEarly } = jobStatus(turns);
  const usage = jobUsage(turns);
  const note = joinTexts(endedEarly, job.leftOut, job.note);
  const isArchived = status !== 'active' && job.archivedAt !== null;
  const surroundings = describeSurroundings(job, isFull);
  return {
    id: job.id,
    ...(job.title && { title: job.title }),
    status: isArchived ? 'archived' : status,
    // Before the first publication there is no branch of that name to open or check out.
    source: { repository: job.repository, ref: job.publishedCommit === null ? null : job.branch },
    model: job.model,
    prLink: job.prLink ?? reviewLink,
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
    turn: turns.length,
    // Not in the hosted API: why it failed, what the user should know about the result, what they did with the work.
    ...(error === undefined ? {} : { error: toEnglish(error) }),
    ...(stopped === undefined ? {} : { stopped }),
    ...(note === undefined ? {} : { note: toEnglish(note) }),
    ...(endedEarly === undefined ? {} : { endedEarly: true }),
    ...(job.changes === null ? {} : { changes: job.changes }),
    ...(usage === undefined ? {} : { usage }),
    ...(job.review === null ? {} : { review: job.review }),
    ...(surroundings === undefined ? {} : { surroundings }),
    ...(error === undefined && note === undefined ? {} : { coded: { ...(error && { error }), ...(note && { note }) } }),
  };
}

/** What others have done around the job, and what is in no branch; undefined if there is nothing to say. */
function describeSurroundings(
  { surroundings, continues, unsaved, turns }: JobWithTurns,
  isFull: boolean,
): Surroundings | undefined {
  const newest = turns.at(-1);
  const found: Surroundings = {
    ...surroundings,
    ...(continues !== null && { continues }),
    ...(unsaved !== null && { unsaved }),
    ...(newest?.state === 'queued' &&
      newest.resumesAt !== null && { resumesAt: new Date(newest.resumesAt).toISOString() }),
    ...(newest?.state === 'queued' && newest.resumesAt === null && isFull && { queued: true as const }),
    ...(newest?.state === 'running' && newest.phase !== null && { [newest.phase]: true as const }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}
