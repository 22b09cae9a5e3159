import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import { type Clock, createYielder } from '../base/async';
import { decodeJson } from '../base/json';
import { MAX_EVENT, MAX_SILENCE_MS } from '../base/limits';
import { reconnect } from '../base/retry';
import { type ActivityEvent, activityEventSchema } from '../protocol/activity';
import { ServiceError } from '../protocol/errors';
import { jobEventSchema } from '../protocol/localService';
import { pathOf, ROUTES } from '../protocol/routes';
import { buildUrl, headers, type Target } from './agentClient';
import { toServiceError } from './answer';
import type { LocalTarget } from './localServiceClient';
import { DEFAULT_TIMEOUTS, type HttpRequest, isEncoded, Transport } from './transport';

/** How much is read before other work may get its turn, in bytes. */
const READ_AT_ONCE = 16_384;

/**
 * Reads server-sent events (HTML standard, 9.2) until the service ends the stream. Yields those that arrived together;
 * an empty list is a sign of life. Throws {@link ServiceError}.
 */
export async function* readEvents(
  transport: Transport,
  request: HttpRequest,
  silenceMs = MAX_SILENCE_MS,
): AsyncGenerator<EventSourceMessage[]> {
  const { status, headers, body } = await transport.open(request, silenceMs);
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '') && !isEncoded(headers);
  if (status > 299 || !isStream) {
    await body.cancel();
    throw status > 299
      ? toServiceError({ status, headers, body: '' }, Date.now())
      : new ServiceError('notUnderstood', { effect: 'unknown', status, code: 'NO_EVENTS' });
  }
  let events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') {
        throw new ServiceError('notUnderstood', { effect: 'unknown', status, code: 'TOO_LARGE' });
      }
    },
    maxBufferSize: MAX_EVENT,
  });
  const decoder = new TextDecoder();
  const pause = createYielder();
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += READ_AT_ONCE) {
      parser.feed(decoder.decode(chunk.subarray(at, at + READ_AT_ONCE), { stream: true }));
      yield events;
      events = [];
      await pause();
    }
  }
}

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

/** Callbacks for job events. */
export interface JobEventListener {
  /** Called once, when the stream is open and no later event is missed. */
  onOpen: () => void;
  onJob: (projectId: string, jobId: string) => void;
  /** Ends the stream at once. */
  signal: AbortSignal;
}

/** Listens for job changes at the local service. */
export class JobEventsClient {
  /** A separate connection, so that requests need not wait for it. Loopback needs no proxy. */
  private readonly transport = new Transport(DEFAULT_TIMEOUTS, undefined, 1);

  /** Resolves when the service ended the stream normally. Throws {@link ServiceError}. */
  async listen(target: LocalTarget, { onOpen, onJob, signal }: JobEventListener): Promise<void> {
    const url = target.baseUrl + ROUTES.followJobs.path;
    const request = { method: 'GET', url, headers: headers(target, 'text/event-stream'), signal } as const;
    let isOpen = false;
    for await (const messages of readEvents(this.transport, request)) {
      if (!isOpen) {
        isOpen = true;
        onOpen();
      }
      for (const { data } of messages) {
        const event = jobEventSchema.safeParse(decodeJson(data));
        if (event.success) {
          onJob(event.data.projectId, event.data.jobId);
        }
      }
    }
  }

  dispose(): Promise<void> {
    return this.transport.dispose();
  }
}
