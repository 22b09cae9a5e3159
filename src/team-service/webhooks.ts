import { createHmac, randomUUID } from 'node:crypto';
import { DAY_MS } from '../base/async';
import type { Logger } from '../base/logger';
import type { NetworkSettings } from '../base/network';
import { DEFAULT_TIMEOUTS, Transport } from '../client/transport';
import { describeJob } from '../local-service/jobs/jobOperations';
import type { Database } from '../local-service/store/database';
import type { JobStore } from '../local-service/store/jobStore';
import { statementsOf, type TurnQueue } from './turnQueue';

const WEBHOOK_QUEUE = 'webhooks';

/** How long a receiver may take, in milliseconds. */
const ANSWER_MS = 20_000;

/** Tried again after 10 seconds, then after twice as long each time, up to an hour: for about 8 hours in all. */
const RETRIES = { retryLimit: 16, retryDelay: 10, retryBackoff: true, retryDelayMax: 3_600 };
const OPTIONS = { ...RETRIES, expireInSeconds: (3 * ANSWER_MS) / 1000, deleteAfterSeconds: 3_600 };

/** Takes the runs that have ended, each once: neither those from before the project had a webhook, nor stopped ones. */
const TAKE_ENDED = `
  UPDATE turns SET is_told = true FROM projects
  WHERE projects.id = turns.project_id AND projects.webhook_url IS NOT NULL AND turns.ended_at > projects.webhook_since
    AND turns.ended_at > $1 AND turns.state IN ('done', 'failed') AND NOT turns.is_told
  RETURNING turns.id, turns.job_id, turns.state`;

/** The same for each attempt. */
type Delivery = Record<'projectId' | 'body', string>;

/**
 * Tells a URL of each project about jobs that completed or failed. What is to be sent is in the queue, so it survives the
 * worker, and no run waits for it.
 */
export class Webhooks {
  private readonly transport: Transport;
  private collecting = Promise.resolve();

  constructor(
    private readonly parts: {
      database: Database;
      queue: Pick<TurnQueue, 'boss'>;
      store: Pick<JobStore, 'jobWithTurns'>;
      network: NetworkSettings;
      log: Logger;
    },
  ) {
    this.transport = new Transport({ ...DEFAULT_TIMEOUTS, totalMs: ANSWER_MS }, () => parts.network);
  }

  /** Creates the queue if it does not exist, and delivers what is in it from now on. */
  async start(options: Partial<typeof OPTIONS> = {}): Promise<void> {
    const { boss } = this.parts.queue;
    await boss.createQueue(WEBHOOK_QUEUE, { ...OPTIONS, ...options });
    await boss.updateQueue(WEBHOOK_QUEUE, { ...OPTIONS, ...options });
    await boss.work<Delivery>(
      WEBHOOK_QUEUE,
      { localConcurrency: 2 },
      async ([item]) => item && this.deliver(item.data),
    );
    this.collect();
  }

  /** Queues what has ended. Called when a job has changed. */
  collect(): void {
    this.collecting = this.collecting
      .then(() => this.parts.database.transaction((transaction) => this.queueEnded(transaction)))
      .catch((error: unknown) => this.parts.log.warn('couldn’t queue webhooks', error));
  }

  async close(): Promise<void> {
    await this.parts.queue.boss.offWork(WEBHOOK_QUEUE, { wait: false });
    await this.transport.dispose();
    await this.collecting;
  }

  private async queueEnded(transaction: Pick<Database, 'query'>): Promise<void> {
    for (const { id, job_id: jobId, state } of await transaction.query(TAKE_ENDED, [Date.now() - DAY_MS])) {
      const found = await this.parts.store.jobWithTurns(jobId as string);
      if (found !== undefined) {
        // As it was then, whatever follow-up has come since.
        const job = describeJob(
          { ...found, turns: found.turns.filter((turn) => turn.id <= (id as number)) },
          null,
          false,
        );
        const [{ projectId }, event] = [found, state === 'done' ? 'job.completed' : 'job.failed'];
        const body = JSON.stringify({ event, deliveryId: randomUUID(), projectId, job });
        await this.parts.queue.boss.send(WEBHOOK_QUEUE, { projectId, body }, { db: statementsOf(transaction) });
      }
    }
  }

  /** Rejects if it has to be tried again. */
  private async deliver({ projectId, body }: Delivery): Promise<void> {
    const { database, log } = this.parts;
    const select = 'SELECT webhook_url AS url, webhook_secret AS secret FROM projects WHERE id = $1';
    const [{ url, secret } = {}] = await database.query(select, [projectId]);
    if (typeof url === 'string' && typeof secret === 'string') {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'content-type': 'application/json', 'x-docs-agent-signature': signature };
      const status = this.transport.send({ method: 'POST', url, headers, body }).then((answer) => answer.status);
      const said = await status.catch((error: unknown) => error);
      if (typeof said !== 'number' || said < 200 || said > 299) {
        log.warn(
          `the webhook of project ${projectId} didn’t accept a delivery`,
          typeof said === 'number' ? `status ${said}` : said,
        );
        throw new Error('not delivered');
      }
    }
  }
}
