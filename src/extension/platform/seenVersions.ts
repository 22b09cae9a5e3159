import { Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import { SharedJson } from '../../base/sharedJson';
import type { TrackedJob } from '../../jobs/trackedJob';

/**
 * Whether the agent has finished further work on a job since a run of it had ended. A failed run leaves the branch
 * unchanged.
 */
export function hasNewWork(job: TrackedJob | undefined, endedBefore: TrackedJob['endedAt']): boolean {
  return job?.endedAt !== undefined && job.endedAt !== endedBefore && job.snapshot?.status !== 'failed';
}

/** A version of a job's work, and when the job's last run had ended at that time. */
interface Version {
  commit: string;
  endedAt?: number | undefined;
}

/** What the user has seen of a job's work. */
interface Seen {
  /** The version that is reviewed. */
  reviewed?: Version | undefined;
  /** A later one that the job's page has shown; it counts as reviewed when the page shows the next one. */
  shown?: Version | undefined;
}

/** By job key, the least recently seen first. */
type Rows = readonly (readonly [string, Seen])[];

/** The least recently seen jobs are forgotten first. */
const MAX_JOBS = 500;

/** Remembers, for all windows, which version of each job's work the user saw last. */
export class SeenVersions {
  private readonly rows: SharedJson<Rows>;
  private readonly changed: Emitter<string>;

  constructor(file: string, log: Logger) {
    this.changed = new Emitter((error) => log.error('a listener of seen versions failed', error));
    this.rows = new SharedJson<Rows>({ file, parse: readRows, empty: [], log });
    void this.rows.read().then((rows) => rows.forEach(([key]) => this.changed.fire(key)));
  }

  /** Fires with the job key. */
  get onDidChange(): Emitter<string>['event'] {
    return this.changed.event;
  }

  /** Whether the agent has worked on a job since the user reviewed it. */
  hasNew(job: TrackedJob): boolean {
    const { reviewed } = find(this.rows.value, job.key);
    return reviewed !== undefined && job.snapshot?.ref != null && hasNewWork(job, reviewed.endedAt);
  }

  /** The commit that the user reviewed last. */
  async reviewedCommit(jobKey: string): Promise<string | undefined> {
    return find(await this.rows.read(), jobKey).reviewed?.commit;
  }

  /** The user has opened the changes up to this commit. */
  noteReviewed({ key, endedAt }: TrackedJob, commit: string): Promise<void> {
    return this.update(key, () => ({ reviewed: { commit, endedAt } }));
  }

  /** The job's page has shown the changes up to this commit. */
  noteShown({ key, endedAt }: TrackedJob, commit: string): Promise<void> {
    return this.update(key, (seen) =>
      seen.shown?.commit === commit || seen.reviewed?.commit === commit
        ? seen
        : { reviewed: seen.shown ?? seen.reviewed, shown: { commit, endedAt } },
    );
  }

  private async update(jobKey: string, change: (seen: Seen) => Seen): Promise<void> {
    const known = this.rows.value;
    const updated = await this.rows.update((rows) => {
      const before = find(rows, jobKey);
      const next = change(before);
      if (JSON.stringify(next) === JSON.stringify(before)) {
        return rows;
      }
      return [...rows.filter(([key]) => key !== jobKey), [jobKey, next] as const].slice(-MAX_JOBS);
    });
    if (updated !== known) {
      this.changed.fire(jobKey);
    }
  }
}

function find(rows: Rows, jobKey: string): Seen {
  return rows.find(([key]) => key === jobKey)?.[1] ?? {};
}

function readRows(value: unknown): Rows | undefined {
  return Array.isArray(value) ? value.slice(-MAX_JOBS).flatMap(readRow) : undefined;
}

function readRow(row: unknown): [string, Seen][] {
  const [key, seen] = Array.isArray(row) ? (row as unknown[]) : [];
  const { reviewed, shown } = (seen ?? {}) as Partial<Record<keyof Seen, unknown>>;
  return typeof key === 'string' ? [[key, { reviewed: readVersion(reviewed), shown: readVersion(shown) }]] : [];
}

function readVersion(value: unknown): Version | undefined {
  const { commit, endedAt } = (value ?? {}) as Partial<Record<keyof Version, unknown>>;
  return typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit)
    ? { commit, endedAt: typeof endedAt === 'number' ? endedAt : undefined }
    : undefined;
}
