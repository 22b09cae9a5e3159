import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { archiveSchema, listQuerySchema, promptSchema } from '../../shared/protocol/localService';
import { ArchiveRefused } from '../runner/jobArchive';
import { type JobDesk, TooManyRequests } from '../runner/jobDesk';
import type { JobStore } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed } from './httpError';
import { found, jobIdOf, projectOf } from './projectOf';
import { readJson, readOptionalJson } from './readJson';

/**
 * The agent job API, version 2, under `/v2/agent`, and what this service has beyond it. Checks come in this order: method,
 * project, job, body, limit.
 */
export function jobRoutes(desk: JobDesk, store: Pick<JobStore, 'project'>): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();

  app.post('/:projectId/job', async (context) => {
    const project = projectOf(context, store);
    const prompt = await readPrompt(context);
    return context.json(await limited(() => desk.createJob(project, prompt)), 201);
  });
  app.all('/:projectId/job', methodNotAllowed('POST'));

  app.get('/:projectId/jobs', (context) => {
    const project = projectOf(context, store);
    const query = z.safeParse(listQuerySchema, context.req.query());
    if (!query.success) {
      throw new HttpError(400, '“limit” must be a whole number from 1 to 200, and “before” the id of a job.');
    }
    return context.json(desk.listJobs(project, Number(query.data.limit), query.data.before));
  });
  app.all('/:projectId/jobs', methodNotAllowed('GET, HEAD'));

  app.get('/:projectId/job/:jobId', (context) => {
    const project = projectOf(context, store);
    return context.json(found(desk.retrieveJob(project, jobIdOf(context))));
  });
  app.all('/:projectId/job/:jobId', methodNotAllowed('GET, HEAD'));

  app.post('/:projectId/job/:jobId/message', async (context) => {
    const project = projectOf(context, store);
    const jobId = jobIdOf(context);
    found(desk.retrieveJob(project, jobId));
    const prompt = await readPrompt(context);
    return context.json(found(await limited(() => desk.sendMessage(project, jobId, prompt))));
  });
  app.all('/:projectId/job/:jobId/message', methodNotAllowed('POST'));

  app.post('/:projectId/job/:jobId/cancel', async (context) => {
    const project = projectOf(context, store);
    return context.json(found(await desk.cancelJob(project, jobIdOf(context))));
  });
  app.all('/:projectId/job/:jobId/cancel', methodNotAllowed('POST'));

  app.post('/:projectId/job/:jobId/archive', async (context) => {
    const project = projectOf(context, store);
    const jobId = jobIdOf(context);
    found(desk.retrieveJob(project, jobId));
    const body = z.safeParse(archiveSchema, await readOptionalJson(context));
    if (!body.success) {
      throw new HttpError(400, 'The body must be empty, or an object in which “discard” is true or false.');
    }
    return context.json(found(await allowed(() => desk.archiveJob(project, jobId, body.data.discard))));
  });
  app.all('/:projectId/job/:jobId/archive', methodNotAllowed('POST'));

  return app;
}

async function readPrompt(context: Context<AuthenticatedEnv>): Promise<string> {
  const parsed = z.safeParse(promptSchema, await readJson(context));
  if (!parsed.success) {
    throw new HttpError(400, 'The body must be an object with a “prompt” that is a text and not empty.');
  }
  return parsed.data.prompt;
}

async function limited<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyRequests) {
      throw new HttpError(429, error.coded, { 'Retry-After': String(error.retryAfterSeconds) });
    }
    throw error;
  }
}

async function allowed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveRefused) {
      throw new HttpError(409, error.coded, {}, error.canDiscard ? { canDiscard: true } : {});
    }
    throw error;
  }
}
