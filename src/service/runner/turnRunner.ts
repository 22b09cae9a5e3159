import PQueue from 'p-queue';
import type { Logger } from '../../shared/util/logger';
import type { JobStore, Turn } from '../store/jobStore';
import { STOPPED_REASON } from './jobState';
import { TurnFailure } from './turnFailure';
import type { TurnWork } from './turnWork';

/** How many agents run at once: each takes some hundred megabytes of memory. */
const CONCURRENCY = 2;

/** Why a turn was stopped: a newer message of its job took its place, or the service ends. */
class Stopped extends Error {
  constructor(readonly by: 'message' | 'shutdown') {
    super(`stopped by ${by}`);
  }
}

interface PresentTurn {
  stop: AbortController;
  ended: Promise<void>;
}

/** Runs turns, a few at a time and one at a time per job; a newer turn of a job stops the one before it. */
export class TurnRunner {
  private readonly queue = new PQueue({ concurrency: CONCURRENCY });
  private readonly present = new Map<string, PresentTurn>();
  private isStopping = false;

  constructor(
    private readonly store: JobStore,
    private readonly work: TurnWork,
    private readonly log: Logger,
  ) {}

  /** Starts a turn as soon as the one before it in the same job has ended and there is room. */
  start(turn: Turn): void {
    const before = this.present.get(turn.jobId);
    before?.stop.abort(new Stopped('message'));
    const stop = new AbortController();
    if (this.isStopping) {
      stop.abort(new Stopped('shutdown'));
    }
    const ended = this.runAfter(before?.ended, turn, stop.signal).finally(() => {
      if (this.present.get(turn.jobId)?.stop === stop) {
        this.present.delete(turn.jobId);
      }
    });
    this.present.set(turn.jobId, { stop, ended });
  }

  /** Stops all turns; each is kept as failed. Resolves when no agent runs any more. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const turns = [...this.present.values()];
    for (const turn of turns) {
      turn.stop.abort(new Stopped('shutdown'));
    }
    await Promise.all(turns.map((turn) => turn.ended));
  }

  private async runAfter(before: Promise<void> | undefined, turn: Turn, signal: AbortSignal): Promise<void> {
    await before;
    try {
      await this.queue.add(() => this.work.run(turn, signal));
      this.store.setTurn(turn.id, 'done');
    } catch (error) {
      try {
        this.end(turn, error);
      } catch (failure) {
        // With a disk that is full the end can't be written now; the next start of the service writes it.
        this.log.error(`the end of turn ${turn.id} could not be written`, failure);
      }
    }
  }

  private end(turn: Turn, error: unknown): void {
    if (error instanceof Stopped && error.by === 'message') {
      this.store.setTurn(turn.id, 'cancelled');
      return;
    }
    if (error instanceof Stopped) {
      this.store.setTurn(turn.id, 'failed', STOPPED_REASON);
      return;
    }
    if (!(error instanceof TurnFailure)) {
      this.log.error(`turn ${turn.id} of job ${turn.jobId} failed unexpectedly`, error);
    }
    const words = error instanceof Error ? error.message : String(error);
    this.store.setTurn(turn.id, 'failed', error instanceof TurnFailure ? words : `The local service failed: ${words}`);
  }
}
