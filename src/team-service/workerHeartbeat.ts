import { type Clock, delay } from '../base/async';
import type { Logger } from '../base/logger';
import { TURN_QUEUE, type TurnQueue } from './turnQueue';
import type { WorkerClaims } from './workerClaims';
import type { WorkerLease } from './workerLease';
import type { WorkerLoop } from './workerLoop';
import type { WorkerRegistry } from './workerRegistry';
import type { WorkerRun } from './workerRun';

/** A heartbeat that takes longer counts as failed, because the connection may be dead. In milliseconds. */
const LIMIT_MS = 8_000;

/** What a worker tells the database regularly, and learns from it. */
export class WorkerHeartbeat {
  constructor(
    private readonly parts: {
      claims: Pick<WorkerClaims, 'check'>;
      queue: TurnQueue;
      registry: WorkerRegistry;
      loop: WorkerLoop;
      lease: WorkerLease;
      clock: Clock;
      log: Logger;
    },
  ) {}

  /** Throws if it didn't succeed. */
  async beat(): Promise<void> {
    const { clock, lease } = this.parts;
    const at = clock.monotonic();
    const over = new AbortController();
    const tooLong = delay(clock, LIMIT_MS, over.signal).then(() => {
      throw new Error('the database doesn’t answer');
    });
    try {
      await Promise.race([this.exchange(), tooLong]);
    } finally {
      tooLong.catch(() => undefined);
      over.abort();
    }
    lease.renew(at);
  }

  /** Checks whether a job's turn has to stop. A failure does no harm, because the next heartbeat checks again. */
  async checkJob(jobId: string | undefined): Promise<void> {
    const runs = [...this.parts.loop.runs].filter(({ item }) => jobId === undefined || item.jobId === jobId);
    await this.check(runs).catch((error: unknown) => this.parts.log.warn('couldn’t read a stop request', error));
  }

  /** Puts turns that are missing from the queue back into it. */
  async sweep(ageMs: number): Promise<void> {
    const { registry, queue, log } = this.parts;
    for (const turn of await registry.forgotten(ageMs)) {
      log.warn(`turn ${turn.id} of job ${turn.jobId} was not in the queue`);
      const failed = await registry.failedItems(turn.jobId);
      if (failed.length > 0) {
        await queue.boss.deleteJob(TURN_QUEUE, failed);
      }
      await registry.enqueue(queue.enqueue, turn);
    }
  }

  private async exchange(): Promise<void> {
    const { queue, registry, loop } = this.parts;
    const runs = [...loop.runs];
    const [, kept, others] = await Promise.all([
      registry.seen(runs.length),
      queue.touch(runs.map(({ item }) => item)),
      registry.others(),
      this.check(runs),
    ]);
    loop.others = others;
    runs.filter((run) => loop.runs.has(run) && !kept.has(run.item.id)).forEach((run) => run.lose());
  }

  private async check(runs: readonly WorkerRun[]): Promise<void> {
    const claims = runs.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
    if (claims.length === 0) {
      return;
    }
    const found = await this.parts.claims.check(claims);
    for (const run of runs) {
      // It may have ended that turn in the meantime.
      const claim = claims.find((each) => each === run.claim);
      const reason = claim && found.get(claim.id);
      if (reason === 'lost') {
        run.lose();
      } else if (reason !== undefined) {
        run.stop(reason);
      }
    }
  }
}
