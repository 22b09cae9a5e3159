import type { EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import { type Backoff, backoffDelay, type Clock, delay, growingDelay } from '../base/async';
import { decodeJson } from '../base/json';
import { smallOnly } from '../base/lengthChecks';
import { truncateWithEllipsis } from '../base/text';
import { ServiceError } from '../protocol/errors';
import { pathOf } from '../protocol/routes';
import { type ActivityEvent, activityEventSchema } from '../protocol/activity';
import { buildUrl, headers, type Target } from './agentClient';
import { EventExchange } from './sse';
import type { Transport } from './transport';

/** Which job to follow, and the callbacks. */
export interface FollowOptions {
  jobId: string;
  /**
   * Called on each attempt, because a local service has a new address after each start; undefined while none is
   * running.
   */
  target: () => Promise<Target | undefined>;
  /** Called on each attempt: whether to stay connected for future events. */
  stays: () => boolean;
  /** Called in event order, never twice for an event; must not throw. */
  onEvents: (events: readonly ActivityEvent[]) => void;
  /** Ends following at once. */
  signal: AbortSignal;
  /** The last known event; 0 for none. */
  after?: number;
}

export interface ActivityFollowerOptions {
  transport: Transport;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
}

/** Short delays, because checking for a local service costs next to nothing. */
const BACKOFF: Backoff = { baseMs: 1000, capMs: 15_000 };

/** For a service that limits requests. */
const LIMITED: Backoff = { baseMs: 5000, capMs: 300_000 };

/** A connection that lasts at least this long, in milliseconds, counts as having worked. */
const STEADY_MS = 5000;

/** Follows the activity log of a job across disconnects, restarts and address changes of its service. */
export class ActivityFollower {
  constructor(private readonly options: ActivityFollowerOptions) {}

  /**
   * Resolves when the signal aborts, or when everything was delivered and `stays` returned false. Throws
   * {@link ServiceError} when there is no log: `notFound` if the service provides none, or does not know the job.
   */
  async follow(following: FollowOptions): Promise<void> {
    const { clock, random } = this.options;
    const { signal } = following;
    const progress: Progress = { last: following.after ?? 0, failures: 0, refusals: 0, openedAt: Infinity };
    while (!signal.aborted) {
      let failure: ServiceError | undefined;
      progress.openedAt = Infinity;
      try {
        const stays = following.stays();
        if ((await this.tryOnce(following, stays, progress)) && !stays) {
          return;
        }
      } catch (error) {
        if (error instanceof ServiceError && error.kind === 'aborted') {
          // Aborted by the signal, or because the transport was disposed.
          return;
        }
        if (!(error instanceof ServiceError) || !PASSING.has(error.kind)) {
          throw error;
        }
        failure = error;
      }
      progress.failures = clock.monotonic() - progress.openedAt >= STEADY_MS ? 1 : progress.failures + 1;
      progress.refusals = failure?.kind === 'limit' ? progress.refusals + 1 : 0;
      const wait =
        progress.refusals > 0
          ? growingDelay(LIMITED, progress.refusals, random(), failure?.retryAfterMs)
          : backoffDelay(BACKOFF, progress.failures, random(), failure?.retryAfterMs);
      await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** Returns true when the service ended the stream normally; false when no service is running. */
  private async tryOnce(following: FollowOptions, stays: boolean, progress: Progress): Promise<boolean> {
    const { jobId, signal, onEvents } = following;
    const { clock, transport } = this.options;
    const target = await following.target();
    if (target === undefined || signal.aborted) {
      return false;
    }
    const url = buildUrl(target, () => pathOf('followJob', { ...target, jobId })) + (stays ? '' : '?follow=false');
    const head = { ...headers(target, 'text/event-stream'), 'last-event-id': String(progress.last) };
    const take = (messages: readonly EventSourceMessage[]): void => {
      progress.openedAt = Math.min(progress.openedAt, clock.monotonic());
      const events = messages.flatMap((message) => read(message, progress));
      if (events.length > 0) {
        progress.failures = 0;
        onEvents(events);
      }
    };
    const exchange = await transport.dispatch(
      { method: 'GET', url, headers: head },
      () => new EventExchange({ clock, signal, onEvents: take }),
    );
    await exchange.ended;
    return true;
  }
}

/** Errors that are retried. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'limit']);

interface Progress {
  /** The id of the last event. */
  last: number;
  /** Number of attempts since the last event or steady connection. */
  failures: number;
  /** Number of attempts in a row that the service refused because of its limit. */
  refusals: number;
  /** When the connection began to send something; Infinity before. */
  openedAt: number;
}

/**
 * The longest event that is read, and the longest text in it, in characters, and how many members and elements it may
 * have. The local service stays far below. Another service decides what it sends, and many events are kept.
 */
const MAX_EVENT = 262_144;
const MAX_TEXT = 16_000;
const eventSchema = smallOnly(activityEventSchema, 2_000);

/** Skips invalid, overlong, and unknown events; they are not requested again. */
function read({ id = '', data }: EventSourceMessage, progress: Progress): ActivityEvent[] {
  const parsed = z.safeParse(eventSchema, data.length > MAX_EVENT ? undefined : decodeJson(data));
  const place = parsed.data?.id ?? (/^\d{1,15}$/.test(id) ? Number(id) : 0);
  if (!Number.isSafeInteger(place) || place <= progress.last) {
    return [];
  }
  progress.last = place;
  return parsed.success ? [withShortTexts(parsed.data)] : [];
}

function withShortTexts<T>(value: T): T {
  if (typeof value === 'string') {
    return truncateWithEllipsis(value, MAX_TEXT) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return (
    Array.isArray(value)
      ? value.map(withShortTexts)
      : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withShortTexts(each)]))
  ) as T;
}
