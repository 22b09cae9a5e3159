import { type ConstructorOptions, PgBoss } from 'pg-boss';
import { DAY_MS, systemClock } from '../base/async';
import type { Logger } from '../base/logger';
import type { Query } from '../local-service/store/database';
import type { Enqueue } from '../local-service/store/sqlJobStore';
import { LimitedWarning } from './limitedWarning';
import { checkWritable } from './store/connectDatabase';

export const TURN_QUEUE = 'turns';

const DAY_S = DAY_MS / 1000;

/**
 * How long a worker that sends no heartbeat keeps its turns, in seconds. It ends its own agents well before that, so
 * two agents never work on the same job.
 */
export const HEARTBEAT_S = 60;

/** Whether and how often this process looks for items of workers that have crashed. */
export type Supervision = Pick<ConstructorOptions, 'supervise' | 'superviseIntervalSeconds' | 'monitorIntervalSeconds'>;

/** Where pg-boss keeps its tables. It creates the schema only if it may, and must not try if the schema exists. */
const SCHEMA = `
  SELECT to_regnamespace('pgboss') IS NULL AS missing, has_database_privilege(current_database(), 'CREATE') AS may_create,
    format('CREATE SCHEMA pgboss AUTHORIZATION %I', current_user) AS remedy`;

/**
 * The items of a job run one at a time, in the order in which they were added. The policy of an existing queue can't
 * change.
 */
const POLICY = 'key_strict_fifo';

/** The other options of the queue. Each changes something that pg-boss does by default. */
const OPTIONS = {
  heartbeatSeconds: HEARTBEAT_S,
  /** The longest possible time: by default, a turn that takes longer than 15 minutes would be run again. */
  expireInSeconds: DAY_S,
  /**
   * An item that has failed for good would block its job forever. Workers complete each item, whatever the outcome of
   * its turn, so only an item whose worker has crashed is tried again.
   */
  retryLimit: 1_000_000,
  retryDelay: 0,
  /** By default, items that wait for two weeks are deleted. */
  retentionSeconds: 365 * DAY_S,
  deleteAfterSeconds: 3_600,
} as const;

/** An item of the queue: this job has a turn to run. Which turn to run, and how far it has come, is in `turns`. */
export interface QueuedTurn {
  jobId: string;
  turnId: number;
}

/** An item that a worker has taken. */
export interface HeldItem extends QueuedTurn {
  id: string;
  /** Identifies this hold on the item. If the worker has lost the item, the item's own count is higher. */
  retryCount: number;
}

const WORKER = 'SELECT worker FROM jobs WHERE id = $1 AND worker IS NOT NULL';

/** What pg-boss returns, but leaves out of its types. */
interface Settled {
  affected: number;
  /** The ids of the items. */
  settled?: string[];
}

/**
 * The queue of turns, in the same database as the store. It decides which worker runs what now; `turns` is
 * authoritative about everything else.
 */
export class TurnQueue {
  private constructor(readonly boss: PgBoss) {}

  /** Creates the queue if it does not exist. It uses the connections of the database. */
  static async open(database: Query, supervision: Supervision, log: Logger): Promise<TurnQueue> {
    await checkWritable(database);
    const [schema] = await database.query(SCHEMA);
    const createSchema = schema?.['missing'] === true;
    if (createSchema && schema['may_create'] !== true) {
      throw new Error(
        `The queue needs its own schema. Ask an administrator of the database to run “${schema['remedy'] as string}”.`,
      );
    }
    const boss = new PgBoss({ db: statementsOf(database), schedule: false, createSchema, ...supervision });
    const problems = new LimitedWarning('problems of the queue', log, systemClock);
    boss.on('error', (error) => problems.add(error));
    await boss.start();
    await boss.createQueue(TURN_QUEUE, { policy: POLICY, ...OPTIONS });
    await boss.updateQueue(TURN_QUEUE, OPTIONS);
    return new TurnQueue(boss);
  }

  /**
   * Adds a turn to the group of the worker that has the job: while that worker is alive, others leave the group's items
   * to it.
   */
  readonly enqueue: Enqueue = async (query, { id, jobId, resumesAt, isFirst = false }) => {
    const item: QueuedTurn = { jobId, turnId: id };
    const [job] = isFirst ? [] : await query.query(WORKER, [jobId]);
    const group = job && { group: { id: job['worker'] as string } };
    const later = resumesAt !== undefined && { startAfter: new Date(resumesAt) };
    const options = { singletonKey: jobId, ...group, ...later, db: statementsOf(query) };
    const sent = await this.boss.send(TURN_QUEUE, item, options);
    if (sent === null) {
      throw new Error(`the queue did not accept turn ${id} of job ${jobId}`);
    }
  };

  /** Takes up to `limit` items for a worker. `others` are the workers whose items it leaves alone. */
  async fetch(limit: number, others: string[]): Promise<HeldItem[]> {
    const items = await this.boss.fetch<QueuedTurn>(TURN_QUEUE, { batchSize: limit, ignoreGroups: others });
    return items.map(({ id, retryCount, data }) => ({ id, retryCount, ...data }));
  }

  /** Reports that these items are being worked on. Returns those that the worker still has. */
  async touch(items: readonly HeldItem[]): Promise<Set<string>> {
    if (items.length === 0) {
      return new Set();
    }
    const { settled = [] } = (await this.boss.touch(TURN_QUEUE, attempts(items))) as Settled;
    return new Set(settled);
  }

  /** Removes an item from the queue, whatever the outcome of its turn. */
  async complete(item: HeldItem): Promise<void> {
    await this.boss.complete(TURN_QUEUE, attempts([item]));
  }

  /** Returns an item to the queue. The worker's agents have ended. */
  async giveBack(item: HeldItem): Promise<void> {
    await this.boss.fail(TURN_QUEUE, attempts([item]));
  }

  /** Replaces an item with one for the worker that has the job. */
  async handOver(transaction: Query, item: HeldItem): Promise<void> {
    const db = statementsOf(transaction);
    const { affected } = (await this.boss.complete(TURN_QUEUE, attempts([item]), undefined, { db })) as Settled;
    if (affected > 0) {
      await this.enqueue(transaction, { id: item.turnId, jobId: item.jobId });
    }
  }

  async close(): Promise<void> {
    await this.boss.stop({ graceful: false });
  }
}

function attempts(items: readonly HeldItem[]): { id: string; retryCount: number }[] {
  return items.map(({ id, retryCount }) => ({ id, retryCount }));
}

/** Makes pg-boss use the connections or a transaction of our database. */
export function statementsOf({ query }: Query) {
  return { executeSql: async (text: string, values?: unknown[]) => ({ rows: await query(text, values) }) };
}
