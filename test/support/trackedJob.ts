import type { Snapshot } from '../../src/jobs/events';
import type { TrackedJob } from '../../src/jobs/trackedJob';

/** A job that was tracked by its id long ago and of which nothing is known, but for what is given. */
export function trackedJob(change: Partial<TrackedJob> = {}): TrackedJob {
  return {
    key: 'k',
    home: { service: 'local', projectId: 'p' },
    sends: [],
    duplicates: [],
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: false,
    untracked: false,
    pinned: false,
    createdAt: 0,
    updatedAt: 0,
    ...change,
  };
}

/** What a service tells of a job when it tells little. */
export function snapshot(status: string, change: Partial<Snapshot> = {}): Snapshot {
  const unknown = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  return { id: 'j', status, ...unknown, ...change };
}
