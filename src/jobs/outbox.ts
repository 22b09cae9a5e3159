import type { WireJob } from '../shared/protocol/job';
import { ServiceError } from '../shared/protocol/serviceError';
import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import type { Home, JobEvent, Reason, SendKind } from './events';
import type { JobStore } from './jobStore';
import type { JobApi } from './ports';
import { toSnapshot } from './snapshot';
import type { Send, TrackedJob } from './trackedJob';

/**
 * How long a prompt may be on its way before nobody can be sending it any more, in milliseconds: the whole request ends
 * after 60 s, and the rest is for a slow disk.
 */
export const SENDING_LIMIT_MS = 70_000;

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

/**
 * The way of a prompt: intent on disk, one exclusive leave, one POST, outcome on disk. Each method rejects only when
 * the intent could not be kept; every other failure is an outcome that stays in the list with its prompt.
 */
export class Outbox implements Disposable {
  private readonly ownSends = new Set<string>();
  private readonly watches = new Map<string, Disposable>();

  constructor(private readonly options: OutboxOptions) {}

  async create(home: Home, prompt: string): Promise<Sent> {
    const event = this.intent('create', prompt, home);
    const job = await this.options.store.add(event);
    return this.post(job, event.send);
  }

  async followUp(job: TrackedJob, prompt: string): Promise<Sent> {
    return this.submit(job, this.intent('followUp', prompt, job.home));
  }

  /** Sends a prompt that was not accepted once more, changed or not. This is a new consent to one POST. */
  async sendAgain(job: TrackedJob, send: Send, prompt = send.prompt): Promise<Sent> {
    return this.submit(job, { ...this.intent(send.kind, prompt, job.home), replaces: send.id });
  }

  async discard(job: TrackedJob, send: Send): Promise<void> {
    await this.options.store.append(job.key, { type: 'discarded', at: this.options.clock.now(), send: send.id });
  }

  /** Looks after prompts that another window, or this one before a crash, was sending. */
  adopt(job: TrackedJob): void {
    for (const send of job.sends) {
      if (send.state === 'sending' && !this.ownSends.has(send.id) && !this.watches.has(send.id)) {
        const left = (send.goAt ?? 0) + SENDING_LIMIT_MS - this.options.clock.now();
        const wait = Math.min(Math.max(left, 0), SENDING_LIMIT_MS);
        this.watches.set(
          send.id,
          this.options.clock.after(wait, () => void this.giveUp(job.key, send.id)),
        );
      }
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

  private async submit(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): Promise<Sent> {
    return this.post(await this.options.store.append(job.key, event), event.send);
  }

  private async post(job: TrackedJob, sendId: string): Promise<Sent> {
    const { store, log } = this.options;
    this.ownSends.add(sendId);
    try {
      if (await store.claimGo(job.key, sendId)) {
        await store.append(job.key, await this.deliver(job, sendId));
      }
    } catch (error) {
      // The prompt is on disk; what is missing is its outcome, and without one it stays "may have been created".
      log.error(`the outcome of a prompt of job ${job.key} could not be written`, error);
    } finally {
      this.ownSends.delete(sendId);
    }
    const now = store.get(job.key) ?? job;
    this.adopt(now);
    return { job: now, send: findSend(now, sendId) };
  }

  private async deliver(job: TrackedJob, sendId: string): Promise<JobEvent> {
    const send = findSend(job, sendId);
    try {
      const answer = await this.exchange(job, send);
      return { type: 'created', at: this.options.clock.now(), send: sendId, job: toSnapshot(answer) };
    } catch (error) {
      this.options.log.warn(`a prompt of job ${job.key} was not accepted`, error);
      return outcomeOf(error, sendId, this.options.clock.now());
    }
  }

  private exchange(job: TrackedJob, send: Send): Promise<WireJob> {
    const { api } = this.options;
    return send.kind === 'create'
      ? api.create(job.home, send.prompt)
      : api.message(job.home, job.snapshot?.id ?? '', send.prompt);
  }

  private async giveUp(key: string, sendId: string): Promise<void> {
    this.watches.delete(sendId);
    const { store, clock, log } = this.options;
    try {
      await store.reload(key);
      const job = store.get(key);
      if (job !== undefined && findSend(job, sendId).state === 'sending') {
        const reason: Reason = { kind: 'aborted', code: 'INTERRUPTED' };
        await store.append(key, { type: 'unconfirmed', at: clock.now(), send: sendId, reason });
      }
    } catch (error) {
      log.error(`the fate of a prompt of job ${key} could not be written`, error);
    }
  }
}

/** What an error says of the prompt (requirements: the table of outcomes). */
export function outcomeOf(error: unknown, send: string, at: number): JobEvent {
  if (!(error instanceof ServiceError)) {
    return { type: 'unconfirmed', at, send, reason: { kind: 'notUnderstood', detail: String(error) } };
  }
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
