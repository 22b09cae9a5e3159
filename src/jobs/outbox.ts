import { ServiceError } from '../shared/protocol/serviceError';
import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import type { Home, JobEvent, Reason, SendKind } from './events';
import type { JobStore } from './jobStore';
import type { JobApi, OpenLine } from './ports';
import { toSnapshot } from './snapshot';
import type { Send, SendState, TrackedJob } from './trackedJob';

/**
 * How long a prompt may be on its way before nobody can be sending it any more, in milliseconds: the whole request ends
 * after 60 s, and the rest is for a slow disk.
 */
export const SENDING_LIMIT_MS = 70_000;

/** How long a prompt may wait for its leave, in milliseconds: a key is read and the local service started before. */
export const QUEUED_LIMIT_MS = 40_000;

export interface OutboxOptions {
  store: JobStore;
  api: JobApi;
  clock: Clock;
  newId: () => string;
  log: Logger;
}

/** What became of one prompt. */
export interface Sent {
  job: TrackedJob;
  send: Send;
}

/** A prompt that is on disk, and so can be lost no more. */
export interface Kept {
  job: TrackedJob;
  /** Never rejects: every failure is an outcome that stays in the list with its prompt. */
  sent: Promise<Sent>;
}

/**
 * The way of a prompt: intent on disk, one exclusive leave, one POST, outcome on disk. Each method resolves as
 * soon as the intent is kept, and rejects only when it could not be.
 */
export class Outbox implements Disposable {
  private readonly ownSends = new Set<string>();
  private readonly watches = new Map<string, Disposable>();

  constructor(private readonly options: OutboxOptions) {}

  create(home: Home, prompt: string): Promise<Kept> {
    const intent = this.intent('create', prompt, home);
    return this.submit(intent.send, () => this.options.store.add(intent));
  }

  followUp(job: TrackedJob, prompt: string): Promise<Kept> {
    const intent = this.intent('followUp', prompt, job.home);
    return this.submit(intent.send, () => this.options.store.append(job.key, intent));
  }

  /**
   * Sends a prompt that was not accepted once more, changed or not. This is a new consent to one POST, whose id is made
   * of the old one: two windows, or two clicks, that mean the same prompt meet at one exclusive leave.
   */
  async sendAgain(job: TrackedJob, send: Send, prompt = send.prompt): Promise<Kept> {
    const now = await this.takeBack(job, send);
    if (now === undefined) {
      return { job, sent: Promise.resolve(this.present(job, send.id)) };
    }
    const intent = { ...this.intent(send.kind, prompt, job.home), send: `${send.id}r`, replaces: send.id };
    return this.submit(intent.send, () => this.options.store.append(job.key, intent));
  }

  /** Gives a prompt up. False when it can't be stopped any more: it is on its way, or was accepted. */
  async discard(job: TrackedJob, send: Send): Promise<boolean> {
    if ((await this.takeBack(job, send)) === undefined) {
      return false;
    }
    await this.options.store.append(job.key, { type: 'discarded', at: this.options.clock.now(), send: send.id });
    return true;
  }

  /**
   * Looks after what another window, or this one before a crash, left: prompts without an outcome, and a second job that
   * came of a prompt which was sent again. The time runs from when this window first saw it, because wall clocks jump.
   */
  adopt(job: TrackedJob): void {
    for (const { id, state } of job.sends) {
      const open = state === 'sending' || state === 'queued';
      if (open && !this.ownSends.has(id) && !this.watches.has(id)) {
        const wait = state === 'sending' ? SENDING_LIMIT_MS : QUEUED_LIMIT_MS;
        this.watches.set(
          id,
          this.options.clock.after(wait, () => void this.giveUp(job.key, id, state)),
        );
      }
    }
    if (job.strays.length > 0) {
      void this.houseStrays(job);
    }
  }

  dispose(): void {
    for (const watch of this.watches.values()) {
      watch.dispose();
    }
  }

  private intent(kind: SendKind, prompt: string, home: Home): Extract<JobEvent, { type: 'send' }> {
    return { type: 'send', at: this.options.clock.now(), send: this.options.newId(), kind, prompt, home };
  }

  private async submit(sendId: string, writeIntent: () => Promise<TrackedJob>): Promise<Kept> {
    this.ownSends.add(sendId);
    try {
      const job = await writeIntent();
      return { job, sent: this.post(job, sendId) };
    } catch (error) {
      this.ownSends.delete(sendId);
      throw error;
    }
  }

  private present(job: TrackedJob, sendId: string): Sent {
    const now = this.options.store.get(job.key) ?? job;
    return { job: now, send: findSend(now, sendId) };
  }

  /** Returns the prompt when it is certain that nobody sends it: one that still waits for its leave loses it. */
  private async takeBack(job: TrackedJob, { id }: Send): Promise<Send | undefined> {
    const { send } = this.present(job, id);
    if (send.state === 'queued') {
      return (await this.options.store.claimGo(job.key, id)) ? send : undefined;
    }
    return send.state === 'created' || send.state === 'sending' || send.state === 'discarded' ? undefined : send;
  }

  private async post(job: TrackedJob, sendId: string): Promise<Sent> {
    const { store, log } = this.options;
    try {
      const outcome = await this.deliver(job, sendId);
      if (outcome !== undefined) {
        await this.record(job.key, outcome);
      }
    } catch (error) {
      // The prompt is on disk; what is missing is its outcome, and `adopt` looks after that.
      log.error(`the outcome of a prompt of job ${job.key} could not be written`, error);
    }
    this.ownSends.delete(sendId);
    this.adopt(store.get(job.key) ?? job);
    return this.present(job, sendId);
  }

  private async record(key: string, outcome: JobEvent): Promise<void> {
    try {
      await this.options.store.append(key, outcome);
    } catch (error) {
      if (outcome.type === 'created') {
        this.options.log.error(`the service made job ${outcome.job.id}, which could not be written down`);
      }
      throw error;
    }
  }

  /** Undefined when another window has taken the leave, and with it the duty to write the outcome. */
  private async deliver(job: TrackedJob, sendId: string): Promise<JobEvent | undefined> {
    const { clock, log, store } = this.options;
    const send = findSend(job, sendId);
    try {
      const line = await this.openLine(job.home);
      if (!(await store.claimGo(job.key, sendId))) {
        return undefined;
      }
      const answer =
        send.kind === 'create'
          ? await line.create(send.prompt)
          : await line.message(job.snapshot?.id ?? '', send.prompt);
      return { type: 'created', at: clock.now(), send: sendId, job: toSnapshot(answer) };
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        throw error;
      }
      log.warn(`a prompt of job ${job.key} was not accepted`, error);
      return outcomeOf(error, sendId, clock.now());
    }
  }

  /** A keyring that is locked or a disk that is full is as good as no way to the service: nothing was sent. */
  private async openLine(home: Home): Promise<OpenLine> {
    try {
      return await this.options.api.open(home);
    } catch (error) {
      if (error instanceof ServiceError) {
        throw error;
      }
      const detail = error instanceof Error ? error.message : String(error);
      throw new ServiceError('unreachable', { effect: 'none', code: 'SETUP', detail, cause: error });
    }
  }

  /** Writes down what must be true of a prompt that nobody is sending any more. */
  private async giveUp(key: string, sendId: string, watched: SendState): Promise<void> {
    this.watches.delete(sendId);
    const { store, clock, log } = this.options;
    try {
      await store.reload(key);
      const job = store.get(key);
      const state = job === undefined ? undefined : findSend(job, sendId).state;
      if (job !== undefined && state !== watched) {
        // It has got its leave meanwhile: its time begins now.
        this.adopt(job);
        return;
      }
      const reason: Reason = { kind: 'aborted', code: 'INTERRUPTED' };
      if (state === 'sending') {
        await store.append(key, { type: 'unconfirmed', at: clock.now(), send: sendId, reason });
      } else if (state === 'queued' && (await store.claimGo(key, sendId))) {
        // With the leave in our hands nobody else can have sent it, or ever will.
        await store.append(key, { type: 'notSent', at: clock.now(), send: sendId, reason });
      }
    } catch (error) {
      log.error(`the fate of a prompt of job ${key} could not be written`, error);
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
          const { id, prompt } = send;
          await store.append(key, { type: 'send', at: send.at, send: id, kind: 'create', prompt, home: job.home });
          await store.append(key, { type: 'created', at, send: id, job: snapshot });
        }
      }
    } catch (error) {
      log.error(`a second job of ${job.key} could not be written down`, error);
    }
  }
}

/** What an error says of the prompt (requirements: the table of outcomes). */
function outcomeOf(error: ServiceError, send: string, at: number): JobEvent {
  const { kind, status, code, detail, retryAfterMs } = error;
  const until = retryAfterMs === undefined ? undefined : at + retryAfterMs;
  const reason: Reason = { kind, status, code, detail, until };
  if (error.effect === 'unknown') {
    return { type: 'unconfirmed', at, send, reason };
  }
  if (kind === 'limit') {
    return { type: 'throttled', at, send, reason };
  }
  const passing = error.effect === 'none' && (kind === 'unreachable' || kind === 'timeout');
  return { type: passing ? 'notSent' : 'rejected', at, send, reason };
}

function findSend(job: TrackedJob, id: string): Send {
  const send = job.sends.find((each) => each.id === id);
  if (send === undefined) {
    throw new Error(`job ${job.key} has no prompt ${id}`);
  }
  return send;
}
