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
 * Recovers what another window, or this one before a crash, left behind: prompts without an outcome, and duplicate jobs
 * created by a resent prompt. Time counts from when this window first saw them, because wall clocks jump.
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
    if (job.duplicates.length > 0) {
      void this.adoptDuplicates(job);
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

  /**
   * Gives a duplicate job its own row, so that every job the service created is in the list. Its key is derived from
   * the prompt's, so that windows that do this at the same time, or again after a crash, write the same records.
   */
  private async adoptDuplicates(job: TrackedJob): Promise<void> {
    const { store, log } = this.options;
    try {
      for (const { send, at, snapshot } of job.duplicates) {
        const key = `${send.id}stray`;
        if (store.get(key)?.snapshot === undefined) {
          const { id } = send;
          const prompt = await store.promptOf(job.key, send);
          // Write the job first: a prompt alone would be sent again. With the claim it is not, if that file is damaged.
          await store.append(key, { type: 'created', at, send: id, job: snapshot, home: job.home });
          await store.claimSend(key, id, 1);
          await store.append(key, { type: 'send', at: send.at, send: id, kind: 'create', prompt, home: job.home });
        }
      }
    } catch (error) {
      log.error(`couldn’t save a second job of ${job.key}`, error);
    }
  }
}
