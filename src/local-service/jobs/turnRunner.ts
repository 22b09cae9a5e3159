import PQueue from 'p-queue';
import { type Clock, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import { coded } from '../../protocol/codedText';
import { ClaimLost, type JobStore, type TurnOutline } from '../store/jobStore';
import { type StoppedBy, type TurnSignals, TurnStoppedError } from '../turnFailure';
import type { JobLocks } from './jobLocks';
import { type EndTexts, recordEnd, TurnStop } from './turnEnd';
import type { TurnExecutor, TurnResult } from './turnExecutor';

const TEXTS: EndTexts = { shutdown: coded('goesOnLater'), fault: (words) => coded('serviceFailed', { words }) };

/** How often to check whether a turn on hold may run, in milliseconds. */
const LOOK_MS = 30_000;

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
  /** The number of turns on hold. */
  held = 0;

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

  /** Whether another turn would have to wait. */
  get isFull(): boolean {
    return this.queue.pending >= this.parts.concurrency;
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
    const stop = new TurnStop();
    const present: ActiveTurn = {
      id: turn.id,
      jobId: turn.jobId,
      stop: (by) => stop.stop(by),
      ended: Promise.resolve(),
    };
    this.all.add(present);
    this.newest.set(turn.jobId, present);
    present.ended = this.runAfter(before?.ended, turn, stop.signals).finally(() => {
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

  private async runAfter(before: Promise<void> | undefined, turn: TurnOutline, signals: TurnSignals): Promise<void> {
    await before;
    const { store, locks, mayPublish, work } = this.parts;
    // A turn that the previous run of the service left while publishing only has to be published.
    const signal = turn.state === 'publishing' ? signals.publish : signals.work;
    let current = turn;
    const run = async (): Promise<TurnResult> => {
      signal.throwIfAborted();
      const claimed = await store.claimTurn(turn);
      if (claimed === undefined) {
        throw new ClaimLost(turn);
      }
      current = claimed;
      return work.run(claimed, signals);
    };
    const runInTurn = async (): Promise<TurnResult> => {
      await this.untilDue(turn, signal);
      if (turn.state === 'publishing') {
        await mayPublish?.(turn, signal);
      }
      return this.enqueue(signal, () => locks.hold(turn.jobId, run));
    };
    // On shutdown, the next start of the service takes over.
    const mayWrite = (isFirst: boolean): boolean => isFirst || !this.ending.signal.aborted;
    // Starts once this run has ended.
    const onHold = (held: TurnOutline): void => this.start(held);
    await recordEnd({ ...this.parts, texts: TEXTS, onHold }, runInTurn(), () => current, mayWrite);
  }

  /** Waits until a turn on hold may run, in short steps, because timers stand still while the machine sleeps. */
  private async untilDue({ state, resumesAt }: TurnOutline, signal: AbortSignal): Promise<void> {
    const { clock } = this.parts;
    const remaining = (): number => (state === 'queued' && resumesAt !== null ? resumesAt - clock.now() : 0);
    this.held += 1;
    try {
      while (remaining() > 0) {
        await delay(clock, Math.min(remaining(), LOOK_MS), signal);
      }
    } finally {
      this.held -= 1;
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
}
