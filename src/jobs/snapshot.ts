import type { WireJob } from '../shared/protocol/job';
import type { Snapshot } from './events';

export function toSnapshot(job: WireJob): Snapshot {
  return {
    id: job.id,
    status: job.status,
    prLink: job.prLink ?? null,
    ref: job.source?.ref ?? null,
    repository: job.source?.repository ?? null,
    model: job.model ?? null,
    createdAt: job.createdAt ?? null,
    error: typeof job['error'] === 'string' ? job['error'] : null,
    ...(typeof job['note'] === 'string' ? { note: job['note'] } : {}),
  };
}

/** True when both say the same, so that nothing needs to be written. */
export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return (Object.keys({ ...a, ...b }) as (keyof Snapshot)[]).every((field) => a[field] === b[field]);
}
