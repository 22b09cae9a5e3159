import type { EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import { type Backoff, backoffDelay, type Clock, delay } from '../base/async';
import { decodeJson } from '../base/json';
import { smallOnly } from '../base/lengthChecks';
import { truncateWithEllipsis } from '../base/text';
import { ServiceError } from '../protocol/errors';
import { routes } from '../protocol/routes';
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
    const progress = { last: following.after ?? 0, failures: 0 };
    while (!signal.aborted) {
      let retryAfterMs: number | undefined;
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
        retryAfterMs = error.retryAfterMs;
      }
      progress.failures += 1;
      const wait = backoffDelay(BACKOFF, progress.failures, random(), retryAfterMs);
      await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** Returns true when the service ended the stream normally; false when no service is running. */
  private async tryOnce(following: FollowOptions, stays: boolean, progress: Progress): Promise<boolean> {
    const { jobId, signal, onEvents } = following;
    const target = await following.target();
    if (target === undefined || signal.aborted) {
      return false;
    }
    const url = buildUrl(target, () => routes.events(target.projectId, jobId)) + (stays ? '' : '?follow=false');
    const head = { ...headers(target, 'text/event-stream'), 'last-event-id': String(progress.last) };
    const take = (messages: readonly EventSourceMessage[]): void => {
      // Even for a comment: a service that was just alive needs no backoff.
      progress.failures = 0;
      const events = messages.flatMap((message) => read(message, progress));
      if (events.length > 0) {
        onEvents(events);
      }
    };
    const { clock, transport } = this.options;
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
  /** Number of failed attempts since the last data. */
  failures: number;
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
