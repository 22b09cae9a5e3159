import { Hono } from 'hono';
import { once } from '../../base/async';
import type { JobEvent } from '../../protocol/localService';
import type { JobDesk } from '../jobs/jobDesk';
import type { JobStore, StoryStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { found, jobIdOf, projectOf } from './projectRoutes';
import { Followers, storyStream } from './storyStream';

/** How often a comment is sent while nothing happens, in milliseconds, so that the client knows the connection is alive. */
const HEARTBEAT_MS = 15_000;

/** A client that reads more slowly than this many jobs change is cut off; it asks for the list when it reconnects. */
const MAX_PENDING = 1000;

/**
 * Changes of jobs as server-sent events (HTML standard, 9.2), from now on. A job that changes several times before the
 * client reads is told once, as it is then, so a slow client costs little memory.
 */
export function jobEventStream(
  jobs: Pick<JobDesk, 'onJobEvent'>,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pending = new Map<string, () => JobEvent | undefined>();
  let isFirst = true;
  let isOver = false;
  let isCancelled = false;
  let wake = (): void => undefined;
  const subscription = jobs.onJobEvent((jobId, event) => {
    pending.set(jobId, event);
    wake();
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

  /** Resolves when there is something to tell, or after the time of a heartbeat. */
  const news = (): Promise<void> =>
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

  const take = (): string => {
    const events = [...pending.values()].map((event) => event()).filter((event) => event !== undefined);
    pending.clear();
    return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (signal.aborted) {
          end();
        }
        if (!isFirst) {
          await news();
        }
        if (isOver || pending.size > MAX_PENDING) {
          end();
          if (!isCancelled) {
            controller.close();
          }
          return;
        }
        // The first comment tells the client that from here on it misses nothing.
        isFirst = false;
        controller.enqueue(encoder.encode(take() || ':\n\n'));
      },
      cancel() {
        isCancelled = true;
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

const RETRY_AFTER_SECONDS = '5';

/**
 * `GET …/job/{id}/events`: the story of a job. It goes on after the event that `Last-Event-ID` names; with `follow=false`
 * it ends with what there is.
 *
 * @param ending aborts when the service ends
 */
export function eventRoutes(store: JobStore & StoryStore, ending: AbortSignal): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const followers = new Followers();

  app.get('/:projectId/job/:jobId/events', (context) => {
    const project = projectOf(context, store);
    const job = store.job(jobIdOf(context));
    const { id } = found(job?.projectId === project.id ? job : undefined);
    context.header('Content-Type', 'text/event-stream');
    if (context.req.method === 'HEAD') {
      return context.body(null);
    }
    const onEnd = followers.enter(id);
    if (onEnd === undefined) {
      const headers = { 'Retry-After': RETRY_AFTER_SECONDS };
      throw new HttpError(429, 'Too many follow this job or others already. Try again later.', headers);
    }
    const last = context.req.header('Last-Event-ID') ?? '';
    return context.body(
      storyStream(store, {
        jobId: id,
        after: /^\d{1,15}$/.test(last) ? Number(last) : 0,
        follow: context.req.query('follow') !== 'false',
        signal: AbortSignal.any([ending, context.req.raw.signal]),
        onEnd,
      }),
    );
  });
  app.all('/:projectId/job/:jobId/events', methodNotAllowed('GET, HEAD'));

  return app;
}
