import { Hono } from 'hono';
import type { JobStore, StoryStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { found, jobIdOf, projectOf } from './projectOf';
import { Followers, storyStream } from './storyStream';

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
