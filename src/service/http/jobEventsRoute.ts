import { Hono } from 'hono';
import type { JobDesk } from '../runner/jobDesk';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { jobEventStream } from './jobEventStream';

/** One editor window listens for all others, so a few listeners are enough; the other connections stay free for requests. */
const MAX_LISTENERS = 4;
const RETRY_AFTER_SECONDS = '60';

/**
 * `GET /local/events`: says which job changed, as it happens, so that editors needn't poll. What changed before is asked
 * for with the list of jobs.
 *
 * @param ending aborts when the service ends
 */
export function jobEventsRoute(jobs: Pick<JobDesk, 'onJobEvent'>, ending: AbortSignal): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  let listeners = 0;

  app.get('/', (context) => {
    context.header('Content-Type', 'text/event-stream');
    if (context.req.method === 'HEAD') {
      return context.body(null);
    }
    if (listeners >= MAX_LISTENERS) {
      throw new HttpError(429, 'Too many listen already. Try again later.', { 'Retry-After': RETRY_AFTER_SECONDS });
    }
    listeners += 1;
    const signal = AbortSignal.any([ending, context.req.raw.signal]);
    return context.body(jobEventStream(jobs, { signal, onEnd: () => (listeners -= 1) }));
  });
  app.all('/', methodNotAllowed('GET, HEAD'));

  return app;
}
