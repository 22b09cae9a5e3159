import type { Snapshot } from '../../src/jobs/events';
import type { TrackedJob } from '../../src/jobs/trackedJob';

/** A job that has been tracked by its id for a long time and has no other data, except for the given fields. */
export function trackedJob(change: Partial<TrackedJob> = {}): TrackedJob {
  return {
    key: 'k',
    location: { service: 'local', projectId: 'p' },
    prompts: [],
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: false,
    untracked: false,
    createdAt: 0,
    updatedAt: 0,
    ...change,
  };
}

/** A minimal answer of a service about a job. */
export function snapshot(status: string, change: Partial<Snapshot> = {}): Snapshot {
  const unknown = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  return { id: 'j', status, ...unknown, ...change };
}
