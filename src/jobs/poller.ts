import type { Clock } from '../base/async';
import { Backoff } from '../base/backoff';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { RateLimit } from '../base/rateLimit';
import { ServiceError, type ServiceErrorKind } from '../protocol/errors';
import { isTerminal } from '../protocol/status';
import type { Snapshot } from './events';
import type { JobStore } from './jobStore';
import { FALLBACK_POLL_MS, getRunStart, nextPollDelay } from './pollSchedule';
import type { JobApi, Leadership, PollHealth } from './ports';
import { detectChange, toSnapshot } from './snapshot';
import { isRunning, type TrackedJob } from './trackedJob';

export interface PollerOptions {
  store: JobStore;
  api: JobApi;
  leadership: Leadership;
  clock: Clock;
  random: () => number;
  log: Logger;
}

/** What the jobs of one service share. After a failure of the service, no job polls on its own: one probe stands in. */
interface PolledService {
  limit: RateLimit;
  backoff: Backoff;
  /** Why the service can't be polled; undefined while it can. */
  failure?: ServiceErrorKind | undefined;
  /** Monotonic time of the last answer. */
  answeredAt: number;
  /** The service announces changes of jobs itself. */
  announces: boolean;
}

/** One running job that is being polled. Its times are monotonic, so that a jump of the wall clock changes no schedule. */
interface Watch {
  key: string;
  service: string;
  run: string;
  startedAt: number;
  /** When it was last polled. The probe uses the job that was polled least recently. */
  askedAt: number;
  /** When it is polled next. */
  nextAt: number;
  inFlight?: Promise<void> | undefined;
  /** Wall time of the last answer. */
  lastSuccessAt?: number | undefined;
  /** Counts the failures that concern this job alone. */
  backoff: Backoff;
  /** The last of those failures; undefined after an answer. */
  failure?: ServiceErrorKind | undefined;
  /** When the last request was sent whose failure was attributed to the service as a whole. */
  failedAt?: number | undefined;
  /** When the first of the polls was answered that have all reported an end since. */
  endReportedSince?: number | undefined;
}

/**
 * Polls the running jobs while this window is the leader: for each one that is due, asks, compares, and appends what has
 * changed. One request in flight per job and a few per service. Without running jobs there is no timer.
 */
export class Poller implements Disposable {
  private readonly watches = new Map<string, Watch>();
  private readonly services = new Map<string, PolledService>();
  private readonly ending = new AbortController();
  private readonly healthChanged: Emitter<string>;
  private readonly answered: Emitter<string>;
  private readonly leading: Disposable;
  private timer: Disposable | undefined;
  /** What the leader says about failing jobs. It counts while this window is not the leader. */
  private leaderHealth: ReadonlyMap<string, PollHealth> = new Map();

  constructor(private readonly options: PollerOptions) {
    const report = (error: unknown): void => options.log.error('a listener of the poller failed', error);
    this.healthChanged = new Emitter(report);
    this.answered = new Emitter(report);
    this.leading = options.leadership.onDidChange(() => this.schedule());
  }

  /** Fires with the key of a job whose polls started or stopped failing. */
  get onDidChangeHealth(): Emitter<string>['event'] {
    return this.healthChanged.event;
  }

  /** Fires with the name of a service that answered. */
  get onDidAnswer(): Emitter<string>['event'] {
    return this.answered.event;
  }

  /** True while a job is running. */
  get isFollowing(): boolean {
    return this.watches.size > 0;
  }

  health(key: string): PollHealth | undefined {
    const watch = this.watches.get(key);
    if (watch === undefined) {
      return undefined;
    }
    const reported = this.options.leadership.leads ? undefined : this.leaderHealth.get(key);
    const failure = watch.failure ?? this.service(watch.service).failure;
    return reported ?? { lastSuccessAt: watch.lastSuccessAt, failure };
  }

  /** The jobs that could not be checked, for windows that do not poll. */
  get failing(): [string, PollHealth][] {
    return [...this.watches.keys()]
      .map((key): [string, PollHealth] => [key, this.health(key) ?? {}])
      .filter(([, { failure }]) => failure !== undefined);
  }

  /** Applies what the leader says about the jobs that could not be checked. */
  applyLeaderHealth(failing: readonly (readonly [string, PollHealth])[]): void {
    const before = this.leaderHealth;
    this.leaderHealth = new Map(failing);
    for (const key of this.watches.keys()) {
      if (before.get(key)?.failure !== this.leaderHealth.get(key)?.failure) {
        this.healthChanged.fire(key);
      }
    }
  }

  /** Starts or stops following a job, depending on its current state. */
  follow(job: TrackedJob): void {
    const watch = this.watches.get(job.key);
    if (!isRunning(job)) {
      this.watches.delete(job.key);
    } else if (watch?.run !== job.run) {
      const { clock, random } = this.options;
      const run = { run: job.run, startedAt: getRunStart(job, clock), endReportedSince: undefined };
      const backoff = new Backoff({ baseMs: 1000, capMs: 300_000, clock, random });
      const { key, location } = job;
      // The same object, because a request may be in flight.
      const next: Watch =
        watch === undefined
          ? { key, service: location.service, askedAt: -Infinity, nextAt: 0, backoff, ...run }
          : Object.assign(watch, run);
      this.watches.set(key, next);
      this.plan(next);
    }
    this.schedule();
  }

  /** Polls all running jobs at once, or those of one service. Resolves when each poll has finished. */
  async pollNow(service?: string): Promise<void> {
    const names = new Set([...this.watches.values()].map((watch) => watch.service));
    await Promise.all(
      [...names].filter((name) => service === undefined || service === name).map((name) => this.pollAll(name)),
    );
  }

  /** Polls one running job at once. Waits for a request in flight first, because its answer may predate the news. */
  async pollJob(key: string): Promise<void> {
    const watch = this.watches.get(key);
    await watch?.inFlight;
    if (watch !== undefined && this.watches.get(key) === watch) {
      await this.poll(watch);
    }
  }

  /** Sets whether a service announces changes itself, which makes polling it only a fallback. */
  setAnnouncesChanges(name: string, announces: boolean): void {
    const service = this.service(name);
    if (announces !== service.announces) {
      service.announces = announces;
      this.watchesOf(name).forEach((watch) => this.plan(watch));
      this.schedule();
      // A service that stopped announcing may have died while working.
      void (announces || !this.options.leadership.leads ? undefined : this.pollAll(name));
    }
  }

  /** The service answered any request: none of its jobs needs to sit out a long wait any longer. */
  noteAnswer(name: string): void {
    const service = this.service(name);
    service.answeredAt = this.options.clock.monotonic();
    service.failure = undefined;
    if (service.backoff.succeed()) {
      this.reportHealth(name);
      void this.pollAll(name);
    }
  }

  dispose(): void {
    this.ending.abort();
    this.leading.dispose();
    this.timer?.dispose();
    this.watches.clear();
  }

  private watchesOf(service: string): Watch[] {
    return [...this.watches.values()].filter((watch) => watch.service === service);
  }

  /** While the service fails, a single probe stands in for all of its jobs, even when the user asked for the poll. */
  private async pollAll(name: string): Promise<void> {
    const { backoff } = this.service(name);
    if (backoff.failures > 0) {
      const probe = this.probeOf(name);
      await (probe && this.poll(probe));
      if (backoff.failures > 0) {
        return;
      }
    }
    await Promise.all(this.watchesOf(name).map((watch) => this.poll(watch)));
  }

  /** The job that was polled least recently. */
  private probeOf(name: string): Watch | undefined {
    const [longest] = this.watchesOf(name).toSorted((a, b) => a.askedAt - b.askedAt);
    return longest;
  }

  private plan(watch: Watch): void {
    const { clock, random } = this.options;
    const now = clock.monotonic();
    const usual = this.service(watch.service).announces
      ? FALLBACK_POLL_MS
      : nextPollDelay(now - watch.startedAt, random());
    watch.nextAt = watch.backoff.failures > 0 ? watch.backoff.notBefore : now + usual;
  }

  private schedule(): void {
    const { leadership, clock } = this.options;
    this.timer?.dispose();
    if (leadership.leads && !this.ending.signal.aborted) {
      const due = Math.min(...[...this.services.keys()].map((name) => this.dueAt(name)));
      this.timer = due === Infinity ? undefined : clock.after(due - clock.monotonic(), () => this.wake());
    }
  }

  private wake(): void {
    const now = this.options.clock.monotonic();
    for (const name of this.services.keys()) {
      if (this.dueAt(name) <= now) {
        const { backoff } = this.service(name);
        const probe = this.probeOf(name);
        const due = backoff.failures > 0 && probe !== undefined ? [probe] : this.watchesOf(name);
        due.filter((each) => each === probe || each.nextAt <= now).forEach((each) => void this.poll(each));
      }
    }
    this.schedule();
  }

  /** Returns the monotonic time at which a job of the service is polled next. */
  private dueAt(name: string): number {
    const { backoff } = this.service(name);
    if (backoff.failures > 0) {
      const probe = this.probeOf(name);
      return probe === undefined || probe.inFlight !== undefined ? Infinity : backoff.notBefore;
    }
    const idle = this.watchesOf(name).filter(({ inFlight }) => inFlight === undefined);
    return Math.max(Math.min(...idle.map(({ nextAt }) => nextAt)), backoff.askedUntil);
  }

  /** Never rejects. */
  private poll(watch: Watch): Promise<void> {
    watch.inFlight ??= this.service(watch.service)
      .limit.run(() => this.ask(watch), this.ending.signal)
      .catch((error: unknown) => {
        if (!this.ending.signal.aborted) {
          this.options.log.error(`couldn’t update job ${watch.key}`, error);
        }
      })
      .finally(() => {
        watch.inFlight = undefined;
        this.schedule();
      });
    return watch.inFlight;
  }

  private async ask(watch: Watch): Promise<void> {
    const { store, api, clock } = this.options;
    const job = store.get(watch.key);
    const service = this.service(watch.service);
    if (
      job?.snapshot === undefined ||
      this.watches.get(watch.key) !== watch ||
      service.backoff.askedUntil > clock.monotonic()
    ) {
      return;
    }
    const failedBefore = service.backoff.failures;
    watch.askedAt = clock.monotonic();
    try {
      const answer = await api.retrieve(job.location, job.snapshot.id, this.ending.signal);
      await this.succeed(job, watch, toSnapshot(answer));
    } catch (error) {
      this.fail(watch, error, failedBefore);
    }
    this.plan(watch);
  }

  private async succeed(job: TrackedJob, watch: Watch, answer: Snapshot): Promise<void> {
    const { clock, store } = this.options;
    const hadFailed = watch.failure !== undefined;
    watch.backoff.succeed();
    Object.assign(watch, { failure: undefined, failedAt: undefined, lastSuccessAt: clock.now() });
    if (hadFailed) {
      this.healthChanged.fire(watch.key);
    }
    const current = store.get(job.key);
    // An answer to a request from before the current run began says nothing about this run.
    if (current?.run === job.run && isRunning(current)) {
      const now = clock.monotonic();
      watch.endReportedSince = isTerminal(answer.status) ? (watch.endReportedSince ?? now) : undefined;
      const change = detectChange(current, answer, clock.now(), now - (watch.endReportedSince ?? now));
      if (change !== undefined) {
        await store.record(job.key, change);
      }
    }
    this.answered.fire(watch.service);
    this.noteAnswer(watch.service);
  }

  private fail(watch: Watch, error: unknown, failedBefore: number): void {
    if (this.ending.signal.aborted) {
      return;
    }
    this.options.log.warn(`couldn’t update job ${watch.key}`, error);
    const known = error instanceof ServiceError ? error : undefined;
    const kind = known?.kind ?? 'notUnderstood';
    const service = this.service(watch.service);
    // If a job fails again after other jobs of its service got answers, the job itself is to blame.
    const isAlone = watch.failedAt !== undefined && service.answeredAt > watch.failedAt;
    if (kind === 'notFound' || kind === 'rejected' || isAlone) {
      watch.failure = kind;
      watch.backoff.fail(known?.retryAfterMs);
      this.healthChanged.fire(watch.key);
      return;
    }
    watch.failedAt = watch.askedAt;
    service.failure = kind;
    // Several concurrent requests count as one failure.
    if (service.backoff.failures <= failedBefore) {
      service.backoff.fail(known?.retryAfterMs);
    }
    this.reportHealth(watch.service);
  }

  private reportHealth(service: string): void {
    this.watchesOf(service).forEach(({ key }) => this.healthChanged.fire(key));
  }

  private service(name: string): PolledService {
    let service = this.services.get(name);
    if (service === undefined) {
      const { clock, random } = this.options;
      service = {
        limit: new RateLimit(clock, { atOnce: 4, perSecond: 4 }),
        backoff: new Backoff({ baseMs: 1000, capMs: 300_000, clock, random }),
        answeredAt: -Infinity,
        announces: false,
      };
      this.services.set(name, service);
    }
    return service;
  }
}
