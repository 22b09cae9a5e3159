import type { Logger } from '../base/logger';

/** How long an end in order may take, in milliseconds. */
const END_MS = 10_000;

/** How often it is looked whether the service is idle, in milliseconds. */
const LOOK_MS = 500;

/** What the service is at. */
export interface Activity {
  /** How many turns have not ended. */
  turns: number;
  /** How many requests are open, followers of stories among them. */
  requests: number;
  /** How many of the open requests only follow a story, which has no end. */
  followers: number;
  /** How many requests there have been. */
  requestsInAll: number;
}

/** When the service ends: on a signal, on request, when its last turn has ended, or when nobody has needed it for long. */
export class Lifetime {
  private isEnding = false;
  private endsIdle = false;
  private lastSeen = { requestsInAll: 0, at: performance.now() };

  constructor(
    private readonly parts: {
      activity: () => Activity;
      /** 0 for never. */
      idleMs: number;
      /** Ends all in order. */
      end: () => Promise<void>;
      log: Logger;
    },
  ) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => this.shutDown('now'));
    }
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
  }

  shutDown(when: 'now' | 'idle'): void {
    if (when === 'now') {
      this.end();
    } else {
      this.endsIdle = true;
      this.look();
    }
  }

  private look(): void {
    const { turns, requests, followers, requestsInAll } = this.parts.activity();
    const { idleMs } = this.parts;
    if (turns > 0 || requests > 0 || requestsInAll !== this.lastSeen.requestsInAll) {
      this.lastSeen = { requestsInAll, at: performance.now() };
    }
    const isIdle = idleMs > 0 && performance.now() - this.lastSeen.at > idleMs;
    if (isIdle || (this.endsIdle && turns === 0 && requests === followers)) {
      this.end();
    }
  }

  private end(): void {
    if (this.isEnding) {
      return;
    }
    this.isEnding = true;
    // What hangs holds up no end: supervisors end their agents as soon as this process has gone.
    setTimeout(() => process.exit(0), END_MS);
    this.parts
      .end()
      .catch((error: unknown) => this.parts.log.error('the end was not in order', error))
      .finally(() => process.exit(0));
  }
}
