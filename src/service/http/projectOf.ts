import type { Context } from 'hono';
import { LOCAL_ID } from '../../shared/protocol/localService';
import type { JobStore, Project } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError } from './httpError';

/** The project that a path names. A key that does not open it is told the same whether there is one of that name or not. */
export function projectOf(context: Context<AuthenticatedEnv>, store: Pick<JobStore, 'project'>): Project {
  const id = context.req.param('projectId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw new HttpError(404, 'There is no such project.');
  }
  if (!context.get('scope').opens(id)) {
    throw new HttpError(403, 'This key does not open this project.');
  }
  const project = store.project(id);
  if (project === undefined) {
    throw new HttpError(404, 'There is no such project.');
  }
  return project;
}

/** The id of the job that a path names. */
export function jobIdOf(context: Context<AuthenticatedEnv>): string {
  const id = context.req.param('jobId') ?? '';
  return found(LOCAL_ID.test(id) ? id : undefined);
}

/** The job, or else 404. */
export function found<T>(job: T | undefined): T {
  if (job === undefined) {
    throw new HttpError(404, 'There is no such job.');
  }
  return job;
}
