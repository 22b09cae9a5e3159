import type { JobOperations } from '../jobs/jobOperations';
import { type Handlers, requireFound } from './serveRoutes';

/** The agent job API, version 2, and the extensions of it that every service of ours has. */
export function jobHandlers(jobs: JobOperations): Handlers {
  return {
    createJob: ({ project, body }) => jobs.createJob(project, body.prompt),
    retrieveJob: ({ job }) => jobs.describe(job),
    sendMessage: async ({ project, job, body }) => requireFound(await jobs.sendMessage(project, job.id, body.prompt)),
    listJobs: ({ project, query }) => jobs.listJobs(project, Number(query.limit), query.before),
    cancelJob: async ({ job }) => requireFound(await jobs.cancelJob(job.id)),
    archiveJob: async ({ job, body }) => requireFound(await jobs.archiveJob(job.id, body.discard)),
  };
}
