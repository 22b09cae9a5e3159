import pLimit, { type LimitFunction } from 'p-limit';
import { isTerminal } from '../shared/protocol/status';
import { ServiceError } from '../shared/protocol/serviceError';
import { type Backoff, MAX_RETRY_AFTER_MS, backoffDelay } from '../shared/util/backoff';
import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import { Emitter } from '../shared/util/emitter';
import type { Logger } from '../shared/util/logger';
import type { Snapshot } from './events';
import type { JobStore } from './jobStore';
import { observe } from './observation';
import { type PollHealth, isAboutJob } from './pollHealth';
import { nextPollDelay } from './pollSchedule';
import type { JobApi } from './ports';
import { toSnapshot } from './snapshot';
import { type TrackedJob, isRunning } from './trackedJob';

export interface PollerOptions {
  store: JobStore;
  api: JobApi;
  clock: Clock;
  random: () => number;
  log: Logger;
}

/** Requests under way at once to one service. */
const AT_ONCE = 4;

const BACKOFF: Backoff = { baseMs: 1000, capMs: 300_000 };

/** One running job under watch. */
interface Watch {
  run: string;
  /** Monotonic time at which the run began, so that a jump of the wall clock changes no schedule. */
  startedAt: number;
  timer?: Disposable | undefined;
  inFlight?: Promise<void> | undefined;
  health: PollHealth;
  failures: number;
  /** Monotonic time since which each poll told an end. */
  endToldSince?: number | undefined;
}

/** What the jobs of one service share. */
interface Line {
  limit: LimitFunction;
  failures: number;
  /** Monotonic time before which the service wants no request. */
  notBefore: number;
}

/**
 * Follows the running jobs. Each poll schedules the next, one request in flight a job and a few a service; with no
 * running job there is no timer. Only transitions are written.
 */
export class Poller implements Disposable {
  private readonly watches = new Map<string, Watch>();
  private readonly lines = new Map<string, Line>();
  private readonly ending = new AbortController();
  private readonly healthChanged: Emitter<string>;

  constructor(private readonly options: PollerOptions) {
    this.healthChanged = new Emitter((error) => options.log.error('a listener of the poller failed', error));
  }

  /** Fires with the key of a job whose news became older or fresh again. */
  get onDidChangeHealth(): Emitter<string>['event'] {
    return this.healthChanged.event;
  }

  /** True while a job is running. */
  get isFollowing(): boolean {
    return this.watches.size > 0;
  }

  health(key: string): PollHealth | undefined {
    return this.watches.get(key)?.health;
  }

  /** Starts or stops following a job, as its present state asks for. */
  follow(job: TrackedJob): void {
    const watch = this.watches.get(job.key);
    if (!isRunning(job)) {
      watch?.timer?.dispose();
      this.watches.delete(job.key);
    } else if (watch === undefined) {
      this.watches.set(job.key, { ...this.begin(job), health: {}, failures: 0 });
      this.schedule(job.key);
    } else if (watch.run !== job.run) {
      Object.assign(watch, this.begin(job), { endToldSince: undefined });
      this.schedule(job.key);
    }
  }

  /** Polls at once: all running jobs, or those of one service. Resolves when each has been asked. */
  async pollNow(service?: string): Promise<void> {
    const keys = [...this.watches.keys()].filter((key) => service === undefined || this.serviceOf(key) === service);
    await Promise.all(keys.map((key) => this.poll(key)));
  }

  /** The service has answered, whatever was asked: no job of it waits out a long back-off any more. */
  reached(service: string): void {
    const line = this.line(service);
    if (line.failures > 0) {
      line.failures = 0;
      void this.pollWaiting(service);
    }
  }

  dispose(): void {
    this.ending.abort();
    for (const watch of this.watches.values()) {
      watch.timer?.dispose();
    }
    this.watches.clear();
  }

  private begin(job: TrackedJob): { run: string; startedAt: number } {
    const { clock } = this.options;
    const created = job.snapshot?.createdAt == null ? job.createdAt : Date.parse(job.snapshot.createdAt);
    const age = clock.now() - (job.acceptedAt ?? created);
    // A start in the future is a clock that was set back: take the job for an old one, which is polled slowly.
    return { run: job.run, startedAt: clock.monotonic() - (age >= 0 ? age : 3_600_000) };
  }

  private schedule(key: string, retryAfterMs = 0): void {
    const watch = this.watches.get(key);
    if (watch === undefined || this.ending.signal.aborted) {
      return;
    }
    const { clock, random } = this.options;
    const line = this.line(this.serviceOf(key));
    const failures = Math.max(watch.failures, line.failures);
    const floor = Math.max(retryAfterMs, line.notBefore - clock.monotonic());
    const wait =
      failures > 0
        ? backoffDelay(BACKOFF, failures, random(), floor)
        : Math.max(floor, nextPollDelay(clock.monotonic() - watch.startedAt, random()));
    watch.timer?.dispose();
    watch.timer = clock.after(wait, () => void this.poll(key));
  }

  private poll(key: string): Promise<void> {
    const watch = this.watches.get(key);
    if (watch === undefined) {
      return Promise.resolve();
    }
    watch.timer?.dispose();
    watch.inFlight ??= this.line(this.serviceOf(key))
      .limit(() => this.ask(key, watch))
      .finally(() => (watch.inFlight = undefined));
    return watch.inFlight;
  }

  private async ask(key: string, watch: Watch): Promise<void> {
    const job = this.options.store.get(key);
    if (job?.snapshot === undefined || this.watches.get(key) !== watch) {
      return;
    }
    const line = this.line(job.home.service);
    if (this.options.clock.monotonic() < line.notBefore) {
      this.schedule(key);
      return;
    }
    const failuresBefore = line.failures;
    try {
      const answer = await this.options.api.retrieve(job.home, job.snapshot.id, this.ending.signal);
      await this.succeed(job, watch, toSnapshot(answer));
    } catch (error) {
      this.fail(job, watch, error, failuresBefore);
    }
  }

  private async succeed(job: TrackedJob, watch: Watch, answer: Snapshot): Promise<void> {
    const { clock, store } = this.options;
    watch.failures = 0;
    this.setHealth(job.key, watch, { lastSuccessAt: clock.now() });
    const current = store.get(job.key);
    // An answer to a question that was asked before the present run began says nothing about it.
    if (current?.run === job.run && isRunning(current)) {
      watch.endToldSince = isTerminal(answer.status) ? (watch.endToldSince ?? clock.monotonic()) : undefined;
      const agreedFor = watch.endToldSince === undefined ? 0 : clock.monotonic() - watch.endToldSince;
      const event = observe(current, answer, clock.now(), agreedFor);
      if (event !== undefined) {
        await store.append(job.key, event);
      }
    }
    this.reached(job.home.service);
    this.schedule(job.key);
  }

  private async pollWaiting(service: string): Promise<void> {
    const waiting = [...this.watches].filter(
      ([key, watch]) => watch.health.failure !== undefined && this.serviceOf(key) === service,
    );
    await Promise.all(waiting.map(([key]) => this.poll(key)));
  }

  private fail(job: TrackedJob, watch: Watch, error: unknown, failuresBefore: number): void {
    if (this.ending.signal.aborted) {
      return;
    }
    const known = error instanceof ServiceError ? error : undefined;
    this.options.log.warn(`job ${job.key} could not be checked`, error);
    const kind = known?.kind ?? 'notUnderstood';
    if (isAboutJob(kind)) {
      watch.failures++;
    } else {
      // Several requests that were under way together count as one failure, and none from before a success counts.
      const line = this.line(job.home.service);
      line.failures = Math.max(line.failures, Math.min(line.failures, failuresBefore) + 1);
      const asked = this.options.clock.monotonic() + Math.min(known?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
      line.notBefore = Math.max(line.notBefore, asked);
    }
    this.setHealth(job.key, watch, { lastSuccessAt: watch.health.lastSuccessAt, failure: kind });
    this.schedule(job.key, isAboutJob(kind) ? known?.retryAfterMs : 0);
  }

  private setHealth(key: string, watch: Watch, health: PollHealth): void {
    const told = watch.health.failure !== health.failure || health.failure !== undefined;
    watch.health = health;
    if (told) {
      this.healthChanged.fire(key);
    }
  }

  private serviceOf(key: string): string {
    return this.options.store.get(key)?.home.service ?? '';
  }

  private line(service: string): Line {
    let line = this.lines.get(service);
    if (line === undefined) {
      line = { limit: pLimit(AT_ONCE), failures: 0, notBefore: -Infinity };
      this.lines.set(service, line);
    }
    return line;
  }
}
