import { type Claim, ClaimLost } from '../../local-service/store/jobStore';
import type { ActivityEntry } from '../../protocol/activity';
import type { Database, Query } from './database';
import { addActivity, compactActivity } from './postgresActivityLog';

/** Channels whose notifications carry the id of a job: its state has changed, its activity log has grown. */
export const JOB_CHANGED = 'job_changed';
export const ACTIVITY_GROWN = 'activity_grown';

/** A change to a job, in a transaction. All processes are notified when it is committed. */
export class JobChange {
  private hasGrown = false;
  /** Whether the job's state, review or archived status changes. */
  isReported = true;

  /** @param now milliseconds since the epoch; null for the database's clock */
  private constructor(
    readonly query: Query['query'],
    readonly jobId: string,
    readonly now: number | null,
  ) {}

  /** Adds a job in a transaction. Others see it when the transaction is committed. */
  static async add(query: Query, jobId: string, now: number | null, work: (change: JobChange) => Promise<void>) {
    const change = new JobChange((...all) => query.query(...all), jobId, now);
    await work(change);
    await change.notify();
  }

  /**
   * Changes a job in a transaction. It locks the job's row first, so all changes to a job and its turns happen one
   * after the other, and the ids in its activity log have the same order.
   */
  static async of(query: Query, jobId: string, now: number | null, work: (change: JobChange) => Promise<void>) {
    await query.query('SELECT 1 FROM jobs WHERE id = $1 FOR NO KEY UPDATE', [jobId]);
    await JobChange.add(query, jobId, now, work);
  }

  /**
   * Changes a job for the process that runs one of its turns. Throws ClaimLost unless the turn still meets the
   * condition `state`.
   */
  static ofClaim(
    database: Database,
    claim: Claim,
    state: string,
    now: number | null,
    work: (change: JobChange) => Promise<void>,
  ): Promise<void> {
    return database.transaction((query) =>
      JobChange.of(query, claim.jobId, now, async (change) => {
        const own = `SELECT 1 FROM turns WHERE id = $1 AND attempt = $2 AND ${state}`;
        if ((await change.query(own, [claim.id, claim.attempt])).length === 0) {
          throw new ClaimLost(claim);
        }
        await work(change);
      }),
    );
  }

  async addEntries(turnId: number, entries: readonly ActivityEntry[]): Promise<void> {
    if (entries.length > 0) {
      this.hasGrown = true;
      await addActivity(this, turnId, entries);
    }
  }

  private async notify(): Promise<void> {
    if (this.hasGrown) {
      await compactActivity(this);
    }
    const channels = [...(this.isReported ? [JOB_CHANGED] : []), ...(this.hasGrown ? [ACTIVITY_GROWN] : [])];
    if (channels.length > 0) {
      await this.query('SELECT pg_notify(channel, $2) FROM unnest($1::text[]) AS channel', [channels, this.jobId]);
    }
  }
}
