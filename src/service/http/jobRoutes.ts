import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { LOCAL_ID } from '../../shared/protocol/localService';
import { type JobDesk, TooManyRequests } from '../runner/jobDesk';
import type { JobStore, Project } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpRefusal } from './httpRefusal';
import { onlyMethod } from './onlyMethod';
import { readJson } from './readJson';

const promptSchema = z.object({ prompt: z.string().check(z.minLength(1)) });

/** The agent job API, version 2, under `/v2/agent`. Checks come in this order: method, project, job, body, limit. */
export function jobRoutes(desk: JobDesk, store: Pick<JobStore, 'project'>): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();

  app.post('/:projectId/job', async (context) => {
    const project = projectOf(context, store);
    const prompt = await readPrompt(context);
    return context.json(await limited(() => desk.createJob(project, prompt)), 201);
  });
  app.all('/:projectId/job', onlyMethod('POST'));

  app.get('/:projectId/job/:jobId', (context) => {
    const project = projectOf(context, store);
    return context.json(found(desk.retrieveJob(project, jobIdOf(context))));
  });
  app.all('/:projectId/job/:jobId', onlyMethod('GET, HEAD'));

  app.post('/:projectId/job/:jobId/message', async (context) => {
    const project = projectOf(context, store);
    const jobId = jobIdOf(context);
    found(desk.retrieveJob(project, jobId));
    const prompt = await readPrompt(context);
    return context.json(found(await limited(() => desk.sendMessage(project, jobId, prompt))));
  });
  app.all('/:projectId/job/:jobId/message', onlyMethod('POST'));

  return app;
}

/** A key that does not open a project is told the same whether there is one of that name or not. */
function projectOf(context: Context<AuthenticatedEnv>, store: Pick<JobStore, 'project'>): Project {
  const id = context.req.param('projectId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw new HttpRefusal(404, 'There is no such project.');
  }
  if (!context.get('door').opens(id)) {
    throw new HttpRefusal(403, 'This key does not open this project.');
  }
  const project = store.project(id);
  if (project === undefined) {
    throw new HttpRefusal(404, 'There is no such project.');
  }
  return project;
}

function jobIdOf(context: Context<AuthenticatedEnv>): string {
  const id = context.req.param('jobId') ?? '';
  return found(LOCAL_ID.test(id) ? id : undefined);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new HttpRefusal(404, 'There is no such job.');
  }
  return value;
}

async function readPrompt(context: Context<AuthenticatedEnv>): Promise<string> {
  const parsed = z.safeParse(promptSchema, await readJson(context));
  if (!parsed.success) {
    throw new HttpRefusal(400, 'The body must be an object with a “prompt” that is a text and not empty.');
  }
  return parsed.data.prompt;
}

async function limited<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyRequests) {
      throw new HttpRefusal(429, error.message, { 'Retry-After': String(error.retryAfterSeconds) });
    }
    throw error;
  }
}
