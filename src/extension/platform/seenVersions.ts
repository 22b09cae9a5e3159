import { readFile } from 'node:fs/promises';
import { KeyedQueue } from '../../base/async';
import { Emitter } from '../../base/disposable';
import { replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
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

/** The least recently seen jobs are forgotten first. */
const MAX_JOBS = 500;

/** Remembers, for all windows, which version of each job's work the user saw last. */
export class SeenVersions {
  private jobs = new Map<string, Seen>();
  private readonly turns = new KeyedQueue();
  private readonly changed: Emitter<string>;

  constructor(
    private readonly file: string,
    private readonly log: Logger,
  ) {
    this.changed = new Emitter((error) => log.error('a listener of seen versions failed', error));
    void this.inTurn(() => this.read()).then(() => this.jobs.forEach((_, key) => this.changed.fire(key)));
  }

  /** Fires with the job key. */
  get onDidChange(): Emitter<string>['event'] {
    return this.changed.event;
  }

  /** Whether the agent has worked on a job since the user reviewed it. */
  hasNew(job: TrackedJob): boolean {
    const reviewed = this.jobs.get(job.key)?.reviewed;
    return reviewed !== undefined && job.snapshot?.ref != null && hasNewWork(job, reviewed.endedAt);
  }

  /** The commit that the user reviewed last. */
  reviewedCommit(jobKey: string): Promise<string | undefined> {
    return this.inTurn(async () => {
      await this.read();
      return this.jobs.get(jobKey)?.reviewed?.commit;
    });
  }

  /** The user has opened the changes up to this commit. */
  noteReviewed({ key, endedAt }: TrackedJob, commit: string): Promise<void> {
    return this.update(key, () => ({ reviewed: { commit, endedAt } }));
  }

  /** The job's page has shown the changes up to this commit. */
  noteShown({ key, endedAt }: TrackedJob, commit: string): Promise<void> {
    return this.update(key, ({ reviewed, shown }) =>
      shown?.commit === commit || reviewed?.commit === commit
        ? { reviewed, shown }
        : { reviewed: shown ?? reviewed, shown: { commit, endedAt } },
    );
  }

  private update(jobKey: string, next: (seen: Seen) => Seen): Promise<void> {
    return this.inTurn(async () => {
      await this.read();
      const before = this.jobs.get(jobKey) ?? {};
      const now = next(before);
      if (JSON.stringify(now) === JSON.stringify(before)) {
        return;
      }
      this.jobs.delete(jobKey);
      this.jobs.set(jobKey, now);
      this.jobs = new Map([...this.jobs].slice(-MAX_JOBS));
      this.changed.fire(jobKey);
      await replaceFile(this.file, JSON.stringify([...this.jobs])).catch((error: unknown) =>
        this.log.warn('couldn’t save which changes were seen', error),
      );
    });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run('', work);
  }

  /** Other windows write the file, too. */
  private async read(): Promise<void> {
    const rows = decodeJson(await readFile(this.file, 'utf8').catch(() => ''));
    if (Array.isArray(rows)) {
      this.jobs = new Map(rows.slice(-MAX_JOBS).flatMap((row) => readRow(row)));
    }
  }
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
