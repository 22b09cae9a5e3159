import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import type { Delivery } from './delivery';
import type { JobStore } from './jobStore';
import type { SendQueue } from './sendQueue';
import { type SendState, type TrackedJob, findSend } from './trackedJob';

/**
 * How long a prompt may be on its way before nobody can be sending it any more, in milliseconds: the whole request ends
 * after 60 s, and the rest is for a slow disk.
 */
export const SENDING_LIMIT_MS = 70_000;

/** How long a prompt may wait for its leave, in milliseconds: a key is read and the local service started before. */
export const QUEUED_LIMIT_MS = 40_000;

export interface OrphansOptions {
  store: JobStore;
  delivery: Delivery;
  queue: SendQueue;
  clock: Clock;
  log: Logger;
}

/**
 * Looks after what another window, or this one before a crash, left: prompts without an outcome, and a second job that
 * came of a prompt which was sent again. The time runs from when this window first saw it, because wall clocks jump.
 */
export class Orphans implements Disposable {
  private readonly watches = new Map<string, { of: string; timer: Disposable }>();

  private disposed = false;

  constructor(private readonly options: OrphansOptions) {}

  /** Takes note of a job, at each change of it. */
  note(job: TrackedJob): void {
    for (const { id, state, attempt } of job.sends) {
      const of = `${state} ${attempt}`;
      const watched = this.watches.get(id);
      if (watched?.of === of) {
        continue;
      }
      watched?.timer.dispose();
      this.watches.delete(id);
      if (state === 'sending' || state === 'queued') {
        const wait = state === 'sending' ? SENDING_LIMIT_MS : QUEUED_LIMIT_MS;
        const timer = this.options.clock.after(wait, () => void this.takeCare(job.key, id, state, attempt));
        this.watches.set(id, { of, timer });
      }
    }
    if (job.strays.length > 0) {
      void this.houseStrays(job);
    }
  }

  dispose(): void {
    this.disposed = true;
    this.watches.forEach(({ timer }) => timer.dispose());
  }

  /** A prompt that nobody has begun to send goes by itself; what became of one that was begun nobody can find out. */
  private async takeCare(key: string, sendId: string, watched: SendState, attempt: number): Promise<void> {
    const { store, delivery, queue, clock, log } = this.options;
    try {
      await store.reload(key);
      const job = store.get(key);
      const send = job === undefined ? undefined : findSend(job, sendId);
      if (job === undefined || send?.state !== watched || send.attempt !== attempt || delivery.isUnderWay(sendId)) {
        return;
      }
      if (watched === 'queued') {
        queue.add(job, send);
      } else {
        const reason = { kind: 'aborted' as const, code: 'INTERRUPTED' };
        await store.keep(key, { type: 'unconfirmed', at: clock.now(), send: sendId, attempt, reason });
      }
    } catch (error) {
      log.error(`the fate of a prompt of job ${key} could not be looked after`, error);
    } finally {
      this.watches.delete(sendId);
      const job = store.get(key);
      if (job !== undefined && !this.disposed) {
        // What is still open is looked at again.
        this.note(job);
      }
    }
  }

  /**
   * Gives a second job of one row a row of its own, so that every job the service made is in the list. Its name follows
   * from the prompt's, so that windows which do this together, or again after a crash, write the same.
   */
  private async houseStrays(job: TrackedJob): Promise<void> {
    const { store, log } = this.options;
    try {
      for (const { send, at, snapshot } of job.strays) {
        const key = `${send.id}stray`;
        if (store.get(key)?.snapshot === undefined) {
          const { id } = send;
          const prompt = await store.promptOf(job.key, send);
          // The job first: a prompt alone would be sent once more.
          await store.append(key, { type: 'created', at, send: id, job: snapshot, home: job.home });
          await store.append(key, { type: 'send', at: send.at, send: id, kind: 'create', prompt, home: job.home });
        }
      }
    } catch (error) {
      log.error(`a second job of ${job.key} could not be written down`, error);
    }
  }
}
