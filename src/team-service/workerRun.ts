import { type StoppedBy, type TurnSignals, TurnStoppedError } from '../local-service/turnFailure';
import { type Claim, ClaimLost, type Turn } from '../local-service/store/jobStore';
import type { HeldItem } from './turnQueue';

/** The work on an item of the queue: turns of one job, one after the other. */
export class WorkerRun {
  /** The claim to the turn that runs; undefined between two. */
  claim: Claim | undefined;
  /** Whether it may have lost its item or its claim. Nothing is written then, and the item is not completed. */
  isLost = false;
  /** Resolves once no agent of it is running. */
  done = Promise.resolve();
  private work = new AbortController();
  private publish = new AbortController();

  constructor(readonly item: HeldItem) {}

  /** Returns the signals that stop the turn. */
  begin(turn: Turn): TurnSignals {
    this.claim = turn;
    this.work = new AbortController();
    this.publish = new AbortController();
    if (this.isLost) {
      this.lose();
    }
    return { work: this.work.signal, publish: this.publish.signal };
  }

  end(): void {
    this.claim = undefined;
  }

  stop(by: StoppedBy): void {
    const reason = new TurnStoppedError(by);
    this.work.abort(reason);
    if (by !== 'message') {
      this.publish.abort(reason);
    }
  }

  lose(): void {
    this.isLost = true;
    if (this.claim !== undefined) {
      const reason = new ClaimLost(this.claim);
      this.work.abort(reason);
      this.publish.abort(reason);
    }
  }
}
