import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { ServiceLocation, JobEvent, PromptKind } from './events';
import type { JobStore } from './jobStore';
import { repeated } from './outcome';
import type { SendLoop } from './sendLoop';
import { findPrompt, isUnsent, type OutgoingPrompt, type TrackedJob } from './trackedJob';

export interface OutboxOptions {
  store: JobStore;
  loop: SendLoop;
  clock: Clock;
  newId: () => string;
}

/** The state of one prompt after an attempt to send it. */
export interface SendResult {
  job: TrackedJob;
  prompt: OutgoingPrompt;
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

export interface ResendOptions extends SendOptions {
  /** Where a prompt goes that the service of its job has refused. */
  to?: ServiceLocation | undefined;
}

/** The prompt can no longer be changed: it is being sent, was accepted or was discarded, here or in another window. */
export class PromptNotEditableError extends Error {
  constructor() {
    super('the prompt can no longer be changed');
    this.name = 'PromptNotEditableError';
  }
}

/**
 * Turns the user's consent to send a prompt into a record, which the send loop takes up. Each method resolves as soon as
 * the intent is on disk, and rejects only if it could not be written.
 */
export class Outbox {
  constructor(private readonly options: OutboxOptions) {}

  async create(location: ServiceLocation, prompt: string): Promise<RecordedPrompt> {
    const intent = this.intent('create', prompt, location);
    return this.recorded(await this.options.store.add(intent), intent.promptId);
  }

  async followUp(job: TrackedJob, prompt: string, { afterRun = false }: SendOptions = {}): Promise<RecordedPrompt> {
    const intent = this.intent('followUp', prompt, job.location, afterRun);
    return this.recorded(await this.options.store.append(job.key, intent), intent.promptId);
  }

  /**
   * Resends a prompt that was not accepted, changed or not, ahead of everything that waits. This is a new consent to
   * one POST: if two windows, or two clicks, mean the same prompt, only one gets its next claim.
   *
   * @throws PromptNotEditableError when a changed prompt comes too late; nothing of it was recorded
   */
  async sendAgain(
    job: TrackedJob,
    prompt: OutgoingPrompt,
    text = prompt.text,
    { afterRun = false, to }: ResendOptions = {},
  ): Promise<RecordedPrompt> {
    const { store, loop, clock } = this.options;
    const now = this.getCurrent(job, prompt.id).prompt;
    // Where a prompt goes, and whether it waits for a run, is part of the consent: changing that makes it a new prompt.
    const isSame = text === prompt.text && to === undefined && !now.afterRun && !afterRun;
    if (isSame && isUnsent(now) && now.state !== 'queued') {
      return { job, sent: loop.attempt(job.key, prompt.id, true).then(() => this.untilSettled(job, prompt.id)) };
    }
    // If it became unconfirmed after the user last saw it, the user did not ask to resend it: it may have had its
    // effect.
    const isNew = now.state === 'unconfirmed' && prompt.state !== 'unconfirmed';
    if (isNew || !(await this.claimForDiscard(job, prompt))) {
      if (text !== prompt.text || to !== undefined) {
        throw new PromptNotEditableError();
      }
      return { job, sent: this.untilSettled(job, prompt.id) };
    }
    const intent = { ...this.intent(prompt.kind, text, to ?? job.location, afterRun), replaces: prompt.id };
    try {
      return this.recorded(await store.append(job.key, intent), intent.promptId, true);
    } catch (error) {
      // Releases the claim.
      const next = { id: prompt.id, attempt: now.attempt + 1 };
      await store.record(job.key, repeated(store.eventsOf(job.key), now, next, clock.now()));
      throw error;
    }
  }

  /** Discards a prompt. Returns false if it can no longer be stopped: it is being sent or was accepted. */
  async discard(job: TrackedJob, prompt: OutgoingPrompt): Promise<boolean> {
    if (!(await this.claimForDiscard(job, prompt))) {
      return false;
    }
    await this.options.store.record(job.key, { type: 'discarded', at: this.options.clock.now(), promptId: prompt.id });
    return true;
  }

  private intent(
    kind: PromptKind,
    prompt: string,
    location: ServiceLocation,
    waits = false,
  ): Extract<JobEvent, { type: 'send' }> {
    const { clock, newId } = this.options;
    const afterRun = waits ? { afterRun: true as const } : {};
    return { type: 'send', at: clock.now(), promptId: newId(), kind, text: prompt, location, ...afterRun };
  }

  private recorded(job: TrackedJob, promptId: string, asked = false): RecordedPrompt {
    const sent = this.options.loop.send(job.key, promptId, asked).then(() => this.untilSettled(job, promptId));
    return { job, sent };
  }

  private getCurrent(job: TrackedJob, promptId: string): SendResult {
    const now = this.options.store.get(job.key) ?? job;
    return { job: now, prompt: findPrompt(now, promptId) };
  }

  /** Resolves as soon as the prompt is neither being sent nor about to be, whichever window sends it. */
  private untilSettled(job: TrackedJob, promptId: string): Promise<SendResult> {
    return new Promise((resolve) => {
      const check = (): void => {
        const sent = this.getCurrent(job, promptId);
        if (sent.prompt.state !== 'queued' && sent.prompt.state !== 'sending') {
          watching.dispose();
          resolve(sent);
        }
      };
      const watching: Disposable = this.options.store.onDidChange(check);
      check();
    });
  }

  /**
   * Takes the prompt's next claim without using it. Returns true if it is now certain that no window will send the
   * prompt.
   */
  private async claimForDiscard(job: TrackedJob, { id }: OutgoingPrompt): Promise<boolean> {
    const { prompt } = this.getCurrent(job, id);
    const isOpen = isUnsent(prompt) || prompt.state === 'unconfirmed';
    return isOpen && this.options.store.claimPrompt(job.key, id, prompt.attempt + 1);
  }
}
