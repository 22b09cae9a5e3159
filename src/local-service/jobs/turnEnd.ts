import { type Clock, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import { coded, type CodedText } from '../../protocol/codedText';
import { type Claim, ClaimLost, type JobStore, type TurnOutline } from '../store/jobStore';
import { type StoppedBy, TurnFailure, type TurnSignals, TurnStoppedError, UsageLimit } from '../turnFailure';
import { USER_REASON } from './jobStatus';
import type { TurnResult } from './turnExecutor';

/** Delay before a failed write of a turn's end is retried, in milliseconds. The disk may be full. */
const WRITE_AGAIN_MS = 2_000;

/** Stops a turn. */
export class TurnStop {
  private readonly work = new AbortController();
  private readonly publish = new AbortController();

  readonly signals: TurnSignals = { work: this.work.signal, publish: this.publish.signal };

  /** A newer message stops the agent's work, but not a publication. */
  stop(by: StoppedBy): void {
    const reason = new TurnStoppedError(by);
    this.work.abort(reason);
    if (by !== 'message') {
      this.publish.abort(reason);
    }
  }

  /** Stops everything, because the claim to the turn may be lost. */
  lose(claim: Claim): void {
    const reason = new ClaimLost(claim);
    this.work.abort(reason);
    this.publish.abort(reason);
  }
}

/** What the user reads of a turn that the service itself has ended. */
export interface EndTexts {
  shutdown: CodedText;
  fault: (words: string) => CodedText;
}

export interface EndParts {
  store: Pick<JobStore, 'finishTurn' | 'requeueTurn'>;
  texts: EndTexts;
  log: Logger;
  clock: Pick<Clock, 'after'>;
  /** Called with a turn that is queued again until its agent's usage limit resets. */
  onHold?: (turn: TurnOutline) => void;
}

/**
 * Stores how a turn's work has ended. Retries until that succeeds, so that a full disk leaves no job active. A turn that
 * was ended by someone else, or that someone else has claimed, stays as it is. Resolves to whether the end was stored.
 *
 * @param turn the turn as it is when the work has ended
 * @param mayWrite asked before each attempt
 */
export async function recordEnd(
  parts: EndParts,
  work: Promise<TurnResult>,
  turn: () => TurnOutline,
  mayWrite: (isFirst: boolean) => boolean,
): Promise<boolean> {
  const write = await work.then(
    ({ endedEarly, found }) =>
      () =>
        parts.store.finishTurn(turn(), 'done', endedEarly, found),
    (error: unknown) => () => writeFailure(parts, turn(), error),
  );
  for (let isFirst = true; mayWrite(isFirst); isFirst = false) {
    try {
      await write();
      return true;
    } catch (error) {
      if (error instanceof ClaimLost) {
        return false;
      }
      if (isFirst) {
        parts.log.error(`couldn’t save the end of turn ${turn().id}`, error);
      }
    }
    await delay(parts.clock, WRITE_AGAIN_MS);
  }
  return false;
}

async function writeFailure({ store, texts, log, onHold }: EndParts, turn: TurnOutline, error: unknown): Promise<void> {
  if (error instanceof ClaimLost) {
    throw error;
  }
  if (error instanceof TurnStoppedError) {
    switch (error.by) {
      case 'message':
        return store.finishTurn(turn, 'cancelled');
      case 'user':
        return store.finishTurn(turn, 'cancelled', USER_REASON);
      case 'shutdown':
        return store.requeueTurn(turn, { isCounted: false, note: texts.shutdown });
    }
  }
  if (error instanceof UsageLimit && turn.resumesAt === null) {
    const { resumesAt } = error;
    const note = coded('waitsForLimit', { words: error.coded.params?.['words'] ?? '' });
    await store.requeueTurn(turn, { isCounted: false, note, resumesAt });
    onHold?.({ ...turn, state: 'queued', resumesAt });
    return;
  }
  if (error instanceof TurnFailure) {
    return store.finishTurn(turn, 'failed', error.coded);
  }
  log.error(`turn ${turn.id} of job ${turn.jobId} failed unexpectedly`, error);
  return store.finishTurn(turn, 'failed', texts.fault(error instanceof Error ? error.message : String(error)));
}
