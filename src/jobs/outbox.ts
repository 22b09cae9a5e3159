import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import { type Delivery, getLineName, toThrottledOutcome, getRemainingWait } from './delivery';
import type { ServiceLocation, JobEvent, SendKind } from './events';
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

/** The state of one prompt after an attempt to send it. */
export interface SendResult {
  job: TrackedJob;
  send: OutgoingPrompt;
}

/** A prompt that is on disk and so can no longer be lost. */
export interface RecordedPrompt {
  job: TrackedJob;
  /**
   * Resolves when the prompt was accepted, was not accepted, or has to wait. Never rejects: every failure is an outcome
   * that stays in the list with its prompt.
   */
  sent: Promise<SendResult>;
}

export interface SendOptions {
  /**
   * Waits for the current run to end and is then sent automatically; if that run fails, the prompt is held for the user
   * to decide.
   */
  afterRun?: boolean;
}

/** The prompt can no longer be changed: it is being sent, was accepted or was discarded, here or in another window. */
export class PromptNotEditableError extends Error {
  constructor() {
    super('the prompt can no longer be changed');
    this.name = 'PromptNotEditableError';
  }
}

/**
 * Turns the user's consent to send a prompt into a record: first the intent on disk, then delivery to the service. Each
 * method resolves as soon as the intent is on disk, and rejects only if it could not be written.
 */
export class Outbox {
  constructor(private readonly options: OutboxOptions) {}

  async create(home: ServiceLocation, prompt: string): Promise<RecordedPrompt> {
    const intent = this.intent('create', prompt, home);
    return this.kept(await this.options.store.add(intent), intent.send);
  }

  async followUp(job: TrackedJob, prompt: string, { afterRun = false }: SendOptions = {}): Promise<RecordedPrompt> {
    const intent = this.intent('followUp', prompt, job.home, afterRun);
    return this.kept(await this.options.store.append(job.key, intent), intent.send);
  }

  /**
   * Resends a prompt that was not accepted, changed or not, ahead of everything that waits. This is a new consent to
   * one POST: if two windows, or two clicks, mean the same prompt, only one gets its next claim.
   *
   * @throws PromptNotEditableError when a changed prompt comes too late; nothing of it was recorded
   */
  async sendAgain(
    job: TrackedJob,
    send: OutgoingPrompt,
    prompt = send.prompt,
    { afterRun = false }: SendOptions = {},
  ): Promise<RecordedPrompt> {
    const { store, delivery } = this.options;
    const now = this.getCurrent(job, send.id).send;
    // Whether a prompt waits for a run is part of the consent, so changing that makes it a new prompt.
    const isSame = prompt === send.prompt && !now.afterRun && !afterRun;
    if (isSame && isUnsent(now) && now.state !== 'queued') {
      const sent = delivery.attempt(job.key, send.id, true).then(() => this.untilSettled(job, send.id));
      return { job, sent };
    }
    // If it became unconfirmed after the user last saw it, the user did not ask to resend it: it may have had its
    // effect.
    const isNew = now.state === 'unconfirmed' && send.state !== 'unconfirmed';
    if (isNew || !(await this.claimForDiscard(job, send))) {
      if (prompt !== send.prompt) {
        throw new PromptNotEditableError();
      }
      return { job, sent: this.untilSettled(job, send.id) };
    }
    const intent = { ...this.intent(send.kind, prompt, job.home, afterRun), replaces: send.id };
    try {
      const startSending = await store.append(job.key, intent);
      return this.kept(startSending, intent.send, true);
    } catch (error) {
      await this.restorePrompt(job, now);
      throw error;
    }
  }

  /** Discards a prompt. Returns false if it can no longer be stopped: it is being sent or was accepted. */
  async discard(job: TrackedJob, send: OutgoingPrompt): Promise<boolean> {
    if (!(await this.claimForDiscard(job, send))) {
      return false;
    }
    await this.options.store.keep(job.key, { type: 'discarded', at: this.options.clock.now(), send: send.id });
    return true;
  }

  private intent(
    kind: SendKind,
    prompt: string,
    home: ServiceLocation,
    waits = false,
  ): Extract<JobEvent, { type: 'send' }> {
    const { clock, newId } = this.options;
    const afterRun = waits ? { afterRun: true as const } : {};
    return { type: 'send', at: clock.now(), send: newId(), kind, prompt, home, ...afterRun };
  }

  private kept(job: TrackedJob, sendId: string, asked = false): RecordedPrompt {
    return { job, sent: this.go(job, sendId, asked).then(() => this.untilSettled(job, sendId)) };
  }

  private async go(job: TrackedJob, sendId: string, asked: boolean): Promise<void> {
    const { delivery, queue } = this.options;
    const now = this.getCurrent(job, sendId);
    if (!isUnsent(now.send)) {
      // Another click or window has already claimed it. An outcome recorded here would override that claim.
      return;
    }
    if (!now.send.afterRun) {
      return asked ? delivery.attempt(job.key, sendId, true) : this.dispatch(now);
    }
    if (!waitsForRun(now.send) && !(await this.waitsForKey(job, now.send))) {
      await queue.go(getLineName(job.home, now.send.kind));
    }
  }

  /**
   * Returns true if sending to the service is paused for lack of a key. The prompt is then recorded as waiting for one.
   */
  private async waitsForKey({ key, home }: TrackedJob, { id, attempt }: OutgoingPrompt): Promise<boolean> {
    const { store, queue, clock } = this.options;
    const reason = queue.pauseOf(home.service);
    if (reason !== undefined) {
      await store.keep(key, { type: 'rejected', at: clock.now(), send: id, attempt, reason });
    }
    return reason !== undefined;
  }

  /** Sends at once, unless other prompts in the same line are waiting already: then it queues behind them. */
  private async dispatch({ job, send }: SendResult): Promise<void> {
    const { store, delivery, queue, clock } = this.options;
    const line = getLineName(job.home, send.kind);
    const wait = { send: send.id, attempt: send.attempt };
    if (await this.waitsForKey(job, send)) {
      return;
    }
    const first = queue.firstOf(line);
    if (first === undefined) {
      await delivery.attempt(job.key, send.id);
      return;
    }
    const reason = { kind: first.send.reason?.kind ?? 'unreachable', code: 'TURN' };
    await store.keep(
      job.key,
      first.send.waiting?.for === 'rateLimit'
        ? toThrottledOutcome(send.id, send.attempt, reason, clock.now(), first.waitMs)
        : { type: 'notSent', at: clock.now(), ...wait, reason },
    );
    void queue.go(line);
  }

  private getCurrent(job: TrackedJob, sendId: string): SendResult {
    const now = this.options.store.get(job.key) ?? job;
    return { job: now, send: findSend(now, sendId) };
  }

  /** Resolves as soon as the prompt is neither being sent nor about to be, whichever window sends it. */
  private untilSettled(job: TrackedJob, sendId: string): Promise<SendResult> {
    return new Promise((resolve) => {
      const look = (): void => {
        const sent = this.getCurrent(job, sendId);
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

  /** Releases the claim that was taken to discard a prompt, and restores the prompt's previous state. */
  private restorePrompt({ key }: TrackedJob, send: OutgoingPrompt): Promise<void> {
    const { store, clock } = this.options;
    const { id, state, obstacle, reason } = send;
    const attempt = send.attempt + 1;
    const was = reason ?? { kind: 'unreachable' as const, code: 'TURN' };
    if (obstacle?.for === 'rateLimit') {
      // Counted from now: if the wall clock was set back since, the original end would be hours away.
      return store.keep(key, toThrottledOutcome(id, attempt, was, clock.now(), getRemainingWait(send, clock.now())));
    }
    const type = obstacle?.for === 'apiKey' ? 'rejected' : state;
    const outcome = type === 'rejected' || type === 'unconfirmed' ? type : 'notSent';
    return store.keep(key, { type: outcome, at: clock.now(), send: id, attempt, reason: was });
  }

  /**
   * Takes the prompt's next claim without using it. Returns true if it is now certain that no window will send the
   * prompt.
   */
  private async claimForDiscard(job: TrackedJob, { id }: OutgoingPrompt): Promise<boolean> {
    const { store } = this.options;
    const { send } = this.getCurrent(job, id);
    const open = send.state !== 'created' && send.state !== 'sending' && send.state !== 'discarded';
    return open && store.claimSend(job.key, id, send.attempt + 1);
  }
}
