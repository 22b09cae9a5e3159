import { coded } from '../../shared/protocol/codedText';
import { Hono } from 'hono';
import { GitError } from '../../git/git';
import type { ReviewDesk } from '../review/reviewDesk';
import type { JobStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { found, jobIdOf, projectOf } from './projectOf';

/** How long git may take, in milliseconds: less than a client waits for an answer. */
const LIMIT_MS = 20_000;

/** `GET …/job/{id}/changes`: which files a job has changed, by how many lines. */
export function changesRoute(
  store: Pick<JobStore, 'job' | 'project'>,
  desk: Pick<ReviewDesk, 'changes'>,
): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const path = '/:projectId/job/:jobId/changes';

  app.get(path, async (context) => {
    const project = projectOf(context, store);
    const job = store.job(jobIdOf(context));
    const own = found(job?.projectId === project.id ? job : undefined);
    const late = AbortSignal.timeout(LIMIT_MS);
    try {
      return context.json(await desk.changes(own, AbortSignal.any([late, context.req.raw.signal])));
    } catch (error) {
      if (error instanceof GitError) {
        throw new HttpError(409, coded('changesNotRead', { words: error.message }));
      }
      if (late.aborted) {
        throw new HttpError(409, coded('changesTookTooLong'));
      }
      throw error;
    }
  });
  app.all(path, methodNotAllowed('GET, HEAD'));

  return app;
}
