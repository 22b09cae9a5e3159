import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import { type Delivery, lineOf, waiting, waitOf } from './delivery';
import type { Home, JobEvent, SendKind } from './events';
import type { JobStore } from './jobStore';
import type { SendQueue } from './sendQueue';
import { findSend, isUnsent, type OutgoingPrompt, type TrackedJob } from './trackedJob';
import { waitsForRun } from './waiting';

export interface OutboxOptions {
  store: JobStore;
  delivery: Delivery;
  queue: SendQueue;
  clock: Clock;
  newId: () => string;
  log: Logger;
}

/** What became of one prompt. */
export interface Sent {
  job: TrackedJob;
  send: OutgoingPrompt;
}

/** A prompt that is on disk, and so can be lost no more. */
export interface Kept {
  job: TrackedJob;
  /**
   * Resolves when the prompt was accepted, or is not, or waits. Never rejects: every failure is an outcome that stays in
   * the list with its prompt.
   */
  sent: Promise<Sent>;
}

export interface SendOptions {
  /** It waits for the end of the present run and then goes by itself; a run that failed holds it for the user to decide. */
  afterRun?: boolean;
}

/** The prompt can't be changed any more: it is on its way, was accepted or given up, here or in another window. */
export class OnItsWayError extends Error {
  constructor() {
    super('the prompt can’t be changed any more');
    this.name = 'OnItsWayError';
  }
}

/**
 * Where a person's consent to send a prompt becomes a record: intent on disk, then its way to the service. Each method
 * resolves as soon as the intent is kept, and rejects only when it could not be.
 */
export class Outbox {
  constructor(private readonly options: OutboxOptions) {}

  async create(home: Home, prompt: string): Promise<Kept> {
    const intent = this.intent('create', prompt, home);
    return this.kept(await this.options.store.add(intent), intent.send);
  }

  async followUp(job: TrackedJob, prompt: string, { afterRun = false }: SendOptions = {}): Promise<Kept> {
    const intent = this.intent('followUp', prompt, job.home, afterRun);
    return this.kept(await this.options.store.append(job.key, intent), intent.send);
  }

  /**
   * Sends a prompt that was not accepted once more, changed or not, and before all that waits. This is a new consent to
   * one POST: of two windows, or two clicks, that mean the same prompt one gets its next claim.
   *
   * @throws OnItsWayError when a changed prompt comes too late; nothing was kept of it then
   */
  async sendAgain(
    job: TrackedJob,
    send: OutgoingPrompt,
    prompt = send.prompt,
    { afterRun = false }: SendOptions = {},
  ): Promise<Kept> {
    const { store, delivery } = this.options;
    const now = this.present(job, send.id).send;
    // Whether a prompt waits for a run is part of what was consented to: the other is a new one.
    const isSame = prompt === send.prompt && !now.afterRun && !afterRun;
    if (isSame && isUnsent(now) && now.state !== 'queued') {
      const sent = delivery.attempt(job.key, send.id, true).then(() => this.settled(job, send.id));
      return { job, sent };
    }
    // What became unconfirmed since the user saw it was not asked for: it may have had its effect.
    const isNew = now.state === 'unconfirmed' && send.state !== 'unconfirmed';
    if (isNew || !(await this.takeBack(job, send))) {
      if (prompt !== send.prompt) {
        throw new OnItsWayError();
      }
      return { job, sent: this.settled(job, send.id) };
    }
    const intent = { ...this.intent(send.kind, prompt, job.home, afterRun), replaces: send.id };
    try {
      const kept = await store.append(job.key, intent);
      await (afterRun && this.giveUp(job, send));
      return this.kept(kept, intent.send, true);
    } catch (error) {
      await this.giveBack(job, now);
      throw error;
    }
  }

  /** Gives a prompt up. False when it can't be stopped any more: it is on its way, or was accepted. */
  async discard(job: TrackedJob, send: OutgoingPrompt): Promise<boolean> {
    if (!(await this.takeBack(job, send))) {
      return false;
    }
    await this.giveUp(job, send);
    return true;
  }

  /** Windows of an older version, which can't read what takes the place of a prompt, learn of its end by this. */
  private giveUp(job: TrackedJob, { id }: OutgoingPrompt): Promise<void> {
    return this.options.store.keep(job.key, { type: 'discarded', at: this.options.clock.now(), send: id });
  }

  private intent(kind: SendKind, prompt: string, home: Home, waits = false): Extract<JobEvent, { type: 'send' }> {
    const { clock, newId } = this.options;
    const afterRun = waits ? { afterRun: true as const } : {};
    return { type: 'send', at: clock.now(), send: newId(), kind, prompt, home, ...afterRun };
  }

  private kept(job: TrackedJob, sendId: string, asked = false): Kept {
    return { job, sent: this.go(job, sendId, asked).then(() => this.settled(job, sendId)) };
  }

  private async go(job: TrackedJob, sendId: string, asked: boolean): Promise<void> {
    const { delivery, queue } = this.options;
    const now = this.present(job, sendId);
    if (!now.send.afterRun) {
      return asked ? delivery.attempt(job.key, sendId, true) : this.dispatch(job, sendId);
    }
    if (!waitsForRun(now.send) && !(await this.waitsForKey(job, now.send))) {
      await queue.go(lineOf(job.home, now.send.kind));
    }
  }

  /** True when nothing goes to its service for want of a key: then it is kept as one that waits for that. */
  private async waitsForKey({ key, home }: TrackedJob, { id, attempt }: OutgoingPrompt): Promise<boolean> {
    const { store, queue, clock } = this.options;
    const reason = queue.pauseOf(home.service);
    if (reason !== undefined) {
      await store.keep(key, { type: 'rejected', at: clock.now(), send: id, attempt, reason });
    }
    return reason !== undefined;
  }

  /** Sends at once, unless others of its line wait already: then it goes behind them. */
  private async dispatch(job: TrackedJob, sendId: string): Promise<void> {
    const { store, delivery, queue, clock } = this.options;
    const send = findSend(job, sendId);
    const line = lineOf(job.home, send.kind);
    const wait = { send: sendId, attempt: send.attempt };
    if (await this.waitsForKey(job, send)) {
      return;
    }
    const first = queue.firstOf(line);
    if (first === undefined) {
      await delivery.attempt(job.key, sendId);
      return;
    }
    const reason = { kind: first.send.reason?.kind ?? 'unreachable', code: 'TURN' };
    await store.keep(
      job.key,
      first.send.waiting?.for === 'rateLimit'
        ? waiting(sendId, send.attempt, reason, clock.now(), first.waitMs)
        : { type: 'notSent', at: clock.now(), ...wait, reason },
    );
    void queue.go(line);
  }

  private present(job: TrackedJob, sendId: string): Sent {
    const now = this.options.store.get(job.key) ?? job;
    return { job: now, send: findSend(now, sendId) };
  }

  /** Resolves as soon as the prompt is neither on its way nor about to be, whichever window is at it. */
  private settled(job: TrackedJob, sendId: string): Promise<Sent> {
    return new Promise((resolve) => {
      const look = (): void => {
        const sent = this.present(job, sendId);
        if (sent.send.state !== 'queued' && sent.send.state !== 'sending') {
          watching.dispose();
          resolve(sent);
        }
      };
      const watching: Disposable = this.options.store.onDidChange((change) => {
        if (change.job.key === job.key) {
          look();
        }
      });
      look();
    });
  }

  /** The claim that was taken to discard a prompt is not used, and the prompt stays what it was. */
  private giveBack({ key }: TrackedJob, send: OutgoingPrompt): Promise<void> {
    const { store, clock } = this.options;
    const { id, state, obstacle, reason } = send;
    const attempt = send.attempt + 1;
    const was = reason ?? { kind: 'unreachable' as const, code: 'TURN' };
    if (obstacle?.for === 'rateLimit') {
      // Counted from now: the wall clock may have been set back since, and the first end would be hours away.
      return store.keep(key, waiting(id, attempt, was, clock.now(), waitOf(send, clock.now())));
    }
    const type = obstacle?.for === 'apiKey' ? 'rejected' : state;
    const outcome = type === 'rejected' || type === 'unconfirmed' ? type : 'notSent';
    return store.keep(key, { type: outcome, at: clock.now(), send: id, attempt, reason: was });
  }

  /** True when it is certain that nobody sends it from now on: its next claim is taken, and will not be used. */
  private async takeBack(job: TrackedJob, { id }: OutgoingPrompt): Promise<boolean> {
    const { store } = this.options;
    const { send } = this.present(job, id);
    const open = send.state !== 'created' && send.state !== 'sending' && send.state !== 'discarded';
    return open && store.claimSend(job.key, id, send.attempt + 1);
  }
}
