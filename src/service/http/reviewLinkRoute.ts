import { coded } from '../../shared/protocol/codedText';
import { Hono } from 'hono';
import type { JobStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { found, jobIdOf, projectOf } from './projectOf';
import type { ReviewAccess } from './reviewAccess';

export interface ReviewLinkParts {
  store: Pick<JobStore, 'job' | 'project'>;
  access: Pick<ReviewAccess, 'newCode'>;
  /** The address of a job's review page, which opens nothing by itself. */
  reviewLink: (jobId: string) => string;
}

/** `POST …/job/{id}/review-link`: an address that opens the review page of a job in a browser, once. */
export function reviewLinkRoute({ store, access, reviewLink }: ReviewLinkParts): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const path = '/:projectId/job/:jobId/review-link';

  app.post(path, (context) => {
    const project = projectOf(context, store);
    const job = store.job(jobIdOf(context));
    const { id, publishedCommit } = found(job?.projectId === project.id ? job : undefined);
    if (publishedCommit === null) {
      throw new HttpError(409, coded('nothingToReview'));
    }
    return context.json({ url: `${reviewLink(id)}?code=${access.newCode(id)}` });
  });
  app.all(path, methodNotAllowed('POST'));

  return app;
}
