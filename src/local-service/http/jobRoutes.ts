import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { GitError } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { imageQuerySchema } from '../../protocol/diff';
import { archiveSchema, listQuerySchema, promptSchema } from '../../protocol/localService';
import { ArchiveRefused } from '../jobs/jobArchive';
import { type JobOperations, TooManyRequests } from '../jobs/jobOperations';
import type { ReviewReader } from '../review/reviewReader';
import type { Job, JobStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed, readJson, readOptionalJson } from './httpError';
import { type JobEvents, jobEventStream } from './jobEventStream';
import { requireFound, requireJob, requireJobId, requireProject } from './projectRoutes';
import type { ReviewAccess } from './reviewAccess';

/**
 * The agent job API, version 2, under `/v2/agent`, and this service's extensions of it. Checks run in this order:
 * method, project, job, body, limit.
 */
export function jobRoutes(desk: JobOperations, store: Pick<JobStore, 'project'>): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();

  app.post('/:projectId/job', async (context) => {
    const project = await requireProject(context, store);
    const prompt = await readPrompt(context);
    return context.json(await withRateLimitErrors(() => desk.createJob(project, prompt)), 201);
  });
  app.all('/:projectId/job', methodNotAllowed('POST'));

  app.get('/:projectId/jobs', async (context) => {
    const project = await requireProject(context, store);
    const query = z.safeParse(listQuerySchema, context.req.query());
    if (!query.success) {
      throw new HttpError(400, '“limit” must be a whole number from 1 to 200, and “before” the id of a job.');
    }
    return context.json(await desk.listJobs(project, Number(query.data.limit), query.data.before));
  });
  app.all('/:projectId/jobs', methodNotAllowed('GET, HEAD'));

  app.get('/:projectId/job/:jobId', async (context) => {
    const project = await requireProject(context, store);
    return context.json(requireFound(await desk.retrieveJob(project, requireJobId(context))));
  });
  app.all('/:projectId/job/:jobId', methodNotAllowed('GET, HEAD'));

  app.post('/:projectId/job/:jobId/message', async (context) => {
    const project = await requireProject(context, store);
    const jobId = requireJobId(context);
    requireFound(await desk.retrieveJob(project, jobId));
    const prompt = await readPrompt(context);
    return context.json(requireFound(await withRateLimitErrors(() => desk.sendMessage(project, jobId, prompt))));
  });
  app.all('/:projectId/job/:jobId/message', methodNotAllowed('POST'));

  app.post('/:projectId/job/:jobId/cancel', async (context) => {
    const project = await requireProject(context, store);
    return context.json(requireFound(await desk.cancelJob(project, requireJobId(context))));
  });
  app.all('/:projectId/job/:jobId/cancel', methodNotAllowed('POST'));

  app.post('/:projectId/job/:jobId/archive', async (context) => {
    const project = await requireProject(context, store);
    const jobId = requireJobId(context);
    requireFound(await desk.retrieveJob(project, jobId));
    const body = z.safeParse(archiveSchema, await readOptionalJson(context));
    if (!body.success) {
      throw new HttpError(400, 'The body must be empty, or an object in which “discard” is true or false.');
    }
    return context.json(
      requireFound(await withArchiveErrors(() => desk.archiveJob(project, jobId, body.data.discard))),
    );
  });
  app.all('/:projectId/job/:jobId/archive', methodNotAllowed('POST'));

  return app;
}

async function readPrompt(context: Context<AuthenticatedEnv>): Promise<string> {
  const parsed = z.safeParse(promptSchema, await readJson(context));
  if (!parsed.success) {
    throw new HttpError(400, 'The body must be an object with a “prompt” that is a non-empty string.');
  }
  return parsed.data.prompt;
}

async function withRateLimitErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyRequests) {
      throw new HttpError(429, error.coded, { 'Retry-After': String(error.retryAfterSeconds) });
    }
    throw error;
  }
}

async function withArchiveErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveRefused) {
      throw new HttpError(409, error.coded, {}, error.canDiscard ? { canDiscard: true } : {});
    }
    throw error;
  }
}

/** How long git may take, in milliseconds. Shorter than a client's timeout. */
const LIMIT_MS = 20_000;

/** What a job has changed: `GET …/job/{id}/changes` (which files), `…/diff` (the text) and `…/image` (a picture). */
export function changesRoute(
  store: Pick<JobStore, 'job' | 'project'>,
  desk: Pick<ReviewReader, 'changes' | 'diff' | 'image'>,
): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const job = '/:projectId/job/:jobId';

  /** Gives git as long as a client waits. */
  const read = async <T>(
    context: Context<AuthenticatedEnv>,
    action: (job: Job, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const own = await requireJob(context, store);
    const late = AbortSignal.timeout(LIMIT_MS);
    try {
      return await action(own, AbortSignal.any([late, context.req.raw.signal]));
    } catch (error) {
      if (error instanceof GitError) {
        throw new HttpError(409, coded('changesNotRead', { words: error.message }));
      }
      if (late.aborted) {
        throw new HttpError(409, coded('changesTookTooLong'));
      }
      throw error;
    }
  };

  app.get(`${job}/changes`, async (context) =>
    context.json(await read(context, (own, signal) => desk.changes(own, signal))),
  );
  app.get(`${job}/diff`, async (context) => context.json(await read(context, (own, signal) => desk.diff(own, signal))));
  app.get(`${job}/image`, async (context) => {
    const query = z.safeParse(imageQuerySchema, context.req.query());
    if (!query.success) {
      throw new HttpError(400, '“path” must be the path of a file, and “of” must be “base” or “commit”.');
    }
    return context.json({ base64: await read(context, (own, signal) => desk.image(own, query.data, signal)) });
  });
  for (const route of ['changes', 'diff', 'image']) {
    app.all(`${job}/${route}`, methodNotAllowed('GET, HEAD'));
  }

  return app;
}

/**
 * One editor window listens for all others, so a few listeners are enough. This leaves the other connections free for
 * requests.
 */
const MAX_LISTENERS = 4;
const RETRY_AFTER_SECONDS = '60';

/**
 * `GET /local/events`: reports which job changed, as it happens, so that editors don't have to poll. For earlier
 * changes, clients request the job list.
 *
 * @param ending aborts when the service shuts down
 */
export function jobEventsRoute(jobs: JobEvents, ending: AbortSignal): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  let listeners = 0;

  app.get('/', (context) => {
    context.header('Content-Type', 'text/event-stream');
    if (context.req.method === 'HEAD') {
      return context.body(null);
    }
    if (listeners >= MAX_LISTENERS) {
      throw new HttpError(429, 'Too many clients are listening. Try again later.', {
        'Retry-After': RETRY_AFTER_SECONDS,
      });
    }
    listeners += 1;
    const signal = AbortSignal.any([ending, context.req.raw.signal]);
    return context.body(jobEventStream(jobs, { signal, onEnd: () => (listeners -= 1) }));
  });
  app.all('/', methodNotAllowed('GET, HEAD'));

  return app;
}

export interface ReviewLinkParts {
  store: Pick<JobStore, 'job' | 'project'>;
  access: Pick<ReviewAccess, 'newCode'>;
  /** The URL of a job's review page, which grants no access by itself. */
  reviewLink: (jobId: string) => string;
}

/** `POST …/job/{id}/review-link`: returns a one-time URL that opens a job's review page in a browser. */
export function reviewLinkRoute({ store, access, reviewLink }: ReviewLinkParts): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const path = '/:projectId/job/:jobId/review-link';

  app.post(path, async (context) => {
    const { id, publishedCommit } = await requireJob(context, store);
    if (publishedCommit === null) {
      throw new HttpError(409, coded('nothingToReview'));
    }
    return context.json({ url: `${reviewLink(id)}?code=${access.newCode(id)}` });
  });
  app.all(path, methodNotAllowed('POST'));

  return app;
}
