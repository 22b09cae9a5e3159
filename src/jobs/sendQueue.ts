import { type Backoff, backoffDelay, type Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import { type Delivery, getLineName, remainingUntil, getRemainingWait } from './delivery';
import type { SendFailureReason } from './events';
import type { JobStore } from './jobStore';
import type { JobApi, Leadership } from './ports';
import type { OutgoingPrompt, TrackedJob } from './trackedJob';
import { isSentAutomatically, waitsForRun, waitsForConnection } from './waiting';

export interface SendQueueOptions {
  store: JobStore;
  api: JobApi;
  delivery: Delivery;
  leadership: Leadership;
  clock: Clock;
  random: () => number;
  log: Logger;
}

const BACKOFF: Backoff = { baseMs: 1000, capMs: 300_000 };

/** How long a window that is not the leader waits before it tries as well, in milliseconds: the leader may be stuck. */
const FOLLOWER_MS = 600_000;

/** A waiting prompt and where to find it. */
interface Entry {
  key: string;
  sendId: string;
  line: string;
  service: string;
  /** Wall time at which it was typed. */
  at: number;
  /** Identifies the outcome that made the prompt wait, to distinguish a new one from one already seen. */
  outcome: string;
  /** Monotonic time before which the prompt is not sent. */
  notBefore: number;
}

/** A queue of prompts that share a rate limit and a connection. */
interface Line {
  failures: number;
  /** Monotonic time before which the connection is not tried again. */
  notBefore: number;
  timer?: Disposable | undefined;
  running?: Promise<void> | undefined;
}

/**
 * The prompts that are sent automatically (`isSentAutomatically`), in the order typed within each line. The leader
 * retries them on schedule; any window sends at once when it learns that the service is reachable.
 */
export class SendQueue implements Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly lines = new Map<string, Line>();
  /** Services that rejected the key or, with `true`, have none. Automatic sending to them pauses until a new key. */
  private readonly paused = new Map<string, boolean>();
  private readonly leading: Disposable;
  private readonly changed: Emitter<void>;
  private disposed = false;

  constructor(private readonly options: SendQueueOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the send queue failed', error));
    this.leading = options.leadership.onDidChange(() => {
      this.recordPauses();
      this.lines.forEach((_, line) => this.schedule(line));
    });
  }

  /** Fires when a prompt starts or stops waiting. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** True while nothing can be sent automatically: no prompt waits, or each waits for a key and is recorded as such. */
  get isIdle(): boolean {
    return [...this.entries.values()].every((entry) => this.paused.has(entry.service) && !isToPause(this.find(entry)));
  }

  /** Updates the queue from a job's prompts, some of which may have started or stopped waiting. */
  onJobChanged(job: TrackedJob): void {
    for (const send of job.sends) {
      if (isSentAutomatically(send) && !job.untracked) {
        this.add(job, send);
      } else if ((send.state !== 'queued' || job.untracked) && this.entries.delete(send.id)) {
        this.unpauseUnlessAsked(job.home.service);
        this.changed.fire();
      }
    }
  }

  /** Adds a waiting prompt, or a queued one that was never sent because its window is gone. */
  add(job: TrackedJob, send: OutgoingPrompt): void {
    const outcome = `${send.state} ${send.waiting?.for ?? ''} ${send.attempt} ${send.reason?.until ?? ''}`;
    if (this.entries.get(send.id)?.outcome === outcome) {
      return;
    }
    const { clock } = this.options;
    const line = getLineName(job.home, send.kind);
    const { service } = job.home;
    const notBefore = clock.monotonic() + getRemainingWait(send, clock.now());
    this.entries.set(send.id, { key: job.key, sendId: send.id, line, service, at: send.at, outcome, notBefore });
    this.pauseFor(service, send);
    const state = this.line(line);
    if (waitsForConnection(send) && state.running === undefined) {
      this.backOff(state);
    }
    this.schedule(line);
    this.changed.fire();
    this.recordPauses();
  }

  /** Returns the reason to record while sending to the service is paused for lack of a key; undefined otherwise. */
  pauseOf(service: string): SendFailureReason | undefined {
    const isMissing = this.paused.get(service);
    return isMissing === undefined ? undefined : { kind: 'unauthorized', code: isMissing ? 'NO_KEY' : 'PAUSED' };
  }

  /** Returns the prompt at the head of a line, if any, and how many milliseconds it still waits. */
  firstOf(line: string): { send: OutgoingPrompt; waitMs: number } | undefined {
    const first = this.head(line);
    const send = first === undefined ? undefined : this.find(first);
    const waitMs = Math.max(0, (first?.notBefore ?? 0) - this.options.clock.monotonic());
    return send === undefined ? undefined : { send, waitMs };
  }

  /** Called when there is a new key for a service: sends what waited for it. */
  resume(service: string): void {
    this.unpause(service);
    this.changed.fire();
    this.reached(service);
  }

  /** Called when a service answered any request. */
  reached(service: string): void {
    // A reachable service does not help prompts that wait because this machine is not ready to send.
    const free = (entry: Entry): boolean => entry.service === service && this.find(entry)?.waiting?.for !== 'setup';
    for (const line of new Set([...this.entries.values()].filter(free).map((entry) => entry.line))) {
      this.line(line).failures = 0;
      void this.go(line);
    }
  }

  /** Tries to send a line at once, in this window. Resolves when it is empty or a prompt has to keep waiting. */
  go(line: string): Promise<void> {
    const state = this.line(line);
    state.notBefore = 0;
    state.running ??= this.run(line, state)
      .catch((error: unknown) => this.options.log.error('couldn’t send queued prompts', error))
      .finally(() => {
        state.running = undefined;
        this.schedule(line);
      });
    return state.running;
  }

  dispose(): void {
    this.disposed = true;
    this.leading.dispose();
    this.lines.forEach((line) => line.timer?.dispose());
  }

  private async run(line: string, state: Line): Promise<void> {
    for (let next = this.head(line); next !== undefined; next = this.head(line)) {
      if (this.dueIn(next, state) > 0 || !(await this.send(next, state))) {
        return;
      }
    }
  }

  /** Returns false if the connection failed or the attempt changed nothing, so that the line is retried later. */
  private async send(entry: Entry, state: Line): Promise<boolean> {
    const { store, delivery, api, log } = this.options;
    const job = store.get(entry.key);
    const before = this.find(entry);
    if (job === undefined || before === undefined || waitsForRun(before)) {
      this.entries.delete(entry.sendId);
      return true;
    }
    try {
      if (waitsForConnection(before)) {
        await api.probe(job.home);
      }
      await delivery.attempt(entry.key, entry.sendId);
    } catch (error) {
      log.info(
        `a prompt of job ${entry.key} stays queued: ${error instanceof ServiceError ? error.message : 'no connection'}`,
      );
    }
    const after = this.find(entry);
    if (after !== undefined) {
      this.pauseFor(entry.service, after);
    }
    if (after !== undefined && hasProgressed(before, after)) {
      state.failures = 0;
      return !this.disposed;
    }
    this.backOff(state);
    return false;
  }

  private backOff(line: Line): void {
    const { clock, random } = this.options;
    line.failures++;
    line.notBefore = clock.monotonic() + backoffDelay(BACKOFF, line.failures, random());
  }

  private schedule(line: string): void {
    const state = this.line(line);
    state.timer?.dispose();
    const first = this.head(line);
    if (first === undefined || state.running !== undefined || this.disposed) {
      return;
    }
    const { leadership, clock } = this.options;
    const wait = this.dueIn(first, state);
    state.timer = clock.after(leadership.leads ? wait : Math.max(wait, FOLLOWER_MS), () => void this.go(line));
  }

  private pauseFor(service: string, send: OutgoingPrompt): void {
    const { waiting } = send;
    if (waiting?.for === 'apiKey') {
      this.paused.set(service, waiting.isMissing);
      this.changed.fire();
      this.recordPauses();
    }
  }

  /** Records prompts as waiting for a key that only the pause stops: after the end of a run, and after a wait. */
  private recordPauses(): void {
    const { store, delivery, leadership, clock, log } = this.options;
    for (const entry of leadership.leads ? [...this.entries.values()] : []) {
      const pause = this.pauseOf(entry.service);
      const send = this.find(entry);
      if (pause !== undefined && isToPause(send) && !delivery.isUnderWay(send.id)) {
        const reason = { ...pause, until: remainingUntil(send, clock.now()) };
        store
          .keep(entry.key, { type: 'rejected', at: clock.now(), send: send.id, attempt: send.attempt, reason })
          .catch((error: unknown) => log.error(`couldn’t save the retry time of a prompt of job ${entry.key}`, error));
      }
    }
  }

  /** Ends the pause if no prompt waits for a key any longer because it was discarded or sent. */
  private unpauseUnlessAsked(service: string): void {
    const waiting = [...this.entries.values()].filter((entry) => entry.service === service);
    if (!waiting.some((entry) => this.find(entry)?.waiting?.for === 'apiKey')) {
      this.unpause(service);
    }
  }

  /** Ends the pause and reschedules what waited behind it for another reason. */
  private unpause(service: string): void {
    if (this.paused.delete(service)) {
      this.lines.forEach((_, line) => this.schedule(line));
    }
  }

  private dueIn(entry: Entry, line: Line): number {
    return Math.max(0, Math.max(entry.notBefore, line.notBefore) - this.options.clock.monotonic());
  }

  private head(line: string): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.entries.values()) {
      const ours = entry.line === line && !this.paused.has(entry.service);
      const before =
        first === undefined || entry.at < first.at || (entry.at === first.at && entry.sendId < first.sendId);
      first = ours && before ? entry : first;
    }
    return first;
  }

  private find({ key, sendId }: Entry): OutgoingPrompt | undefined {
    return this.options.store.get(key)?.sends.find((send) => send.id === sendId);
  }

  private line(name: string): Line {
    let line = this.lines.get(name);
    if (line === undefined) {
      line = { failures: 0, notBefore: 0 };
      this.lines.set(name, line);
    }
    return line;
  }
}

/** True for a prompt that a pause turns into one that waits for a key. */
function isToPause(send: OutgoingPrompt | undefined): send is OutgoingPrompt {
  return send?.waiting?.for === 'rateLimit' || (send?.waiting?.for === 'earlierPrompt' && !waitsForRun(send));
}

/** True if the attempt changed anything, including giving way to another prompt of its job. */
function hasProgressed(before: OutgoingPrompt, after: OutgoingPrompt): boolean {
  const gaveWay = after.attempt !== before.attempt && after.obstacle?.for === 'earlierPrompt';
  const isSame =
    after.waiting?.for === before.waiting?.for || (waitsForConnection(before) && waitsForConnection(after));
  return gaveWay || after.state !== before.state || !isSame || after.reason?.until !== before.reason?.until;
}
