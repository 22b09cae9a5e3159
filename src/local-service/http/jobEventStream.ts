import { once } from '../../base/async';
import type { JobOperations } from '../jobs/jobOperations';
import type { ActivityLogStore } from '../store/jobStore';
import { activityLogStream, type FollowerLimits, Followers } from './activityLogStream';
import { HttpError } from './httpError';
import { type Handlers, requireFound } from './serveRoutes';

/**
 * Heartbeat interval of an idle stream, in milliseconds. Each heartbeat is an SSE comment that tells the client the
 * connection is alive.
 */
const HEARTBEAT_MS = 15_000;

/**
 * Maximum number of jobs with unread changes. A client that falls further behind is disconnected; it requests the job
 * list when it reconnects.
 */
const MAX_PENDING = 1000;

export type JobEvents = Pick<JobOperations, 'onJobEvent' | 'jobEvent'>;

/**
 * Streams job changes from now on as server-sent events (HTML standard, 9.2). If a job changes several times before the
 * client reads, only its latest state is sent, so a slow client costs little memory.
 */
export function jobEventStream(
  jobs: JobEvents,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pending = new Set<string>();
  let isFirst = true;
  let isOver = false;
  let isCancelled = false;
  let wake = (): void => undefined;
  const subscription = jobs.onJobEvent((jobId) => {
    if (jobId === undefined) {
      // The client requests the job list when it reconnects.
      end();
    } else {
      pending.add(jobId);
      wake();
    }
  });
  const onAbort = (): void => end();
  const end = once(() => {
    isOver = true;
    subscription.dispose();
    signal.removeEventListener('abort', onAbort);
    onEnd();
    wake();
  });
  signal.addEventListener('abort', onAbort, { once: true });

  /** Resolves when there is an event to send, or after the heartbeat interval. */
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(settle, HEARTBEAT_MS);
      wake = settle;
      if (isOver || pending.size > 0) {
        settle();
      }
    });

  const take = async (): Promise<string> => {
    const jobIds = [...pending];
    // What changes from here on is sent next time, even while this is read.
    pending.clear();
    const events = await Promise.all(jobIds.map((jobId) => jobs.jobEvent(jobId)));
    return events.map((event) => (event === undefined ? '' : `data: ${JSON.stringify(event)}\n\n`)).join('');
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (signal.aborted) {
          end();
        }
        if (!isFirst) {
          await nextChange();
        }
        if (isOver || pending.size > MAX_PENDING) {
          end();
          if (!isCancelled) {
            controller.close();
          }
          return;
        }
        // The first comment tells the client that it is subscribed and misses nothing from here on.
        isFirst = false;
        const text = await take();
        if (!isCancelled) {
          controller.enqueue(encoder.encode(text || ':\n\n'));
        }
      },
      cancel() {
        isCancelled = true;
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The activity log of a job. Resumes after the event in `Last-Event-ID`. With `follow=false` the stream ends after the
 * existing events.
 *
 * @param ending aborts when the service shuts down
 */
export function streamHandlers(store: ActivityLogStore, ending: AbortSignal, limits?: FollowerLimits): Handlers {
  const followers = new Followers(limits);
  return {
    followJob({ context, job, query }) {
      context.header('Content-Type', 'text/event-stream');
      if (context.req.method === 'HEAD') {
        return context.body(null);
      }
      const onEnd = followers.enter(job.projectId, job.id);
      if (onEnd === undefined) {
        throw new HttpError(503, 'Too many clients are following jobs. Try again later.', { 'Retry-After': '5' });
      }
      const last = context.req.header('Last-Event-ID') ?? '';
      return context.body(
        activityLogStream(store, {
          jobId: job.id,
          after: /^\d{1,15}$/.test(last) ? Number(last) : 0,
          follow: query.follow === 'true',
          isAllowed: context.get('scope').isStillValid,
          signal: AbortSignal.any([ending, context.req.raw.signal]),
          onEnd,
        }),
      );
    },
  };
}

/**
 * One editor window listens for all others, so a few listeners are enough. This leaves the other connections free for
 * requests.
 */
const MAX_LISTENERS = 4;

/**
 * Which job changed, as it happens, so that editors don't have to poll. For earlier changes, clients request the job
 * list.
 *
 * @param ending aborts when the service shuts down
 */
export function jobEventHandlers(jobs: JobEvents, ending: AbortSignal): Handlers {
  let listeners = 0;
  return {
    findJob: async ({ context }) => requireFound(await jobs.jobEvent(context.req.param('jobId') ?? '')),
    followJobs({ context }) {
      context.header('Content-Type', 'text/event-stream');
      if (context.req.method === 'HEAD') {
        return context.body(null);
      }
      if (listeners >= MAX_LISTENERS) {
        throw new HttpError(429, 'Too many clients are listening. Try again later.', { 'Retry-After': '60' });
      }
      listeners += 1;
      const signal = AbortSignal.any([ending, context.req.raw.signal]);
      return context.body(jobEventStream(jobs, { signal, onEnd: () => (listeners -= 1) }));
    },
  };
}
