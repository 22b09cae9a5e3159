import { backoffDelay, type Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import { isTerminal } from '../protocol/status';
import type { Snapshot } from './events';
import type { JobStore } from './jobStore';
import { detectChange } from './changeDetection';
import { BACKOFF, type PolledService, PollLimiter } from './pollLimiter';
import {
  FALLBACK_POLL_MS,
  isAboutJob,
  nextPollDelay,
  type PollHealth,
  readHealthReport,
  getRunStart,
  type Watch,
  writeHealthReport,
} from './pollSchedule';
import type { JobApi, Leadership } from './ports';
import { toSnapshot } from './snapshot';
import { isRunning, type TrackedJob } from './trackedJob';

export interface PollerOptions {
  store: JobStore;
  api: JobApi;
  leadership: Leadership;
  clock: Clock;
  random: () => number;
  log: Logger;
}

/**
 * Polls the running jobs while this window is the leader. Each poll schedules the next, with one request in flight per
 * job and a few per service. Without running jobs there is no timer. Only transitions are written.
 */
export class Poller implements Disposable {
  private readonly watches = new Map<string, Watch>();
  private readonly services = new Map<string, PolledService>();
  private readonly ending = new AbortController();
  private readonly healthChanged: Emitter<string>;
  private readonly answered: Emitter<string>;
  private readonly leading: Disposable;
  /** The health report of the leader, while this window is not the leader. */
  private leaderHealth = new Map<string, PollHealth>();

  constructor(private readonly options: PollerOptions) {
    this.healthChanged = new Emitter((error) => options.log.error('a listener of the poller failed', error));
    this.answered = new Emitter((error) => options.log.error('a listener of the poller failed', error));
    this.leading = options.leadership.onDidChange(() => {
      this.watches.forEach((watch) => this.schedule(watch));
      this.services.forEach((service, name) => this.scheduleProbe(name, service));
    });
  }

  /** Fires with the key of a job whose polls started or stopped failing. */
  get onDidChangeHealth(): Emitter<string>['event'] {
    return this.healthChanged.event;
  }

  /** Fires with the name of a service that answered. */
  get onDidReach(): Emitter<string>['event'] {
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
    const told = this.options.leadership.leads ? undefined : this.leaderHealth.get(key);
    const failure = watch.failure ?? this.service(watch.service).line.failure;
    return told ?? { lastSuccessAt: watch.lastSuccessAt, failure };
  }

  /** The jobs that could not be checked, for windows that do not poll. */
  get healthReport(): string {
    const keys = [...this.watches.keys()];
    return writeHealthReport(keys.map((key) => [key, this.health(key) ?? {}]));
  }

  /** Applies the health report of the leader. */
  applyLeaderHealth(report: string): void {
    const before = this.leaderHealth;
    this.leaderHealth = readHealthReport(report);
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
      watch?.timer?.dispose();
      this.watches.delete(job.key);
    } else if (watch?.run !== job.run) {
      const began = { run: job.run, startedAt: getRunStart(job, this.options.clock), endToldSince: undefined };
      const now: Watch =
        watch === undefined
          ? { key: job.key, service: job.home.service, askedAt: -Infinity, failures: 0, ...began }
          : Object.assign(watch, began);
      this.watches.set(job.key, now);
      this.schedule(now);
    }
  }

  /** Polls all running jobs at once, or those of one service. Resolves when each poll has finished. */
  async pollNow(service?: string): Promise<void> {
    const names = [...new Set([...this.watches.values()].map((watch) => watch.service))];
    await Promise.all(
      names.filter((name) => service === undefined || service === name).map((name) => this.pollAll(name)),
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
  setAnnouncesChanges(name: string, tells: boolean): void {
    const service = this.service(name);
    if (tells !== service.tells) {
      service.tells = tells;
      this.watchesOf(name).forEach((watch) => this.schedule(watch));
      // A service that stopped announcing may have died while working.
      void (tells || !this.options.leadership.leads ? undefined : this.pollAll(name));
    }
  }

  /** Called when the service answered any request: none of its jobs needs to sit out a long backoff any longer. */
  reached(service: string): void {
    if (this.service(service).line.succeed()) {
      this.tellHealth(service);
      void this.pollAll(service);
    }
  }

  dispose(): void {
    this.ending.abort();
    this.leading.dispose();
    this.watches.forEach((watch) => watch.timer?.dispose());
    this.services.forEach(({ probe }) => probe?.dispose());
    this.watches.clear();
  }

  private watchesOf(service: string): Watch[] {
    return [...this.watches.values()].filter((watch) => watch.service === service);
  }

  /** While the service fails, a single probe stands in for all of its jobs, even when the user asked for the poll. */
  private async pollAll(name: string): Promise<void> {
    const { line } = this.service(name);
    if (line.failed > 0) {
      await this.pollProbe(name);
      if (line.failed > 0) {
        return;
      }
    }
    await Promise.all(this.watchesOf(name).map((watch) => this.poll(watch)));
  }

  private async pollProbe(name: string): Promise<void> {
    const [longest] = this.watchesOf(name).toSorted((a, b) => a.askedAt - b.askedAt);
    if (longest !== undefined) {
      await this.poll(longest);
    }
  }

  private schedule(watch: Watch, retryAfterMs = 0): void {
    watch.timer?.dispose();
    const { leadership, clock, random } = this.options;
    const { line, tells } = this.service(watch.service);
    const stopped = this.watches.get(watch.key) !== watch || this.ending.signal.aborted;
    if (stopped || !leadership.leads || line.failed > 0) {
      return;
    }
    const age = clock.monotonic() - watch.startedAt;
    const wait =
      watch.failures > 0
        ? backoffDelay(BACKOFF, watch.failures, random(), retryAfterMs)
        : tells
          ? FALLBACK_POLL_MS
          : nextPollDelay(age, random());
    watch.timer = clock.after(line.atLeast(wait), () => void this.poll(watch));
  }

  private scheduleProbe(name: string, service: PolledService): void {
    const { leadership, clock, random } = this.options;
    service.probe?.dispose();
    if (leadership.leads && service.line.failed > 0 && this.watchesOf(name).length > 0 && !this.ending.signal.aborted) {
      service.probe = clock.after(service.line.probeDelay(random()), () => void this.pollProbe(name));
    }
  }

  private poll(watch: Watch): Promise<void> {
    watch.timer?.dispose();
    watch.inFlight ??= this.service(watch.service)
      .line.inTurn(this.ending.signal, () => this.ask(watch))
      .catch((error: unknown) => {
        if (!this.ending.signal.aborted) {
          this.options.log.error(`couldn’t update job ${watch.key}`, error);
        }
      })
      .finally(() => (watch.inFlight = undefined));
    return watch.inFlight;
  }

  private async ask(watch: Watch): Promise<void> {
    const job = this.options.store.get(watch.key);
    const { line } = this.service(watch.service);
    if (job?.snapshot === undefined || this.watches.get(watch.key) !== watch) {
      return;
    }
    if (line.isBackingOff) {
      this.schedule(watch);
      this.scheduleProbe(watch.service, this.service(watch.service));
      return;
    }
    const failedBefore = line.failed;
    watch.askedAt = this.options.clock.monotonic();
    try {
      const answer = await this.options.api.retrieve(job.home, job.snapshot.id, this.ending.signal);
      await this.succeed(job, watch, toSnapshot(answer));
    } catch (error) {
      this.fail(watch, error, failedBefore);
    }
  }

  private async succeed(job: TrackedJob, watch: Watch, answer: Snapshot): Promise<void> {
    const { clock, store } = this.options;
    const failed = watch.failure !== undefined;
    Object.assign(watch, { failures: 0, failure: undefined, failedAt: undefined, lastSuccessAt: clock.now() });
    if (failed) {
      this.healthChanged.fire(watch.key);
    }
    const current = store.get(job.key);
    // An answer to a request from before the current run began says nothing about this run.
    if (current?.run === job.run && isRunning(current)) {
      watch.endToldSince = isTerminal(answer.status) ? (watch.endToldSince ?? clock.monotonic()) : undefined;
      const agreedFor = watch.endToldSince === undefined ? 0 : clock.monotonic() - watch.endToldSince;
      const event = detectChange(current, answer, clock.now(), agreedFor, store.eventsOf(job.key));
      if (event !== undefined) {
        await store.keep(job.key, event);
      }
    }
    this.answered.fire(watch.service);
    this.reached(watch.service);
    this.schedule(watch);
  }

  private fail(watch: Watch, error: unknown, failedBefore: number): void {
    if (this.ending.signal.aborted) {
      return;
    }
    const known = error instanceof ServiceError ? error : undefined;
    this.options.log.warn(`couldn’t update job ${watch.key}`, error);
    const kind = known?.kind ?? 'notUnderstood';
    const service = this.service(watch.service);
    // If a job fails again after other jobs of its service got answers, the job itself is to blame.
    const alone = watch.failedAt !== undefined && service.line.answeredAt > watch.failedAt;
    if (isAboutJob(kind) || alone) {
      Object.assign(watch, { failure: kind, failures: watch.failures + 1 });
      this.healthChanged.fire(watch.key);
      this.schedule(watch, known?.retryAfterMs);
      this.scheduleProbe(watch.service, service);
      return;
    }
    watch.failedAt = watch.askedAt;
    service.line.fail(kind, failedBefore, known?.retryAfterMs);
    this.watchesOf(watch.service).forEach((each) => each.timer?.dispose());
    this.scheduleProbe(watch.service, service);
    this.tellHealth(watch.service);
  }

  private tellHealth(service: string): void {
    this.watchesOf(service).forEach(({ key }) => this.healthChanged.fire(key));
  }

  private service(name: string): PolledService {
    let service = this.services.get(name);
    if (service === undefined) {
      service = { line: new PollLimiter(this.options.clock), tells: false };
      this.services.set(name, service);
    }
    return service;
  }
}
