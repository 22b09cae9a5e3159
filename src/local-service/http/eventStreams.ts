import type { Context } from 'hono';
import { createYielder, once } from '../../base/async';
import { MAX_LISTENERS } from '../../base/limits';
import type { JobOperations } from '../jobs/jobOperations';
import type { ActivityLogStore } from '../store/jobStore';
import { HttpError } from './httpError';
import { type Handlers, requireFound } from './serveRoutes';

/**
 * Heartbeat interval of an idle stream, in milliseconds: a comment tells the client, and whatever is between, that the
 * connection is alive.
 */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

/** Number of events per database read. Few, because an event may be long. */
const PAGE = 20;

/**
 * Maximum number of jobs with unread changes. A client that falls further behind is disconnected; it requests the job
 * list when it reconnects.
 */
const MAX_PENDING = 1000;

/** How many clients may follow jobs at once: more would take the connections that requests need. */
const MAX_FOLLOWERS = 200;

/**
 * The activity log of a job. Resumes after the event in `Last-Event-ID`. With `follow=false` the stream ends after the
 * existing events.
 *
 * @param ending aborts when the service shuts down
 */
export function activityHandlers(store: ActivityLogStore, ending: AbortSignal): Handlers {
  let followers = 0;
  return {
    followJob: ({ context, job, query }) =>
      eventStream(context, ending, () => {
        if (followers >= MAX_FOLLOWERS) {
          throw new HttpError(503, 'Too many clients are following jobs. Try again later.', { 'Retry-After': '5' });
        }
        followers += 1;
        const last = context.req.header('Last-Event-ID') ?? '';
        const bell = new Bell();
        const growth = store.onActivity((grown) => (grown === undefined || grown === job.id ? bell.ring() : undefined));
        const following = {
          jobId: job.id,
          after: /^\d{1,15}$/.test(last) ? Number(last) : 0,
          follow: query.follow === 'true',
          isAllowed: context.get('scope').isStillValid,
        };
        const end = (): void => {
          growth.dispose();
          followers -= 1;
        };
        return { read: (signal) => readActivity(store, following, bell, signal), end };
      }),
  };
}

interface Following {
  jobId: string;
  /** The id of the last event that the reader has; 0 for none. */
  after: number;
  /** Whether to keep streaming new events after the existing ones. */
  follow: boolean;
  /** Whether the reader's key is still valid. Asked whenever something is sent; without it, the key always is. */
  isAllowed?: (() => Promise<boolean>) | undefined;
}

async function* readActivity(
  store: Pick<ActivityLogStore, 'activity'>,
  { jobId, after, follow, isAllowed = async () => true }: Following,
  bell: Bell,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const pause = createYielder();
  for (let [last, hasGrown] = [after, true]; !signal.aborted;) {
    await pause();
    const events = hasGrown ? await store.activity(jobId, last, PAGE) : [];
    if (!(await isAllowed())) {
      return;
    }
    last = events.at(-1)?.id ?? last;
    if (events.length > 0 || !hasGrown) {
      yield events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('') || HEARTBEAT;
    }
    if (events.length < PAGE) {
      if (!follow) {
        return;
      }
      hasGrown = await bell.wait(signal);
    }
  }
}

export type JobEvents = Pick<JobOperations, 'onJobEvent' | 'jobEvent'>;

/**
 * Which job changed, as it happens, so that editors don't have to poll. For earlier changes, clients request the job
 * list.
 *
 * @param ending aborts when the service shuts down
 */
export function jobEventHandlers(jobs: JobEvents, ending: AbortSignal): Handlers {
  let listeners = 0;
  return {
    findJob: async ({ job }) => requireFound(await jobs.jobEvent(job.id)),
    followJobs: ({ context }) =>
      eventStream(context, ending, () => {
        if (listeners >= MAX_LISTENERS) {
          throw new HttpError(429, 'Too many clients are listening. Try again later.', { 'Retry-After': '60' });
        }
        listeners += 1;
        const [pending, bell] = [new Set<string | undefined>(), new Bell()];
        const changes = jobs.onJobEvent((jobId) => {
          pending.add(jobId);
          bell.ring();
        });
        const end = (): void => {
          changes.dispose();
          listeners -= 1;
        };
        return { read: (signal) => readJobEvents(jobs, pending, bell, signal), end };
      }),
  };
}

/**
 * If a job changes several times before the client reads, only its latest state is sent, so a slow client costs little
 * memory.
 */
async function* readJobEvents(
  jobs: JobEvents,
  pending: Set<string | undefined>,
  bell: Bell,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const isOver = (): boolean => signal.aborted;
  // Tells the client that it is subscribed and misses nothing from here on.
  yield HEARTBEAT;
  while (!isOver()) {
    await bell.wait(signal);
    // Without an id, changes may have been lost.
    if (isOver() || pending.size > MAX_PENDING || pending.has(undefined)) {
      return;
    }
    const jobIds = [...pending];
    // What changes from here on is sent next time, even while this is read.
    pending.clear();
    const events = await Promise.all(jobIds.map((jobId) => jobs.jobEvent(jobId ?? '')));
    yield (
      events.map((event) => (event === undefined ? '' : `data: ${JSON.stringify(event)}\n\n`)).join('') || HEARTBEAT
    );
  }
}

interface Source {
  /** What to send, piece by piece. */
  read: (signal: AbortSignal) => AsyncGenerator<string>;
  /** Called once when the stream has ended for any reason. */
  end: () => void;
}

/**
 * Answers with server-sent events (HTML standard, 9.2). Reads only as fast as the client, so a slow client costs no
 * memory. If reading fails, the connection breaks, so that the client doesn't take what it has for everything.
 */
function eventStream(context: Context, ending: AbortSignal, open: () => Source): Response {
  context.header('Content-Type', 'text/event-stream');
  // With its defaults, nginx passes on nothing of a stream, not even its header, until it has a few kilobytes.
  context.header('X-Accel-Buffering', 'no');
  if (context.req.method === 'HEAD') {
    return context.body(null);
  }
  const source = open();
  const gone = new AbortController();
  const end = once(() => source.end());
  const pieces = source.read(AbortSignal.any([ending, context.req.raw.signal, gone.signal]));
  const encoder = new TextEncoder();
  return context.body(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const piece = await pieces.next().catch((error: unknown) => {
            end();
            throw error;
          });
          if (gone.signal.aborted) {
            return;
          }
          if (piece.done === true) {
            end();
            controller.close();
          } else {
            controller.enqueue(encoder.encode(piece.value));
          }
        },
        cancel() {
          gone.abort();
          end();
        },
      },
      { highWaterMark: 0 },
    ),
  );
}

/** Lets one loop wait until something happens. */
class Bell {
  private hasRung = false;
  private wake = (): void => undefined;

  ring(): void {
    this.hasRung = true;
    this.wake();
  }

  /** Resolves to whether it has rung since the last call, after the heartbeat interval at the latest. */
  async wait(signal: AbortSignal): Promise<boolean> {
    if (!this.hasRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, HEARTBEAT_MS);
        signal.addEventListener('abort', wake);
        this.wake = wake;
      });
    }
    const { hasRung } = this;
    this.hasRung = false;
    return hasRung;
  }
}
