import type { Clock } from '../../../base/async';
import type { Disposable } from '../../../base/disposable';
import type { FollowOptions } from '../../../client/activityFollower';
import { type AgentActivity, reduceActivity } from '../../../jobs/agentActivity';
import type { ActivityEvent } from '../../../protocol/activity';

/** Minimum interval between updates of a growing log, in milliseconds; faster updates could not be read. */
const MIN_UPDATE_INTERVAL_MS = 200;

export interface ActivitySubscriptionOptions {
  /** The activity log so far. */
  story: AgentActivity;
  /** Whether the job is running, according to its record. */
  isRunning: () => boolean;
  /** Starts following; resolves when following has ended. */
  start: (following: Pick<FollowOptions, 'after' | 'stays' | 'onEvents' | 'signal'>) => Promise<void>;
  /** Redacts a message that was put together. */
  redact: (text: string) => string;
  /** Called before `onStory`, which waits for it. */
  prepare: (story: AgentActivity) => Promise<void>;
  /** Never called before the constructor returns. */
  onStory: (story: AgentActivity) => void;
  onError: (error: unknown) => void;
  clock: Clock;
}

/**
 * Follows the activity log of one job. Stays connected while the job runs; otherwise reads the existing log once, until
 * the job's record changes.
 */
export class ActivitySubscription implements Disposable {
  private story: AgentActivity;
  private round: { gone: AbortController; stays: boolean } | undefined;
  private toldAt = -Infinity;
  /** How often an update was requested. */
  private requests = 0;
  /** Set until the update is done. */
  private timer: Disposable | undefined;

  constructor(private readonly options: ActivitySubscriptionOptions) {
    this.story = options.story;
    this.begin();
    if (this.story.last > 0) {
      this.scheduleUpdate();
    }
  }

  /** Call this when the record has changed: restarts when the job has started or ended. */
  refresh(): void {
    if (this.round !== undefined && this.round.stays !== this.options.isRunning()) {
      this.round.gone.abort();
      this.begin();
      this.scheduleUpdate();
    }
  }

  dispose(): void {
    this.round?.gone.abort();
    this.round = undefined;
    this.timer?.dispose();
  }

  private begin(): void {
    const { start, isRunning, redact, onError } = this.options;
    const gone = new AbortController();
    const round = { gone, stays: isRunning() };
    this.round = round;
    const onEvents = (events: readonly ActivityEvent[]): void => {
      if (this.round === round) {
        this.story = reduceActivity(this.story, events, redact);
        this.scheduleUpdate();
      }
    };
    start({ after: this.story.last, stays: () => round.stays, onEvents, signal: gone.signal }).catch(
      (error: unknown) => {
        if (!gone.signal.aborted) {
          onError(error);
        }
      },
    );
  }

  private scheduleUpdate(): void {
    const { clock, onError } = this.options;
    const wait = Math.max(0, this.toldAt + MIN_UPDATE_INTERVAL_MS - clock.monotonic());
    this.requests += 1;
    this.timer ??= clock.after(wait, () => void this.update().catch(onError));
  }

  private async update(): Promise<void> {
    const { story, requests } = this;
    await this.options.prepare(story);
    this.timer = undefined;
    this.toldAt = this.options.clock.monotonic();
    if (this.round !== undefined) {
      this.options.onStory(story);
      if (this.requests > requests) {
        this.scheduleUpdate();
      }
    }
  }
}
