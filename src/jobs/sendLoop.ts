import type { Clock } from '../base/async';
import { Backoff } from '../base/backoff';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import type { FailureReason } from './events';
import type { JobStore } from './jobStore';
import { isSameOutcome, type Refusal, remainingWait, repeated } from './outcome';
import type { JobApi, Leadership, QuotaLedger } from './ports';
import { queueKey, sendOnce } from './sendOnce';
import { findPrompt, isUnsent, type OutgoingPrompt, type TrackedJob } from './trackedJob';
import { isSentAutomatically, waitsForConnection, waitsForRun } from './waiting';

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

/** How long a window that is not the leader waits before it tries as well, in milliseconds: the leader may be stuck. */
const FOLLOWER_MS = 600_000;

export interface SendLoopOptions {
  store: JobStore;
  api: JobApi;
  budget: QuotaLedger;
  leadership: Leadership;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  log: Logger;
}

/** A prompt on its way to the service. */
interface Entry {
  key: string;
  id: string;
  queue: string;
  service: string;
  /** Wall time at which it was typed. */
  at: number;
  /** Identifies the outcome that made it wait, to distinguish a new one from one already seen. */
  outcome: string;
  /** Monotonic time at which this window learned of that outcome. */
  since: number;
  /** Monotonic time before which nothing is done about it. */
  notBefore: number;
  /** True while it waits for a key and there has been no other key since. */
  needsKey: boolean;
}

/** Prompts that share a rate limit and a connection. */
interface Queue {
  backoff: Backoff;
  /** Monotonic time of the last attempt. */
  triedAt: number;
  running?: Promise<void> | undefined;
}

/**
 * Sends the recorded prompts: those typed in this window at once, and as the leader all that wait, in the order typed
 * within each queue. For each one: open the service, take a slot of the hourly budget, claim exclusively, POST once,
 * record the outcome. What has no outcome because its window is gone is sent if it was not claimed, and becomes
 * unconfirmed for good if it was.
 */
export class SendLoop implements Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly queues = new Map<string, Queue>();
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly leading: Disposable;
  private readonly changed: Emitter<void>;
  private timer: Disposable | undefined;
  private disposed = false;

  constructor(private readonly options: SendLoopOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the send loop failed', error));
    this.leading = options.leadership.onDidChange(() => this.schedule());
  }

  /** Fires when `isIdle` may have changed. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** True while nothing will be sent unless the user does something. */
  get isIdle(): boolean {
    return [...this.queues.keys()].every((name) => this.next(name) === undefined);
  }

  /** Takes up the prompts of a job that changed, and forgets those that are settled. */
  follow(job: TrackedJob): void {
    for (const prompt of job.prompts) {
      const isOpen = prompt.state === 'queued' || isSentAutomatically(prompt);
      if (prompt.state === 'sending' || (isOpen && !job.untracked)) {
        this.add(job, prompt);
      } else {
        this.entries.delete(prompt.id);
      }
    }
    this.schedule();
  }

  /**
   * Sends a prompt that was just recorded, unless earlier ones wait: then it waits behind them, for the same reason.
   * Resolves when the outcome is recorded, or another window turns out to hold the claim. Never rejects.
   *
   * @param asked the user wants it sent ahead of everything that waits: only the service's own limit stops it
   */
  async send(key: string, id: string, asked = false): Promise<void> {
    const { store } = this.options;
    const job = store.get(key);
    const prompt = job?.prompts.find((each) => each.id === id);
    if (job === undefined || prompt === undefined || !isUnsent(prompt)) {
      // Another click or window has already claimed it. An outcome recorded here would override that claim.
      return;
    }
    const name = queueKey(job.location, prompt.kind);
    if (prompt.afterRun === true) {
      await (waitsForRun(prompt) ? undefined : this.drain(name));
      return;
    }
    const wait = asked ? undefined : this.waitBehindOthers(job, prompt);
    if (wait === undefined) {
      await this.attempt(key, id, asked);
    } else {
      await store.record(key, wait);
      void this.drain(name);
    }
  }

  /** Makes one attempt, whatever else waits. Never rejects. */
  attempt(key: string, id: string, asked = false): Promise<void> {
    let attempt = this.inFlight.get(id);
    if (attempt === undefined) {
      attempt = this.attemptOnce(key, id, asked).finally(() => {
        this.inFlight.delete(id);
        const entry = this.entries.get(id);
        if (entry !== undefined) {
          // If the key is rejected or missing again, the outcome may be the same as before, and nothing is recorded.
          entry.needsKey = this.find(entry)?.waiting?.for === 'apiKey';
        }
        this.schedule();
      });
      this.inFlight.set(id, attempt);
    }
    return attempt;
  }

  /** There is a new key for a service, or the present one has worked: sends what waited for it. */
  keyChanged(service: string): void {
    for (const entry of this.entries.values()) {
      entry.needsKey &&= entry.service !== service;
    }
    this.noteAnswer(service);
    this.schedule();
  }

  /** The service has answered a request: sends what waited for the connection. */
  noteAnswer(service: string): void {
    // A reachable service does not help prompts that wait because this machine is not ready to send.
    const isHelped = (entry: Entry): boolean => entry.service === service && this.find(entry)?.waiting?.for !== 'setup';
    for (const name of new Set([...this.entries.values()].filter(isHelped).map(({ queue }) => queue))) {
      this.queue(name).backoff.succeed();
      void this.drain(name);
    }
  }

  /** Sends what is due in a queue, in this window. Resolves when it is empty or a prompt has to keep waiting. */
  drain(name: string): Promise<void> {
    const queue = this.queue(name);
    queue.running ??= this.run(name, queue)
      .catch((error: unknown) => this.options.log.error('couldn’t send queued prompts', error))
      .finally(() => {
        queue.running = undefined;
        this.schedule();
      });
    return queue.running;
  }

  /**
   * Claims no more prompts. Resolves once every prompt in flight has its outcome on disk, or the write has failed. Never
   * rejects.
   */
  async end(): Promise<void> {
    this.dispose();
    await Promise.all(this.inFlight.values());
  }

  dispose(): void {
    this.disposed = true;
    this.leading.dispose();
    this.timer?.dispose();
  }

  private add(job: TrackedJob, prompt: OutgoingPrompt): void {
    const { id, state, waiting, attempt, reason, at, kind } = prompt;
    const outcome = `${state} ${waiting?.for ?? ''} ${attempt} ${reason?.until ?? ''}`;
    if (this.entries.get(id)?.outcome === outcome) {
      return;
    }
    const { clock } = this.options;
    const since = clock.monotonic();
    const limits: Partial<Record<typeof state, number>> = { sending: SENDING_LIMIT_MS, queued: QUEUED_LIMIT_MS };
    const notBefore = since + (limits[state] ?? remainingWait(prompt, clock.now()));
    const queue = queueKey(job.location, kind);
    const { service } = job.location;
    const needsKey = waiting?.for === 'apiKey';
    this.entries.set(id, { key: job.key, id, queue, service, at, outcome, since, notBefore, needsKey });
    const { backoff, running } = this.queue(queue);
    if (waitsForConnection(prompt) && running === undefined && backoff.failures === 0) {
      backoff.fail();
    }
  }

  /** One timer for everything that falls due. */
  private schedule(): void {
    const { clock } = this.options;
    this.timer?.dispose();
    const overdue = this.unanswered().map(({ notBefore }) => notBefore);
    const due = Math.min(...overdue, ...[...this.queues.keys()].map((name) => this.dueAt(name)));
    if (due < Infinity && !this.disposed) {
      this.timer = clock.after(due - clock.monotonic(), () => this.wake());
    }
    this.changed.fire();
  }

  private wake(): void {
    const now = this.options.clock.monotonic();
    for (const entry of this.unanswered().filter(({ notBefore }) => notBefore <= now)) {
      void this.giveUp(entry);
    }
    for (const name of this.queues.keys()) {
      if (this.dueAt(name) <= now) {
        void this.drain(name);
      }
    }
    this.schedule();
  }

  /**
   * Returns the monotonic time at which this window takes up a queue if it hears nothing else before: as the leader, or
   * if the leader has done nothing for a while.
   */
  private dueAt(name: string): number {
    const { backoff, triedAt, running } = this.queue(name);
    const next = running === undefined ? this.next(name) : undefined;
    if (next === undefined) {
      return Infinity;
    }
    const due = Math.max(next.notBefore, backoff.notBefore);
    return this.options.leadership.leads ? due : Math.max(due, Math.max(next.since, triedAt) + FOLLOWER_MS);
  }

  private async run(name: string, queue: Queue): Promise<void> {
    const due = (): Entry | undefined => {
      const next = this.next(name);
      return next !== undefined && next.notBefore <= this.options.clock.monotonic() ? next : undefined;
    };
    for (let entry = due(); entry !== undefined && !this.disposed; entry = due()) {
      queue.triedAt = this.options.clock.monotonic();
      if (!(await this.sendNext(entry, queue))) {
        queue.backoff.fail();
        return;
      }
      queue.backoff.succeed();
    }
  }

  /** Returns false if the connection failed or the attempt changed nothing, so that the queue is retried later. */
  private async sendNext(entry: Entry, { backoff }: Queue): Promise<boolean> {
    const { store, api, log } = this.options;
    const job = store.get(entry.key);
    const before = this.find(entry);
    if (job === undefined || before === undefined || waitsForRun(before)) {
      this.entries.delete(entry.id);
      return true;
    }
    const pause = this.waitForKey(entry.service, before);
    if (pause !== undefined) {
      await store.record(entry.key, pause);
      return true;
    }
    try {
      if (waitsForConnection(before) && backoff.failures > 0) {
        await api.probe(job.location);
      }
      await this.attempt(entry.key, entry.id);
    } catch (error) {
      log.info(
        `a prompt of job ${entry.key} stays queued: ${error instanceof ServiceError ? error.message : 'no connection'}`,
      );
    }
    const after = this.find(entry);
    return after !== undefined && hasProgressed(before, after);
  }

  /** Returns the outcome to record for a prompt that has to wait for a key or behind others; undefined if it need not. */
  private waitBehindOthers({ location }: TrackedJob, prompt: OutgoingPrompt): Refusal | undefined {
    const { store, clock } = this.options;
    const ahead = this.waitingIn(queueKey(location, prompt.kind)).find((entry) => this.isWaiting(entry));
    const first = ahead && this.find(ahead);
    const pause = this.waitForKey(location.service, prompt);
    return pause === undefined && ahead !== undefined && first !== undefined
      ? repeated(store.eventsOf(ahead.key), first, prompt, clock.now())
      : pause;
  }

  /** Returns the outcome to record for a prompt while sends to its service pause for lack of a key. */
  private waitForKey(service: string, prompt: OutgoingPrompt): Refusal | undefined {
    const blocked = [...this.entries.values()].find((entry) => entry.service === service && entry.needsKey);
    const waiting = blocked && this.find(blocked)?.waiting;
    if (waiting?.for !== 'apiKey') {
      return undefined;
    }
    const reason: FailureReason = { kind: 'unauthorized', code: waiting.isMissing ? 'NO_KEY' : 'PAUSED' };
    const { id, attempt } = prompt;
    return { type: 'needsKey', at: this.options.clock.now(), promptId: id, attempt, reason };
  }

  private async attemptOnce(key: string, id: string, asked: boolean): Promise<void> {
    const { store, log } = this.options;
    const job = store.get(key);
    if (job === undefined || this.disposed) {
      return;
    }
    try {
      const isEnding = (): boolean => this.disposed;
      const outcome = await sendOnce({ ...this.options, isEnding }, job, findPrompt(job, id), asked);
      if (outcome === undefined) {
        await store.reload(key);
      } else if (!isSameOutcome(outcome, findPrompt(store.get(key) ?? job, id))) {
        await store.record(key, outcome);
      }
    } catch (error) {
      log.error(`couldn’t send a prompt of job ${key}`, error);
    }
  }

  /** Marks a prompt as unconfirmed for good: it was claimed, and nobody can still be sending it. */
  private async giveUp(entry: Entry): Promise<void> {
    const { store, clock, log } = this.options;
    entry.notBefore = clock.monotonic() + SENDING_LIMIT_MS;
    try {
      await store.reload(entry.key);
      const prompt = this.find(entry);
      if (this.entries.get(entry.id) === entry && prompt !== undefined && !this.inFlight.has(entry.id)) {
        const reason = { kind: 'aborted' as const, code: 'INTERRUPTED' };
        const outcome = { at: clock.now(), promptId: entry.id, attempt: prompt.attempt, reason };
        await store.record(entry.key, { type: 'unconfirmed', ...outcome });
      }
    } catch (error) {
      log.error(`couldn’t recover a prompt of job ${entry.key}`, error);
    }
  }

  /** The prompts that were claimed, by a window that has not recorded an outcome yet. */
  private unanswered(): Entry[] {
    return [...this.entries.values()].filter(
      (entry) => this.find(entry)?.state === 'sending' && !this.inFlight.has(entry.id),
    );
  }

  /** Returns the prompt to deal with next in a queue, now or later. */
  private next(name: string): Entry | undefined {
    const waiting = this.waitingIn(name);
    const isPaused = [...this.entries.values()].some(
      ({ service, needsKey }) => needsKey && service === waiting[0]?.service,
    );
    if (isPaused) {
      // They are only recorded as waiting for a key.
      return earliest(waiting.filter((entry) => this.find(entry)?.waiting?.for !== 'apiKey'));
    }
    // A prompt that another window may be about to send holds up no other.
    return waiting.find((entry) => this.isWaiting(entry)) ?? earliest(waiting);
  }

  /** The unsent prompts of a queue in the order typed, without those that this window has just begun to send. */
  private waitingIn(name: string): Entry[] {
    return [...this.entries.values()]
      .filter((entry) => {
        const state = entry.queue === name ? this.find(entry)?.state : undefined;
        return state === 'waiting' || (state === 'queued' && !this.inFlight.has(entry.id));
      })
      .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }

  /** True for a prompt that waits, and for one whose window is gone. */
  private isWaiting(entry: Entry): boolean {
    return this.find(entry)?.state === 'waiting' || entry.notBefore <= this.options.clock.monotonic();
  }

  private find({ key, id }: Entry): OutgoingPrompt | undefined {
    return this.options.store.get(key)?.prompts.find((prompt) => prompt.id === id);
  }

  private queue(name: string): Queue {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      const { clock, random } = this.options;
      queue = { backoff: new Backoff({ baseMs: 1000, capMs: 300_000, clock, random }), triedAt: -Infinity };
      this.queues.set(name, queue);
    }
    return queue;
  }
}

function earliest(entries: readonly Entry[]): Entry | undefined {
  const [first] = entries.toSorted((a, b) => a.notBefore - b.notBefore);
  return first;
}

/** True if the attempt changed anything, including giving way to another prompt of its job. */
function hasProgressed(before: OutgoingPrompt, after: OutgoingPrompt): boolean {
  const gaveWay = after.attempt !== before.attempt && after.obstacle?.for === 'earlierPrompt';
  const isSame =
    after.waiting?.for === before.waiting?.for || (waitsForConnection(before) && waitsForConnection(after));
  return gaveWay || after.state !== before.state || !isSame || after.reason?.until !== before.reason?.until;
}
