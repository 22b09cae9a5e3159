import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { Delivery } from './delivery';
import type { JobStore } from './jobStore';
import type { SendQueue } from './sendQueue';
import { findSend, type PromptState, type TrackedJob } from './trackedJob';

/**
 * The longest a prompt can be in flight, in milliseconds: the request times out after 60 s, and the rest is for a slow
 * disk.
 */
export const SENDING_LIMIT_MS = 70_000;

/**
 * How long a prompt may stay queued before its send is claimed, in milliseconds. Reading the key and starting the local
 * service come first.
 */
export const QUEUED_LIMIT_MS = 40_000;

export interface SendRecoveryOptions {
  store: JobStore;
  delivery: Delivery;
  queue: SendQueue;
  clock: Clock;
  log: Logger;
}

/**
 * Recovers prompts without an outcome, which another window, or this one before a crash, left behind. Time counts from
 * when this window first saw them, because wall clocks jump.
 */
export class SendRecovery implements Disposable {
  private readonly watches = new Map<string, { of: string; timer: Disposable }>();
  private disposed = false;

  constructor(private readonly options: SendRecoveryOptions) {}

  /** Starts and stops watching the prompts of a job that changed. */
  onJobChanged(job: TrackedJob): void {
    for (const { id, state, attempt } of job.sends) {
      const of = `${state} ${attempt}`;
      const isWatched = state === 'sending' || (state === 'queued' && !job.untracked);
      const watched = this.watches.get(id);
      if (isWatched && watched?.of === of) {
        continue;
      }
      watched?.timer.dispose();
      this.watches.delete(id);
      if (isWatched) {
        const wait = state === 'sending' ? SENDING_LIMIT_MS : QUEUED_LIMIT_MS;
        const timer = this.options.clock.after(wait, () => void this.recoverSend(job.key, id, state, attempt));
        this.watches.set(id, { of, timer });
      }
    }
  }

  dispose(): void {
    this.disposed = true;
    this.watches.forEach(({ timer }) => timer.dispose());
  }

  /**
   * Queues a prompt again if its send was not claimed, unless its job was removed from the list. Marks it as unconfirmed
   * for good if it was.
   */
  private async recoverSend(key: string, sendId: string, watched: PromptState, attempt: number): Promise<void> {
    const { store, delivery, queue, clock, log } = this.options;
    try {
      await store.reload(key);
      const job = store.get(key);
      const send = job === undefined ? undefined : findSend(job, sendId);
      if (job === undefined || send?.state !== watched || send.attempt !== attempt || delivery.isUnderWay(sendId)) {
        return;
      }
      if (watched === 'queued' && !job.untracked) {
        queue.add(job, send);
      } else if (watched === 'sending') {
        const reason = { kind: 'aborted' as const, code: 'INTERRUPTED' };
        await store.keep(key, { type: 'unconfirmed', at: clock.now(), send: sendId, attempt, reason });
      }
    } catch (error) {
      log.error(`couldn’t recover a prompt of job ${key}`, error);
    } finally {
      this.watches.delete(sendId);
      const job = store.get(key);
      if (job !== undefined && !this.disposed) {
        // Whatever is still open gets watched again.
        this.onJobChanged(job);
      }
    }
  }
}
