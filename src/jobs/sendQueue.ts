import { type Backoff, backoffDelay, type Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import { type Delivery, lineOf, remainingUntil, waitOf } from './delivery';
import type { Reason } from './events';
import type { JobStore } from './jobStore';
import type { JobApi, Leadership } from './ports';
import type { OutgoingPrompt, TrackedJob } from './trackedJob';
import { goesByItself, waitsForRun, waitsForWay } from './waiting';

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

/** When a window that does not lead tries nevertheless, in milliseconds: the one that leads may not be able to. */
const FOLLOWER_MS = 600_000;

/** A prompt that waits, and where to find it. */
interface Entry {
  key: string;
  sendId: string;
  line: string;
  service: string;
  /** Wall time at which it was typed. */
  at: number;
  /** Names the outcome for which it waits, to tell a new one from one that was seen. */
  outcome: string;
  /** Monotonic time before which it does not go. */
  notBefore: number;
}

/** Prompts that share a limit and a way. */
interface Line {
  failures: number;
  /** Monotonic time before which the way is not tried again. */
  notBefore: number;
  timer?: Disposable | undefined;
  running?: Promise<void> | undefined;
}

/**
 * The prompts that go by themselves as soon as they can (`goesByItself`), each line in the order in which it was typed. The
 * window that leads tries them in time; any window does at once when it learns that the way is free.
 */
export class SendQueue implements Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly lines = new Map<string, Line>();
  /** Services that rejected the key, or (`true`) have none: nothing goes to them by itself until there is another. */
  private readonly paused = new Map<string, boolean>();
  private readonly leading: Disposable;
  private readonly changed: Emitter<void>;
  private disposed = false;

  constructor(private readonly options: SendQueueOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the prompts that wait failed', error));
    this.leading = options.leadership.onDidChange(() => {
      this.tellPause();
      this.lines.forEach((_, line) => this.schedule(line));
    });
  }

  /** Fires when a prompt begins to wait, or waits no more. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** True while nothing can go by itself: nothing waits, or only for a key, and is kept so. */
  get isIdle(): boolean {
    return [...this.entries.values()].every((entry) => this.paused.has(entry.service) && !isToPause(this.find(entry)));
  }

  /** Takes note of a job's prompts, of which some may wait from now on and some no more. */
  onJobChanged(job: TrackedJob): void {
    for (const send of job.sends) {
      if (goesByItself(send) && !job.untracked) {
        this.add(job, send);
      } else if ((send.state !== 'queued' || job.untracked) && this.entries.delete(send.id)) {
        this.unpauseUnlessAsked(job.home.service);
        this.changed.fire();
      }
    }
  }

  /** Lets a prompt wait; also one that nobody has begun to send, because its window is gone. */
  add(job: TrackedJob, send: OutgoingPrompt): void {
    const outcome = `${send.state} ${send.waiting?.for ?? ''} ${send.attempt} ${send.reason?.until ?? ''}`;
    if (this.entries.get(send.id)?.outcome === outcome) {
      return;
    }
    const { clock } = this.options;
    const line = lineOf(job.home, send.kind);
    const { service } = job.home;
    const notBefore = clock.monotonic() + waitOf(send, clock.now());
    this.entries.set(send.id, { key: job.key, sendId: send.id, line, service, at: send.at, outcome, notBefore });
    this.pauseFor(service, send);
    const state = this.line(line);
    if (waitsForWay(send) && state.running === undefined) {
      this.holdBack(state);
    }
    this.schedule(line);
    this.changed.fire();
    this.tellPause();
  }

  /** Why nothing goes to a service by itself: what a prompt is told that waits for a key; undefined when none does. */
  pauseOf(service: string): Reason | undefined {
    const isMissing = this.paused.get(service);
    return isMissing === undefined ? undefined : { kind: 'unauthorized', code: isMissing ? 'NO_KEY' : 'PAUSED' };
  }

  /** The prompt that goes before all others of a line, if one waits there, and for how many milliseconds it does. */
  firstOf(line: string): { send: OutgoingPrompt; waitMs: number } | undefined {
    const first = this.head(line);
    const send = first === undefined ? undefined : this.find(first);
    const waitMs = Math.max(0, (first?.notBefore ?? 0) - this.options.clock.monotonic());
    return send === undefined ? undefined : { send, waitMs };
  }

  /** There is another key for a service: what waited for it goes. */
  resume(service: string): void {
    this.unpause(service);
    this.changed.fire();
    this.reached(service);
  }

  /** A service has answered, whatever was asked. */
  reached(service: string): void {
    // What this machine itself is not ready for does not become possible by an answer.
    const free = (entry: Entry): boolean => entry.service === service && this.find(entry)?.waiting?.for !== 'setup';
    const lines = [...this.entries.values()].filter(free).map(({ line }) => line);
    for (const line of new Set(lines)) {
      this.line(line).failures = 0;
      void this.go(line);
    }
  }

  /** Tries a line at once, in this window. Resolves when all of it went, or one has to wait on. */
  go(line: string): Promise<void> {
    const state = this.line(line);
    state.notBefore = 0;
    state.running ??= this.run(line, state)
      .catch((error: unknown) => this.options.log.error('prompts that wait could not be sent', error))
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

  /** False when the way is not free, or nothing came of it: to be tried later. */
  private async send(entry: Entry, state: Line): Promise<boolean> {
    const { store, delivery, api, log } = this.options;
    const job = store.get(entry.key);
    const before = this.find(entry);
    if (job === undefined || before === undefined || waitsForRun(before)) {
      this.entries.delete(entry.sendId);
      return true;
    }
    try {
      if (waitsForWay(before)) {
        await api.probe(job.home);
      }
      await delivery.attempt(entry.key, entry.sendId);
    } catch (error) {
      log.info(`a prompt of job ${entry.key} waits on: ${error instanceof ServiceError ? error.message : 'no way'}`);
    }
    const after = this.find(entry);
    if (after !== undefined) {
      this.pauseFor(entry.service, after);
    }
    if (after !== undefined && movedOn(before, after)) {
      state.failures = 0;
      return !this.disposed;
    }
    this.holdBack(state);
    return false;
  }

  private holdBack(line: Line): void {
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
      this.tellPause();
    }
  }

  /** What the end of a run has let go, and what waits for a time, would go but for the pause: it is kept as waiting for a key. */
  private tellPause(): void {
    const { store, delivery, leadership, clock, log } = this.options;
    for (const entry of leadership.leads ? [...this.entries.values()] : []) {
      const pause = this.pauseOf(entry.service);
      const send = this.find(entry);
      if (pause !== undefined && isToPause(send) && !delivery.isUnderWay(send.id)) {
        const reason = { ...pause, until: remainingUntil(send, clock.now()) };
        store
          .keep(entry.key, { type: 'rejected', at: clock.now(), send: send.id, attempt: send.attempt, reason })
          .catch((error: unknown) => log.error(`the pause of a prompt of job ${entry.key} could not be kept`, error));
      }
    }
  }

  /** Nobody waits for a key any more: the one that did was given up, or has gone. */
  private unpauseUnlessAsked(service: string): void {
    const waiting = [...this.entries.values()].filter((entry) => entry.service === service);
    if (!waiting.some((entry) => this.find(entry)?.waiting?.for === 'apiKey')) {
      this.unpause(service);
    }
  }

  /** What waited behind the pause for something else gets its time again. */
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

/** True for one that a pause turns into one that waits for a key. */
function isToPause(send: OutgoingPrompt | undefined): send is OutgoingPrompt {
  return send?.waiting?.for === 'rateLimit' || (send?.waiting?.for === 'earlierPrompt' && !waitsForRun(send));
}

/** True when something came of an attempt; also when it gave way to another prompt of its job, which is no fault of the way. */
function movedOn(before: OutgoingPrompt, after: OutgoingPrompt): boolean {
  const gaveWay = after.attempt !== before.attempt && after.obstacle?.for === 'earlierPrompt';
  const isSame = after.waiting?.for === before.waiting?.for || (waitsForWay(before) && waitsForWay(after));
  return gaveWay || after.state !== before.state || !isSame || after.reason?.until !== before.reason?.until;
}
