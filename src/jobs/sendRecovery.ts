import { type Backoff, backoffDelay, type Clock, KeyedQueue } from '../base/async';
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

/** Backoff for saving a duplicate job whose prompt can't be read. It may never be readable. */
const RETRY: Backoff = { baseMs: 1000, capMs: 3_600_000 };

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
  /** Serializes saving the duplicates of the same job. */
  private readonly turns = new KeyedQueue();
  /** The jobs whose duplicates are saved later, because that failed. */
  private readonly retries = new Map<string, Disposable>();

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
      void this.adoptDuplicates(job.key);
    }
  }

  dispose(): void {
    this.disposed = true;
    this.watches.forEach(({ timer }) => timer.dispose());
    this.retries.forEach((timer) => timer.dispose());
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
   * Gives each duplicate job its own row, so that every job the service created is in the list. Retries for as long as
   * the window lives. Never rejects.
   */
  private async adoptDuplicates(key: string, tries = 1): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.turns.run(key, () => this.writeDuplicates(key));
    } catch (error) {
      log.error(`couldn’t save a second job of ${key} yet`, error);
      if (!this.disposed && !this.retries.has(key)) {
        const retry = (): void => {
          this.retries.delete(key);
          void this.adoptDuplicates(key, tries + 1);
        };
        this.retries.set(key, clock.after(backoffDelay(RETRY, tries, 0.5), retry));
      }
    }
  }

  /**
   * The key of the row is derived from the prompt's, so that windows that do this at the same time, or again after a
   * crash, write the same records.
   */
  private async writeDuplicates(key: string): Promise<void> {
    const { store } = this.options;
    // A row that has not been read yet would be written again at each start.
    await store.loaded;
    const job = store.get(key);
    if (job === undefined) {
      return;
    }
    const { home } = job;
    for (const { send, at, snapshot } of job.duplicates) {
      const { id } = send;
      const row = `${id}stray`;
      // Write the job first: a prompt alone would be sent again. With the claim it is not, if that file is damaged.
      if (store.get(row)?.snapshot === undefined) {
        await store.append(row, { type: 'created', at, send: id, job: snapshot, home });
      }
      if (store.get(row)?.sends.length === 0) {
        const prompt = await store.promptOf(key, send);
        await store.claimSend(row, id, 1);
        await store.append(row, { type: 'send', at: send.at, send: id, kind: 'create', prompt, home });
      }
    }
  }
}
