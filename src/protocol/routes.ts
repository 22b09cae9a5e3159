import { isPathSafeId } from './status';

/** The routes of the agent job API, version 2, and of previews. Ids are percent-encoded. Each throws RangeError for an unsafe id. */
export const routes = {
  /** The next two routes exist only on the hosted service. */
  preview: (projectId: string): string => `/v1/project/preview/${segment(projectId)}`,
  updateStatus: (statusId: string): string => `/v1/project/update-status/${segment(statusId)}`,
  jobs: (projectId: string): string => `/v2/agent/${segment(projectId)}/job`,
  job: (projectId: string, jobId: string): string => `${routes.jobs(projectId)}/${segment(jobId)}`,
  /** The following routes exist only on the local service, except `messages`. */
  list: (projectId: string): string => `/v2/agent/${segment(projectId)}/jobs`,
  events: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/events`,
  changes: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/changes`,
  diff: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/diff`,
  image: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/image`,
  reviewLink: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/review-link`,
  merge: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/merge`,
  undoMerge: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/undo-merge`,
  close: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/close`,
  reopen: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/reopen`,
  cancel: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/cancel`,
  archive: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/archive`,
  messages: (projectId: string, jobId: string): string => `${routes.job(projectId, jobId)}/message`,
};

function segment(id: string): string {
  if (!isPathSafeId(id)) {
    throw new RangeError('an ID that can’t be used in a path');
  }
  return encodeURIComponent(id);
}
