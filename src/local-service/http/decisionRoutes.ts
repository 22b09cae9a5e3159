import { Hono } from 'hono';
import * as z from 'zod/mini';
import { mergeRequestSchema } from '../../protocol/localService';
import { toEnglish } from '../codedText';
import { type JobOperations, TooManyRequests } from '../jobs/jobOperations';
import { MergeRefusal } from '../review/mergeTarget';
import type { ReviewActions } from '../review/reviewActions';
import type { JobStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed, readJson } from './httpError';
import { requireFound, requireJob, requireProject } from './projectRoutes';

export interface DecisionParts {
  store: Pick<JobStore, 'job' | 'project'>;
  jobs: Pick<JobOperations, 'retrieveJob'>;
  actions: Pick<ReviewActions, 'preview' | 'merge' | 'undoMerge' | 'close' | 'reopen'>;
}

/** `…/job/{id}/merge`, `/undo-merge`, `/close` and `/reopen`: what the user decides about a job's work without its review page. */
export function decisionRoutes({ store, jobs, actions }: DecisionParts): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();
  const base = '/:projectId/job/:jobId';

  app.get(`${base}/merge`, async (context) => {
    const job = await requireJob(context, store);
    const { text, ...state } = await withReviewErrors(() => actions.preview(job));
    return context.json({ ...state, text: toEnglish(text), coded: text });
  });
  app.post(`${base}/merge`, async (context) => {
    const job = await requireJob(context, store);
    const request = z.safeParse(mergeRequestSchema, await readJson(context));
    if (!request.success) {
      throw new HttpError(400, 'The body must be an object with “commit”, “into” and “head”, as `GET` returned them.');
    }
    const { branch, deleted } = await withReviewErrors(() => actions.merge(job, request.data));
    return context.json({ branch, deleted });
  });
  app.all(`${base}/merge`, methodNotAllowed('GET, HEAD, POST'));

  app.post(`${base}/undo-merge`, async (context) => {
    const job = await requireJob(context, store);
    return context.json(await withReviewErrors(() => actions.undoMerge(job)));
  });
  app.all(`${base}/undo-merge`, methodNotAllowed('POST'));

  for (const decision of ['close', 'reopen'] as const) {
    app.post(`${base}/${decision}`, async (context) => {
      const job = await requireJob(context, store);
      await withReviewErrors(() => actions[decision](job));
      return context.json(requireFound(await jobs.retrieveJob(await requireProject(context, store), job.id)));
    });
    app.all(`${base}/${decision}`, methodNotAllowed('POST'));
  }

  return app;
}

/** Turns a refusal of the review actions into an HTTP error. */
export async function withReviewErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MergeRefusal) {
      throw new HttpError(409, error.coded);
    }
    if (error instanceof TooManyRequests) {
      throw new HttpError(429, error.coded, { 'Retry-After': String(error.retryAfterSeconds) });
    }
    throw error;
  }
}
