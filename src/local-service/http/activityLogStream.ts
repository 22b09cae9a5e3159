import { createYielder, once } from '../../base/async';
import type { ActivityEvent } from '../../protocol/activity';
import type { ActivityLogStore } from '../store/jobStore';

/** Number of events per database read. Few, because an event may be long. */
const PAGE = 20;

/** Heartbeat interval of an idle stream, in milliseconds. Keeps intermediaries from treating the connection as dead. */
const HEARTBEAT_MS = 15_000;

/** Limits on concurrent followers. Each one reads from the database whenever its job's activity log grows. */
export interface FollowerLimits {
  perJob: number;
  total: number;
  /** Whether a project gets another slot only while it has fewer than are free, so that no project takes all of them. */
  isShared: boolean;
}

/** Counts the followers of each job's activity log. */
export class Followers {
  /** By job and by project. */
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: FollowerLimits = { perJob: 8, total: 16, isShared: false }) {}

  /**
   * Claims a slot. Returns a function that releases it (extra calls have no effect), or undefined when all slots that
   * the job or its project may have are taken.
   */
  enter(projectId: string, jobId: string): (() => void) | undefined {
    const { perJob, total, isShared } = this.limits;
    const [project, job] = [`project ${projectId}`, `job ${jobId}`] as const;
    const free = total - this.total;
    if (free <= 0 || this.count(job) >= perJob || (isShared && this.count(project) >= free)) {
      return undefined;
    }
    this.add(1, project, job);
    return once(() => this.add(-1, project, job));
  }

  private count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private add(change: 1 | -1, ...names: readonly string[]): void {
    this.total += change;
    for (const name of names) {
      const count = this.count(name) + change;
      if (count === 0) {
        this.counts.delete(name);
      } else {
        this.counts.set(name, count);
      }
    }
  }
}

/** A request to read a job's activity log. */
export interface Following {
  jobId: string;
  /** The id of the last event that the reader has; 0 for none. */
  after: number;
  /** Whether to keep streaming new events after the existing ones. */
  follow: boolean;
  /** Whether the reader's key is still valid. Asked whenever something is sent; without it, the key always is. */
  isAllowed?: (() => Promise<boolean>) | undefined;
  /** Ends the stream. */
  signal: AbortSignal;
  /** Called when the stream has ended for any reason. May be called more than once. */
  onEnd: () => void;
}

/**
 * Streams a job's activity log as server-sent events (HTML standard, 9.2): existing events, then new ones. Reads from
 * the database only as fast as the client consumes, so a slow client costs no memory.
 */
export function activityLogStream(store: ActivityLogStore, following: Following): ReadableStream<Uint8Array> {
  const { jobId, follow, onEnd, isAllowed = async () => true } = following;
  let { after } = following;
  const gone = new AbortController();
  const isGone = (): boolean => gone.signal.aborted;
  const signal = AbortSignal.any([following.signal, gone.signal]);
  const isOver = (): boolean => signal.aborted;
  let hasGrown = true;
  let wake = (): void => undefined;
  const subscription = store.onActivity((grown) => {
    if (grown === undefined || grown === jobId) {
      hasGrown = true;
      wake();
    }
  });
  const end = (): void => {
    subscription.dispose();
    onEnd();
  };
  /**
   * Resolves to true when there may be more to read, and to false when the heartbeat interval has passed without news.
   */
  const growth = (): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        wake = () => undefined;
        resolve(hasGrown);
      };
      const timer = setTimeout(settle, HEARTBEAT_MS);
      wake = settle;
      signal.addEventListener('abort', settle, { once: true });
      if (hasGrown || signal.aborted) {
        settle();
      }
    });

  const pause = createYielder();
  /** Reads what is new. Returns undefined if the reader is no longer allowed to have it. */
  const read = async (isMore: boolean): Promise<ActivityEvent[] | undefined> => {
    try {
      await pause();
      const events = isMore ? await store.activity(jobId, after, PAGE) : [];
      return (await isAllowed()) ? events : undefined;
    } catch (error) {
      end();
      throw error;
    }
  };

  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (!isOver()) {
          const isMore = hasGrown || (follow && (await growth()));
          if (isOver() || (!isMore && !follow)) {
            break;
          }
          hasGrown = false;
          const events = await read(isMore);
          if (isGone() || events === undefined) {
            break;
          }
          if (events.length > 0) {
            // It may also have grown during the read.
            hasGrown ||= events.length === PAGE;
            after = events.at(-1)?.id ?? after;
            controller.enqueue(encoder.encode(events.map(toText).join('')));
            return;
          }
          if (!isMore) {
            controller.enqueue(encoder.encode(':\n\n'));
            return;
          }
        }
        end();
        if (!isGone()) {
          controller.close();
        }
      },
      cancel() {
        gone.abort();
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

function toText(event: ActivityEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}
