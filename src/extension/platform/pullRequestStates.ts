import type { Clock } from '../../base/async';
import { type Disposable, Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import { SharedJson } from '../../base/sharedJson';
import type { PullRequestAnswer, PullRequestDetails } from '../../client';
import type { TrackedJob } from '../../jobs/trackedJob';
import { ServiceError } from '../../protocol/errors';
import type { PullRequestState } from '../../protocol/surroundings';
import {
  afterAnswer,
  type KnownPullRequest as Known,
  looksSame,
  type PullRequests,
  readPullRequests,
  withNews,
} from './pullRequestCache';
import { askedPullRequest } from './pullRequestLink';

export interface PullRequestStatesOptions {
  /** The file that caches the states. */
  file: string;
  /** Queries the state of a pull request on github.com; returns undefined without a GitHub session. */
  ask: (
    link: string,
    etag: string | undefined,
    known: PullRequestState | undefined,
  ) => Promise<PullRequestAnswer | undefined>;
  /** The links of the jobs in the list. */
  links: () => Iterable<string>;
  clock: Clock;
  log: Logger;
}

/** The minimum interval between two queries of one pull request, in milliseconds. */
export const EACH_MS = 120_000;
/** The maximum number of queries per batch, and the pause between batches, in milliseconds. */
export const AT_ONCE = 4;
export const PAUSE_MS = 60_000;
/** The back-off when GitHub asks for fewer requests without saying for how long, in milliseconds. */
export const BACK_OFF_MS = 3_600_000;

/**
 * Knows which pull requests are merged or closed. Queried when the user looks at the list, and cached. Each view of the
 * list queries each pull request once; one that was queried a moment ago follows as soon as its interval has passed, and
 * a failure is retried once. No timer remains after that.
 */
export class PullRequestStates implements Disposable {
  private readonly cache: SharedJson<PullRequests>;
  private loaded: Promise<void> | undefined;
  /** GitHub is not queried before these times: after a failure, and between batches. Monotonic time. */
  private notBefore = 0;
  private pausedUntil = 0;
  private timer: Disposable | undefined;
  private going: Promise<void> | undefined;
  private isShown = false;
  /** How often the user has looked at the list. */
  private refreshes = 0;
  private isLastTry = false;
  /** The links that were queried since the user last looked at the list. */
  private readonly asked = new Set<string>();
  private readonly changed: Emitter<void>;

  constructor(private readonly options: PullRequestStatesOptions) {
    const { file, log } = options;
    this.changed = new Emitter((error) => log.error('a listener of pull requests failed', error));
    this.cache = new SharedJson<PullRequests>({ file, parse: readPullRequests, empty: {}, log });
  }

  /** Fires when the known state of a pull request has changed. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** Returns the last known state for a link; undefined if unknown. */
  get(link: string): PullRequestState | undefined {
    return this.known(link)?.state;
  }

  /** When it was merged or closed, or found to be; undefined if it is open or that is unknown. */
  endedAt(link: string): number | undefined {
    return this.known(link)?.endedAt;
  }

  /** What GitHub last said about a pull request besides its state. */
  details(link: string): PullRequestDetails | undefined {
    return this.known(link)?.details;
  }

  dispose(): void {
    this.show(false);
  }

  /** Resolves when no query is running. */
  async idle(): Promise<void> {
    await this.going;
  }

  /** Loads the cache. */
  load(): Promise<void> {
    return (this.loaded ??= this.read());
  }

  /** States are refreshed only while the list is visible. */
  show(isShown: boolean): void {
    if (isShown !== this.isShown) {
      this.isShown = isShown;
      this.timer?.dispose();
      this.timer = undefined;
      if (isShown) {
        this.refresh();
      }
    }
  }

  /**
   * The user looks at the list, or returns from where something may have been merged: queries everything, and recently
   * queried pull requests as soon as their interval has passed.
   */
  refresh(): void {
    if (this.isShown) {
      this.asked.clear();
      this.refreshes += 1;
      this.isLastTry = false;
      this.begin();
    }
  }

  /** Runs one pass at a time, even if the list is hidden and shown again in the meantime. */
  private begin(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.going ??= this.runPass().finally(() => {
      this.going = undefined;
    });
  }

  private async runPass(): Promise<void> {
    const { clock, log } = this.options;
    const { refreshes } = this;
    let next;
    try {
      await this.load();
      next = await this.askDue();
    } catch (error) {
      log.warn('couldn’t read the states of pull requests', error);
      this.notBefore = clock.monotonic() + EACH_MS;
      next = this.nextRetryTime();
    }
    if (this.isShown && refreshes !== this.refreshes) {
      await this.runPass();
    } else if (this.isShown && next < Infinity) {
      this.timer = clock.after(next - clock.monotonic(), () => this.begin());
    }
  }

  /** Resolves to the time of the next query. */
  private async askDue(): Promise<number> {
    const { links, clock } = this.options;
    const start = clock.monotonic();
    const left = [...new Set(links())]
      .filter((link) => !this.asked.has(link) && this.known(link)?.state !== 'merged')
      .map((link) => ({ link, wait: this.waitFor(link, clock.now()), at: this.known(link)?.at ?? -Infinity }))
      .toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
    if (left.length === 0) {
      return Infinity;
    }
    if (start < this.notBefore) {
      return this.nextRetryTime();
    }
    if (start < this.pausedUntil) {
      return this.pausedUntil;
    }
    const due = left.filter(({ wait }) => wait <= 0);
    for (const { link } of due.slice(0, AT_ONCE)) {
      this.asked.add(link);
      if (!(await this.askOne(link))) {
        return this.notBefore > start ? this.nextRetryTime() : Infinity;
      }
    }
    if (due.length > AT_ONCE) {
      this.pausedUntil = start + PAUSE_MS;
      return this.pausedUntil;
    }
    const waits = left.map(({ wait }) => wait).filter((wait) => wait > 0);
    return start + Math.min(...waits, Infinity);
  }

  /** Returns false if GitHub can't be queried now. */
  private async askOne(link: string): Promise<boolean> {
    const { ask, clock } = this.options;
    const at = clock.now();
    const before = this.known(link);
    const answer = await ask(link, before?.etag, before?.state).catch((error: unknown) => this.failed(link, error));
    if (answer?.is === 'limited') {
      this.asked.delete(link);
      this.backOff(answer);
    }
    if (answer === undefined || answer.is === 'limited') {
      return false;
    }
    await this.remember(link, { ...afterAnswer(before, answer), at });
    if ('limit' in answer && answer.limit !== undefined) {
      this.backOff(answer.limit);
      return false;
    }
    return true;
  }

  private backOff({ waitMs }: { waitMs?: number | undefined }): void {
    this.notBefore = this.options.clock.monotonic() + Math.max(waitMs ?? BACK_OFF_MS, EACH_MS);
  }

  /** Returns when to retry GitHub: once per look, so that a lasting failure leaves no timer, and never far ahead. */
  private nextRetryTime(): number {
    const isFar = this.notBefore - this.options.clock.monotonic() > BACK_OFF_MS;
    const next = this.isLastTry || isFar ? Infinity : this.notBefore;
    this.isLastTry = true;
    return next;
  }

  /**
   * An error response for one pull request says nothing about the others. Without any response, none can be queried.
   */
  private failed(link: string, error: unknown): PullRequestAnswer {
    if (!(error instanceof ServiceError) || error.status === undefined) {
      this.asked.delete(link);
      throw error;
    }
    this.options.log.warn(`couldn’t read the state of the pull request ${link}`, error);
    return { is: 'hidden' };
  }

  /** Returns the time until a link may be queried again. Robust against a clock that was set back. */
  private waitFor(link: string, now: number): number {
    const at = this.known(link)?.at ?? -Infinity;
    return Math.abs(now - at) >= EACH_MS ? 0 : at + EACH_MS - now;
  }

  private async remember(link: string, news: Known): Promise<void> {
    const before = this.known(link);
    await this.cache.update((known) => withNews(known, link, news));
    if (!looksSame(news, before)) {
      this.changed.fire();
    }
  }

  private async read(): Promise<void> {
    await this.cache.read();
    this.changed.fire();
  }

  private known(link: string): Known | undefined {
    return this.cache.value[link];
  }
}

/**
 * Returns what became of an ended job's work, according to its Git host, otherwise to its service; undefined if unknown.
 */
export function workState(job: TrackedJob, pulls: Pick<PullRequestStates, 'get'>): PullRequestState | undefined {
  const { snapshot, endedAt } = job;
  if (endedAt === undefined) {
    return undefined;
  }
  const link = askedPullRequest(job);
  const hosted = link === undefined ? snapshot?.surroundings?.pullRequest?.state : pulls.get(link);
  return hosted === undefined || hosted === 'open' ? (snapshot?.review ?? hosted) : hosted;
}

/** What GitHub says about the open pull request of an ended job; undefined if nothing. */
export function openDetails(
  job: TrackedJob,
  pulls: Pick<PullRequestStates, 'details'>,
): PullRequestDetails | undefined {
  const link = job.endedAt === undefined ? undefined : askedPullRequest(job);
  return link === undefined ? undefined : pulls.details(link);
}
