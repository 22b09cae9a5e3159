import type { EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import type { Clock } from '../base/async';
import { decodeJson } from '../base/json';
import { reconnect } from '../base/retry';
import { type ActivityEvent, activityEventSchema } from '../protocol/activity';
import { ServiceError } from '../protocol/errors';
import { pathOf } from '../protocol/routes';
import { buildUrl, headers, type Target } from './agentClient';
import { readEvents } from './eventStream';
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
  silenceMs?: number;
}

/** Follows the activity log of a job across disconnects, restarts and address changes of its service. */
export class ActivityFollower {
  constructor(private readonly options: ActivityFollowerOptions) {}

  /**
   * Resolves when the signal aborts, or when everything was delivered and `stays` returned false. Throws
   * {@link ServiceError} when there is no log: `notFound` if the service provides none, or does not know the job.
   */
  async follow({ jobId, signal, onEvents, after = 0, ...following }: FollowOptions): Promise<void> {
    const { transport, silenceMs } = this.options;
    const place = { last: after };
    const connect = async (alive: (isNews: boolean) => void): Promise<boolean> => {
      const stays = following.stays();
      const target = await following.target();
      if (target === undefined || signal.aborted) {
        return false;
      }
      const url = buildUrl(target, () => pathOf('followJob', { ...target, jobId })) + (stays ? '' : '?follow=false');
      const head = { ...headers(target, 'text/event-stream'), 'last-event-id': String(place.last) };
      for await (const messages of readEvents(transport, { method: 'GET', url, headers: head, signal }, silenceMs)) {
        const events = messages.flatMap((message) => read(message, place));
        alive(events.length > 0);
        if (events.length > 0) {
          onEvents(events);
        }
      }
      return !stays;
    };
    await reconnect(connect, this.options, signal).catch((error: unknown) => {
      // The transport was disposed.
      if (!(error instanceof ServiceError) || error.kind !== 'aborted') {
        throw error;
      }
    });
  }
}

/** Skips invalid and unknown events; they are not requested again. */
function read({ id = '', data }: EventSourceMessage, place: { last: number }): ActivityEvent[] {
  const parsed = z.safeParse(activityEventSchema, decodeJson(data));
  const found = parsed.data?.id ?? (/^\d{1,15}$/.test(id) ? Number(id) : 0);
  if (!Number.isSafeInteger(found) || found <= place.last) {
    return [];
  }
  place.last = found;
  return parsed.success ? [parsed.data] : [];
}
