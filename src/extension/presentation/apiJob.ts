import type { TrackedJob } from '../../jobs/trackedJob';
import { pendingState } from '../../jobs/jobStatus';
import type { Job } from '../api';
import { getJobState, STATES } from './jobStates';
import { jobTitle } from './jobText';

export type { Job };

/** Converts a job to the form that other extensions see. */
export function toApiJob(job: TrackedJob): Job;
export function toApiJob(job: TrackedJob | undefined): Job | undefined;
export function toApiJob(job: TrackedJob | undefined): Job | undefined {
  if (job === undefined) {
    return undefined;
  }
  const state = getJobState(job);
  const { status } = STATES[state];
  return {
    key: job.key,
    id: job.snapshot?.id,
    projectId: job.location.projectId,
    service: job.location.service,
    title: jobTitle(job),
    status,
    serviceStatus: status === 'unknown' ? job.snapshot?.status : undefined,
    ...(state === 'stopped' ? { stopped: true } : {}),
    pending: pendingState(job),
    prLink: job.snapshot?.prLink ?? null,
    error: job.snapshot?.error ?? undefined,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    followUps: job.prompts.filter((prompt) => prompt.kind === 'followUp' && prompt.state === 'created').length,
  };
}
