import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from '../../base/logger';
import type { JobOperations } from '../jobs/jobOperations';
import { reviewActions, type ReviewPorts } from '../review/reviewActions';
import type { EndedWork } from '../jobs/endedWork';
import type { ReviewReader } from '../review/reviewReader';
import type { JobStore, ActivityLogStore } from '../store/jobStore';
import { type AuthenticatedEnv, authentication, isFromPage, type Keys } from './authentication';
import { HttpError, isDiskFull, toHttpError } from './httpError';
import { activityHandlers, jobEventHandlers } from './eventStreams';
import { changesHandlers, decisionHandlers, localHandlers, type LocalParts } from './localHandlers';
import type { DescribedService } from './openApi';
import type { ReviewAccess } from './reviewAccess';
import { reviewRoute } from './reviewRoute';
import { methodNotAllowed, serveRoutes, type Handlers, requireFound } from './serveRoutes';

export interface AppParts {
  keys: Keys;
  store: JobStore & ActivityLogStore;
  jobs: JobOperations;
  local: LocalParts;
  reviews: ReviewReader;
  access: ReviewAccess;
  /** The URL of a job's review page, which grants no access by itself. */
  reviewLink: (jobId: string) => string;
  merges: Omit<ReviewPorts, 'store'>;
  unsaved: EndedWork;
  log: Logger;
  /** Aborts when the service shuts down. */
  ending: AbortSignal;
}

/** Creates all routes. `listen` has already checked the host of each request. */
export function createApp(parts: AppParts): Hono {
  const { store, jobs, reviews, access } = parts;
  const actions = reviewActions({ ...parts.merges, store });
  const newReviewLink = (jobId: string): string => `${parts.reviewLink(jobId)}?code=${access.newCode(jobId)}`;
  const authenticated = new Hono<AuthenticatedEnv>();
  authenticated.use(authentication(parts.keys));
  serveRoutes(authenticated, store, {
    ...jobHandlers(jobs),
    ...activityHandlers(store, parts.ending),
    ...changesHandlers(reviews),
    ...decisionHandlers(jobs, actions, parts.unsaved, newReviewLink),
    ...localHandlers(parts.local),
    ...jobEventHandlers(jobs, parts.ending),
  });
  // Covers unknown paths too: without a key, no one can find out which ones exist.
  authenticated.all('*', notFound);

  const app = new Hono();
  app.use(secureHeaders);
  app.route('/review', reviewRoute({ store, reviews, access }));
  app.all('/review/*', notFound);
  app.route('/openapi.json', openApiRoute());
  app.route('/', authenticated);
  app.onError((error, context) => answerError(error, context, parts.log));
  return app;
}

export const secureHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cache-Control', 'no-store');
};

/**
 * The OpenAPI document. Needs no key, because the tools that read it have none. It reveals nothing that is not in this
 * program's source.
 */
export function openApiRoute(service?: DescribedService): Hono {
  const app = new Hono();
  app.get('/', async (context) => {
    if (isFromPage((name) => context.req.header(name))) {
      throw new HttpError(403, 'Requests from web pages are refused.');
    }
    return context.json((await import('./openApi')).openApiDocument(service));
  });
  app.all('/', methodNotAllowed('GET, HEAD'));
  return app;
}

export function notFound(): never {
  throw new HttpError(404, 'Not found.');
}

export function answerError(thrown: Error, context: Context, log: Logger): Response {
  const error = toHttpError(thrown);
  if (error instanceof HttpError) {
    const { message, coded, more } = error;
    return context.json({ error: message, ...(coded && { coded }), ...more }, error.status, error.headers);
  }
  log.error(`${context.req.method} failed`, error);
  if (isDiskFull(error)) {
    // Clients treat 507 as a refusal. After a 500 they would have to assume that a job may have been created.
    return context.json({ error: 'The disk is full, so nothing was saved. Free up space, then try again.' }, 507);
  }
  return context.json({ error: 'Internal error. See the log of the service.' }, 500);
}

/** The agent job API, version 2, and the extensions of it that every service of ours has. */
export function jobHandlers(jobs: JobOperations): Handlers {
  return {
    createJob: ({ project, body }) => jobs.createJob(project, body.prompt),
    retrieveJob: ({ job }) => jobs.answer(job),
    sendMessage: async ({ project, job, body }) => requireFound(await jobs.sendMessage(project, job.id, body.prompt)),
    listJobs: ({ project, query }) => jobs.listJobs(project, Number(query.limit), query.before),
    cancelJob: async ({ job }) => requireFound(await jobs.cancelJob(job.id)),
    archiveJob: async ({ job, body }) => requireFound(await jobs.archiveJob(job.id, body.discard)),
    unarchiveJob: async ({ job }) => requireFound(await jobs.unarchiveJob(job.id)),
  };
}
