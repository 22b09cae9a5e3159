import type { EventSourceMessage } from 'eventsource-parser';
import { type Backoff, backoffDelay, type Clock, delay } from '../base/async';
import { decodeJson } from '../base/json';
import { ServiceError } from '../protocol/errors';
import { routes } from '../protocol/routes';
import { type StoryEvent, storyEventSchema } from '../protocol/story';
import { address, headers, type Target } from './agentClient';
import { EventExchange } from './sse';
import type { Transport } from './transport';

/** Whom to follow, and what for. */
export interface Following {
  jobId: string;
  /** Asked at each try, because a local service listens elsewhere after each start; undefined while none runs. */
  target: () => Promise<Target | undefined>;
  /** Asked at each try: whether to stay for what is still to happen. */
  stays: () => boolean;
  /** Called in the order of the events, none of them twice; must not throw. */
  onEvents: (events: readonly StoryEvent[]) => void;
  /** Ends it at once. */
  signal: AbortSignal;
  /** The last event that is known; 0 for none. */
  after?: number;
}

export interface StoryFollowerOptions {
  transport: Transport;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
}

/** To look whether a local service has come back costs next to nothing. */
const BACKOFF: Backoff = { baseMs: 1000, capMs: 15_000 };

/** Follows the story of a job over cuts, restarts and moves of its service. */
export class StoryFollower {
  constructor(private readonly options: StoryFollowerOptions) {}

  /**
   * Resolves when it was ended by the signal, or when all was told and `stays` said no. Throws {@link ServiceError} when
   * there is no story to be had: `notFound` where the service tells none, or has no such job.
   */
  async follow(following: Following): Promise<void> {
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
          // By the signal, or with the transport.
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

  /** True when the service has ended its answer in order; false when there is none to ask. */
  private async tryOnce(following: Following, stays: boolean, progress: Progress): Promise<boolean> {
    const { jobId, signal, onEvents } = following;
    const target = await following.target();
    if (target === undefined || signal.aborted) {
      return false;
    }
    const url = address(target, () => routes.events(target.projectId, jobId)) + (stays ? '' : '?follow=false');
    const head = { ...headers(target, 'text/event-stream'), 'last-event-id': String(progress.last) };
    const take = (messages: readonly EventSourceMessage[]): void => {
      // Also for a comment: what was just alive need not be spared.
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

/** After these there is another try. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'limit']);

interface Progress {
  /** The id of the last event. */
  last: number;
  /** How many tries have failed since something came. */
  failures: number;
}

/** What is of no known kind, or of none at all, is left out; it is not asked for again. */
function read({ id = '', data }: EventSourceMessage, progress: Progress): StoryEvent[] {
  const parsed = storyEventSchema.safeParse(decodeJson(data));
  const place = parsed.data?.id ?? (/^\d{1,15}$/.test(id) ? Number(id) : 0);
  if (!Number.isSafeInteger(place) || place <= progress.last) {
    return [];
  }
  progress.last = place;
  return parsed.success ? [parsed.data] : [];
}
