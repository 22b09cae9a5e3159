import { type JobStatus, jobStatus, pendingState } from '../jobs/jobStatus';
import type { TrackedJob } from '../jobs/trackedJob';
import { jobTitle } from './views/jobWords';

/** A job as other extensions see it. Times are ISO 8601. */
export interface Job {
  /** Ours; never changes, and every command takes it where it takes a job id. */
  readonly key: string;
  /** The service's; undefined until it has answered. */
  readonly id?: string | undefined;
  readonly projectId: string;
  /** The origin of a hosted service, or `local`. */
  readonly service: string;
  readonly title: string;
  readonly status: JobStatus;
  /** The word that the service sent, where `status` is `unknown`. */
  readonly serviceStatus?: string | undefined;
  /** The state of a follow-up that was not accepted yet. */
  readonly pending?: string | undefined;
  readonly prLink: string | null;
  /** Why it failed, in the service’s words, where it says so. */
  readonly error?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly followUps: number;
}

export function toApiJob(job: TrackedJob): Job;
export function toApiJob(job: TrackedJob | undefined): Job | undefined;
export function toApiJob(job: TrackedJob | undefined): Job | undefined {
  if (job === undefined) {
    return undefined;
  }
  const status = jobStatus(job);
  return {
    key: job.key,
    id: job.snapshot?.id,
    projectId: job.home.projectId,
    service: job.home.service,
    title: jobTitle(job),
    status,
    serviceStatus: status === 'unknown' ? job.snapshot?.status : undefined,
    pending: pendingState(job),
    prLink: job.snapshot?.prLink ?? null,
    error: job.snapshot?.error ?? undefined,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    followUps: job.sends.filter((send) => send.kind === 'followUp' && send.state === 'created').length,
  };
}
