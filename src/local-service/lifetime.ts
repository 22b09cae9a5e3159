import type { Logger } from '../base/logger';

/** Timeout of an orderly shutdown, in milliseconds. */
const END_MS = 10_000;

/** Interval of the check for idleness, in milliseconds. */
const CHECK_MS = 500;

/** What the service is currently doing. */
export interface Activity {
  /** The number of turns that have not ended. */
  turns: number;
  /** How many of them wait for the end of a usage limit. The next start of the service can run them, too. */
  held?: number;
  /** The number of open requests, including those that follow an activity log. */
  requests: number;
  /** The number of open requests that only follow an activity log, which may never end on their own. */
  followers: number;
  /** The total number of requests so far. */
  requestsInAll: number;
}

/**
 * Decides when the service shuts down: on a signal, on request, when its last turn has ended, or after it has been idle
 * for long enough.
 */
export class Lifetime {
  private isEnding = false;
  private shouldEndWhenIdle = false;
  private lastSeen = { requestsInAll: 0, at: performance.now() };

  constructor(
    private readonly parts: {
      activity: () => Activity;
      /** 0 for never. */
      idleMs: number;
      /** Shuts everything down in order. */
      end: () => Promise<void>;
      log: Logger;
    },
  ) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => this.shutDown('now'));
    }
    const timer = setInterval(() => this.checkIdle(), CHECK_MS);
    timer.unref();
  }

  shutDown(when: 'now' | 'idle'): void {
    if (when === 'now') {
      this.end();
    } else {
      this.shouldEndWhenIdle = true;
      this.checkIdle();
    }
  }

  private checkIdle(): void {
    const { turns, held = 0, requests, followers, requestsInAll } = this.parts.activity();
    const { idleMs } = this.parts;
    if (turns > 0 || requests > 0 || requestsInAll !== this.lastSeen.requestsInAll) {
      this.lastSeen = { requestsInAll, at: performance.now() };
    }
    const isIdle = idleMs > 0 && performance.now() - this.lastSeen.at > idleMs;
    if (isIdle || (this.shouldEndWhenIdle && turns === held && requests === followers)) {
      this.end();
    }
  }

  private end(): void {
    if (this.isEnding) {
      return;
    }
    this.isEnding = true;
    // Shutdown does not wait for stuck work: supervisors kill their agents as soon as this process is gone.
    setTimeout(() => process.exit(0), END_MS);
    this.parts
      .end()
      .catch((error: unknown) => this.parts.log.error('the shutdown failed', error))
      .finally(() => process.exit(0));
  }
}
