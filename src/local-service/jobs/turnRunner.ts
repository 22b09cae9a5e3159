import PQueue from 'p-queue';
import { type Clock, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import { coded } from '../../protocol/codedText';
import type { JobStore, Turn } from '../store/jobStore';
import { Stopped, type StoppedBy, TurnFailure } from './guidance';
import { type JobLocks, SHUTDOWN_NOTE, USER_REASON } from './jobDesk';
import type { TurnWork } from './turnWork';

/** How long to wait before an end that could not be written is tried again, in milliseconds: the disk may be full. */
const WRITE_AGAIN_MS = 2_000;

interface PresentTurn {
  jobId: string;
  stop: (by: StoppedBy) => void;
  ended: Promise<void>;
}

/** Runs turns, a few at a time and one at a time per job; a newer turn of a job stops the one before it. */
export class TurnRunner {
  private readonly queue: PQueue;
  /** Each turn that has not ended, and the newest of each job. */
  private readonly all = new Set<PresentTurn>();
  private readonly newest = new Map<string, PresentTurn>();
  private readonly ending = new AbortController();

  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'setTurn' | 'requeueTurn'>;
      work: Pick<TurnWork, 'run'>;
      locks: JobLocks;
      log: Logger;
      /** How many agents run at once: each takes some hundred megabytes of memory. */
      concurrency: number;
      clock: Clock;
      /** Waits until what the last run of the service left may be published. */
      mayPublish?: (turn: Turn, signal: AbortSignal) => Promise<void>;
    },
  ) {
    this.queue = new PQueue({ concurrency: parts.concurrency });
  }

  /** How many turns have not ended. */
  get size(): number {
    return this.all.size;
  }

  /** Starts a turn as soon as the one before it in the same job has ended and there is room. */
  start(turn: Turn): void {
    if (this.ending.signal.aborted) {
      // It stands in the database as one that waits; the next start of the service takes it up.
      return;
    }
    const before = this.newest.get(turn.jobId);
    before?.stop('message');
    const work = new AbortController();
    const publish = new AbortController();
    const present: PresentTurn = {
      jobId: turn.jobId,
      stop: (by) => {
        const reason = new Stopped(by);
        work.abort(reason);
        if (by !== 'message') {
          publish.abort(reason);
        }
      },
      ended: Promise.resolve(),
    };
    this.all.add(present);
    this.newest.set(turn.jobId, present);
    present.ended = this.runAfter(before?.ended, turn, work.signal, publish.signal).finally(() => {
      this.all.delete(present);
      if (this.newest.get(turn.jobId) === present) {
        this.newest.delete(turn.jobId);
      }
    });
  }

  /**
   * Stops all turns of a job for the user: one that works, one that waits, and one that is published before it. Resolves
   * when they have ended; false when there was none.
   */
  async cancel(jobId: string): Promise<boolean> {
    const turns = [...this.all].filter((turn) => turn.jobId === jobId);
    turns.forEach((turn) => turn.stop('user'));
    await Promise.all(turns.map((turn) => turn.ended));
    return turns.length > 0;
  }

  /** Stops all turns and leaves them to the next start. Resolves when no agent runs any more. */
  async stop(): Promise<void> {
    this.ending.abort(new Stopped('shutdown'));
    const turns = [...this.all];
    turns.forEach((turn) => turn.stop('shutdown'));
    await Promise.all(turns.map((turn) => turn.ended));
  }

  private async runAfter(
    before: Promise<void> | undefined,
    turn: Turn,
    work: AbortSignal,
    publish: AbortSignal,
  ): Promise<void> {
    await before;
    try {
      if (turn.state === 'publishing') {
        await this.parts.mayPublish?.(turn, publish);
      }
      // Of a turn that the last run of the service left while it was being published, only that is left to do.
      const endedEarly = await this.inTurn(turn.state === 'publishing' ? publish : work, () =>
        this.parts.locks.hold(turn.jobId, () => this.parts.work.run(turn, { work, publish })),
      );
      await this.write(() => this.parts.store.setTurn(turn.id, 'done', endedEarly), turn);
    } catch (error) {
      await this.write(() => this.end(turn, error), turn);
    }
  }

  /** Does the work when there is room; a signal that aborts before that ends the wait at once. */
  private inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', giveUp);
      void this.queue.add(async () => {
        signal.removeEventListener('abort', giveUp);
        if (signal.aborted) {
          giveUp();
        } else {
          await work().then(resolve, reject);
        }
      });
    });
  }

  private end(turn: Turn, error: unknown): void {
    const { store, log } = this.parts;
    if (error instanceof Stopped) {
      switch (error.by) {
        case 'message': {
          store.setTurn(turn.id, 'cancelled');
          return;
        }
        case 'user': {
          store.setTurn(turn.id, 'cancelled', USER_REASON);
          return;
        }
        case 'shutdown': {
          store.requeueTurn(turn.id, { isFree: true, note: SHUTDOWN_NOTE });
          return;
        }
      }
    }
    if (!(error instanceof TurnFailure)) {
      log.error(`turn ${turn.id} of job ${turn.jobId} failed unexpectedly`, error);
    }
    const words = error instanceof Error ? error.message : String(error);
    store.setTurn(turn.id, 'failed', error instanceof TurnFailure ? error.coded : coded('serviceFailed', { words }));
  }

  /** Tries until it is written, so that no job stays active because a disk was full; else the next start sees to it. */
  private async write(change: () => void, turn: Turn): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        change();
        return;
      } catch (failure) {
        if (isFirst) {
          this.parts.log.error(`the end of turn ${turn.id} could not be written`, failure);
        }
      }
      try {
        await delay(this.parts.clock, WRITE_AGAIN_MS, this.ending.signal);
      } catch {
        return;
      }
    }
  }
}
