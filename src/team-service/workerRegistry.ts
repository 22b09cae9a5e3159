import { randomUUID } from 'node:crypto';
import type { Database } from '../local-service/store/database';
import { UNFINISHED } from '../local-service/store/jobChange';
import type { Enqueue } from '../local-service/store/sqlJobStore';
import { TURN_QUEUE } from './turnQueue';
import type { WorkerTimings } from './worker';

const ENTER = `
  INSERT INTO workers (name, instance, seen_at, running) VALUES ($1, $2, now_ms(), 0)
  ON CONFLICT (name) DO UPDATE SET instance = $2, seen_at = now_ms(), running = 0`;

const SEEN = 'UPDATE workers SET seen_at = now_ms(), running = $3 WHERE name = $1 AND instance = $2 RETURNING name';

/** Makes this worker count as gone sooner. A heartbeat that arrives later changes nothing. */
const LEAVE = `
  UPDATE workers SET seen_at = now_ms() - $3::bigint, running = 0, instance = '' WHERE name = $1 AND instance = $2`;

const OTHERS = 'SELECT name FROM workers WHERE name <> $1 AND seen_at >= now_ms() - $2::bigint';

/** An item that has failed blocks its job. Only an administrator can have made it fail. */
const FORGOTTEN = `
  SELECT max(id) AS id, job_id AS "jobId" FROM turns
  WHERE ${UNFINISHED} AND created_at < now_ms() - $1::bigint AND NOT EXISTS (
    SELECT 1 FROM pgboss.job WHERE name = '${TURN_QUEUE}' AND singleton_key = turns.job_id AND pgboss.job.state < 'completed')
  GROUP BY job_id LIMIT 100`;

const OWNER = 'SELECT worker FROM jobs WHERE id = $1 AND worker <> $2';

const FAILED_ITEMS = `
  SELECT id FROM pgboss.job WHERE name = '${TURN_QUEUE}' AND singleton_key = $1 AND state = 'failed'`;

/** Another process has the name of this worker, with a copy of its folder: the folder itself is locked. */
export class WorkerReplaced extends Error {
  constructor(name: string) {
    super(`Another process works as “${name}”. Give each worker its own data folder.`);
  }
}

/** The table of workers, as one of them sees it. */
export class WorkerRegistry {
  private readonly instance = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly timings: Pick<WorkerTimings, 'goneMs' | 'handOverMs'>,
  ) {}

  async enter(): Promise<void> {
    await this.database.query(ENTER, [this.name, this.instance]);
  }

  /** Throws WorkerReplaced. */
  async seen(running: number): Promise<void> {
    if ((await this.database.query(SEEN, [this.name, this.instance, running])).length === 0) {
      throw new WorkerReplaced(this.name);
    }
  }

  /** Called when its agents have ended. Unless it comes back in time, others take its jobs. */
  async leave(): Promise<void> {
    const { goneMs, handOverMs } = this.timings;
    await this.database.query(LEAVE, [this.name, this.instance, goneMs - handOverMs]);
  }

  /** The workers that keep their jobs, without this one. */
  async others(): Promise<string[]> {
    return (await this.database.query(OTHERS, [this.name, this.timings.goneMs])).map(({ name }) => name as string);
  }

  /** Whether another worker has the clone and the session of a job. */
  async isElsewhere(jobId: string): Promise<boolean> {
    return (await this.database.query(OWNER, [jobId, this.name])).length > 0;
  }

  /** Jobs with a turn that has not ended but is not in the queue, although it was created this long ago. */
  async forgotten(ageMs: number): Promise<{ id: number; jobId: string }[]> {
    return (await this.database.query(FORGOTTEN, [ageMs])) as never;
  }

  enqueue(enqueue: Enqueue, turn: { id: number; jobId: string }): Promise<void> {
    return this.database.transaction((query) => enqueue(query, turn));
  }

  async failedItems(jobId: string): Promise<string[]> {
    return (await this.database.query(FAILED_ITEMS, [jobId])).map(({ id }) => id as string);
  }
}
