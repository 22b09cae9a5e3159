import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { Logger } from '../base/logger';
import type { Enqueue } from './store/postgresRequests';

export const TURN_QUEUE = 'turns';

const DAY_S = 86_400;

/**
 * How long a worker that sends no heartbeat keeps its turns, in seconds. It has ended its agents by itself well before,
 * so no two agents ever work on a job.
 */
export const HEARTBEAT_S = 60;

/** One item of a job at a time, in the order in which they were added. A queue keeps its policy. */
const POLICY = 'key_strict_fifo';

/** The other options of the queue. Each is the answer to something that pg-boss does by default. */
const OPTIONS = {
  heartbeatSeconds: HEARTBEAT_S,
  /** The longest that is possible: by default, a turn that takes longer than 15 minutes would be run again. */
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
  notify: true,
} as const;

/** What an item of the queue says: this job has a turn to run. Which one it is, and how far it is, is in `turns`. */
export interface QueuedTurn {
  jobId: string;
  turnId: number;
}

/** The queue of turns, in the same database as the store. It decides who runs what now; `turns` has the truth. */
export class TurnQueue {
  private constructor(readonly boss: PgBoss) {}

  /** Creates the queue if it does not exist. */
  static async open(options: ConstructorOptions, log: Logger): Promise<TurnQueue> {
    const boss = new PgBoss({ schedule: false, ...options });
    boss.on('error', (error) => log.warn('the queue has a problem', error));
    await boss.start();
    await boss.createQueue(TURN_QUEUE, { policy: POLICY, ...OPTIONS });
    await boss.updateQueue(TURN_QUEUE, OPTIONS);
    return new TurnQueue(boss);
  }

  readonly enqueue: Enqueue = async ({ query }, { id, jobId, projectId }) => {
    const item: QueuedTurn = { jobId, turnId: id };
    const db = { executeSql: async (text: string, values?: unknown[]) => ({ rows: await query(text, values) }) };
    const sent = await this.boss.send(TURN_QUEUE, item, { singletonKey: jobId, group: { id: projectId }, db });
    if (sent === null) {
      throw new Error(`the queue did not accept turn ${id} of job ${jobId}`);
    }
  };

  async close(): Promise<void> {
    await this.boss.stop({ graceful: false });
  }
}
