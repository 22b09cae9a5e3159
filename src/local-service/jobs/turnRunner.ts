import PQueue from 'p-queue';
import { type Clock, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import { coded, type CodedText } from '../../protocol/codedText';
import { ClaimLost, type JobStore, type TurnOutline } from '../store/jobStore';
import { TurnStoppedError, type StoppedBy, TurnFailure } from '../turnFailure';
import { USER_REASON } from './jobStatus';
import { type JobLocks } from './jobLocks';
import type { TurnExecutor } from './turnExecutor';

/** Delay before a failed write of a turn's end is retried, in milliseconds. The disk may be full. */
const WRITE_AGAIN_MS = 2_000;

interface ActiveTurn {
  id: number;
  jobId: string;
  stop: (by: StoppedBy) => void;
  ended: Promise<void>;
}

/** Runs turns: a few at once, and one at a time per job. A newer turn of a job stops the one before it. */
export class TurnRunner {
  private readonly queue: PQueue;
  /** Each turn that has not ended, and the newest of each job. */
  private readonly all = new Set<ActiveTurn>();
  private readonly newest = new Map<string, ActiveTurn>();
  private readonly ending = new AbortController();

  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'claimTurn' | 'finishTurn' | 'requeueTurn'>;
      work: Pick<TurnExecutor, 'run'>;
      locks: JobLocks;
      log: Logger;
      /** Maximum number of agents that run at once. Each takes a few hundred megabytes of memory. */
      concurrency: number;
      clock: Clock;
      /** Waits until a turn that the previous run of the service left unpublished may be published. */
      mayPublish?: (turn: TurnOutline, signal: AbortSignal) => Promise<void>;
    },
  ) {
    this.queue = new PQueue({ concurrency: parts.concurrency });
  }

  /** The number of turns that have not ended. */
  get size(): number {
    return this.all.size;
  }

  /** Starts a turn once the previous turn of the same job has ended and there is capacity. */
  start(turn: TurnOutline): void {
    if (this.ending.signal.aborted) {
      // The database has it as queued; the next start of the service runs it.
      return;
    }
    const before = this.newest.get(turn.jobId);
    if (before !== undefined && before.id > turn.id) {
      // A newer message came right after this one, and has replaced it in the database.
      return;
    }
    before?.stop('message');
    const work = new AbortController();
    const publish = new AbortController();
    const present: ActiveTurn = {
      id: turn.id,
      jobId: turn.jobId,
      stop: (by) => {
        const reason = new TurnStoppedError(by);
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
   * Stops all turns of a job for the user: running, queued and publishing ones. Resolves once they have ended, to false
   * if there were none.
   */
  async cancel(jobId: string): Promise<boolean> {
    const turns = [...this.all].filter((turn) => turn.jobId === jobId);
    turns.forEach((turn) => turn.stop('user'));
    await Promise.all(turns.map((turn) => turn.ended));
    return turns.length > 0;
  }

  /** Stops all turns and leaves them to the next start of the service. Resolves once no agent is running. */
  async stop(): Promise<void> {
    this.ending.abort(new TurnStoppedError('shutdown'));
    const turns = [...this.all];
    turns.forEach((turn) => turn.stop('shutdown'));
    await Promise.all(turns.map((turn) => turn.ended));
  }

  private async runAfter(
    before: Promise<void> | undefined,
    turn: TurnOutline,
    work: AbortSignal,
    publish: AbortSignal,
  ): Promise<void> {
    await before;
    const { store, locks, mayPublish } = this.parts;
    let current = turn;
    try {
      if (turn.state === 'publishing') {
        await mayPublish?.(turn, publish);
      }
      // A turn that the previous run of the service left while publishing only has to be published.
      const signal = turn.state === 'publishing' ? publish : work;
      const run = async () => {
        signal.throwIfAborted();
        const claimed = await store.claimTurn(turn);
        if (claimed === undefined) {
          throw new ClaimLost(turn);
        }
        current = claimed;
        return this.parts.work.run(claimed, { work, publish });
      };
      const endedEarly = await this.enqueue(signal, () => locks.hold(turn.jobId, run));
      await this.write(() => store.finishTurn(current, 'done', endedEarly), turn);
    } catch (error) {
      await this.write(() => endTurn(this.parts, current, error), turn);
    }
  }

  /** Does the work when there is capacity. Rejects at once if the signal aborts before that. */
  private enqueue<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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

  /**
   * Retries until the write succeeds, so that a full disk leaves no job active. On shutdown, the next start takes over.
   * A turn that ended in another way keeps its end: a queued one that a newer message has replaced.
   */
  private async write(change: () => Promise<void>, turn: TurnOutline): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        await change();
        return;
      } catch (failure) {
        if (failure instanceof ClaimLost) {
          return;
        }
        if (isFirst) {
          this.parts.log.error(`couldn’t save the end of turn ${turn.id}`, failure);
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

/** What the user reads of a turn that the service itself has ended. */
export interface EndTexts {
  shutdown: CodedText;
  fault: (words: string) => CodedText;
}

const LOCAL_TEXTS: EndTexts = { shutdown: coded('goesOnLater'), fault: (words) => coded('serviceFailed', { words }) };

/** Stores how a turn ended that has thrown an error or was stopped. */
export async function endTurn(
  {
    store,
    log,
    texts = LOCAL_TEXTS,
  }: { store: Pick<JobStore, 'finishTurn' | 'requeueTurn'>; log: Logger; texts?: EndTexts },
  turn: TurnOutline,
  error: unknown,
): Promise<void> {
  if (error instanceof ClaimLost) {
    return;
  }
  if (error instanceof TurnStoppedError) {
    switch (error.by) {
      case 'message': {
        return store.finishTurn(turn, 'cancelled');
      }
      case 'user': {
        return store.finishTurn(turn, 'cancelled', USER_REASON);
      }
      case 'shutdown': {
        return store.requeueTurn(turn, { isCounted: false, note: texts.shutdown });
      }
    }
  }
  if (!(error instanceof TurnFailure)) {
    log.error(`turn ${turn.id} of job ${turn.jobId} failed unexpectedly`, error);
  }
  const words = error instanceof Error ? error.message : String(error);
  await store.finishTurn(turn, 'failed', error instanceof TurnFailure ? error.coded : texts.fault(words));
}
