import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { listOf, maxLength } from '../base/lengthChecks';
import { changesSchema, type JobChanges } from '../protocol/changes';
import { diffSchema, type ImageQuery, imageSchema, type JobDiff } from '../protocol/diff';
import { ServiceError } from '../protocol/errors';
import { parseJob, type WireJob } from '../protocol/job';
import { reviewPath } from '../protocol/localKey';
import {
  type AgentsAnswer,
  agentsAnswerSchema,
  archiveRefusalSchema,
  type HostToken,
  localRoutes,
  type MergedWork,
  mergedSchema,
  type MergeForecast,
  mergePreviewSchema,
  type MergeRequest,
  type ProjectAnswer,
  projectAnswerSchema,
  type ProjectSettings,
  type RegisteredProject,
  registeredProjectSchema,
  type RegisterProject,
  reviewLinkSchema,
  type StorageAnswer,
  storageAnswerSchema,
  type UndoneMerge,
  undoneMergeSchema,
} from '../protocol/localService';
import { routes } from '../protocol/routes';
import { toServiceError } from './answer';
import type { HttpAnswer, HttpRequest, Transport } from './transport';

/** The address of the local service, and its key. */
export interface LocalTarget {
  baseUrl: string;
  apiKey: string;
}

/** Maximum number of jobs per page of the service's list, and of pages. */
const PAGE = 200;
const MAX_PAGES = 500;

const jobPageSchema = z.object({
  jobs: listOf(z.unknown(), PAGE),
  next: z.nullable(z.string().check(maxLength(64))),
});

/** What the local service offers beyond the hosted API. Each method throws {@link ServiceError}. */
export class LocalServiceClient {
  constructor(private readonly transport: Transport) {}

  /** Registers the repository that contains a folder as a project, with its job settings. */
  registerProject(target: LocalTarget, project: RegisterProject): Promise<RegisteredProject> {
    return this.requestJson(target, 'PUT', localRoutes.projects, registeredProjectSchema, project);
  }

  /** Updates the job settings of a project; resolves to where its branches are pushed. */
  putSettings(target: LocalTarget, projectId: string, settings: ProjectSettings): Promise<ProjectAnswer> {
    return this.requestJson(target, 'PUT', localRoutes.settings(projectId), projectAnswerSchema, settings);
  }

  /** Lists the installed coding agents. */
  agents(target: LocalTarget): Promise<AgentsAnswer> {
    return this.requestJson(target, 'GET', localRoutes.agents, agentsAnswerSchema);
  }

  /** Disk usage of the job folders. */
  storage(target: LocalTarget): Promise<StorageAnswer> {
    return this.requestJson(target, 'GET', localRoutes.storage, storageAnswerSchema);
  }

  /** Gives the service a token for a Git host, kept until the service stops. */
  async setToken(target: LocalTarget, token: HostToken): Promise<void> {
    await this.request(target, 'PUT', localRoutes.tokens, token);
  }

  /** Removes the token of a Git host. */
  async removeToken(target: LocalTarget, host: string): Promise<void> {
    await this.request(target, 'DELETE', localRoutes.token(host));
  }

  /** Returns what a job has committed. */
  changes(target: LocalTarget, projectId: string, jobId: string): Promise<JobChanges> {
    return this.requestJson(target, 'GET', routes.changes(projectId, jobId), changesSchema);
  }

  /** Returns the text that a job has changed. */
  diff(target: LocalTarget, projectId: string, jobId: string): Promise<JobDiff> {
    return this.requestJson(target, 'GET', routes.diff(projectId, jobId), diffSchema);
  }

  /** Returns a picture before or after a job's changes, in Base64; null if it can't be shown. */
  async image(target: LocalTarget, projectId: string, jobId: string, query: ImageQuery): Promise<string | null> {
    const path = `${routes.image(projectId, jobId)}?${new URLSearchParams(query).toString()}`;
    return (await this.requestJson(target, 'GET', path, imageSchema)).base64;
  }

  /** The jobs of a project, newest first, read page by page. Skips invalid entries. */
  async *jobs(target: LocalTarget, projectId: string): AsyncGenerator<WireJob> {
    const first = `${routes.list(projectId)}?limit=${PAGE}`;
    const seen = new Set<string>();
    for (let path = first; seen.size < MAX_PAGES && !seen.has(path);) {
      seen.add(path);
      const { jobs, next } = await this.requestJson(target, 'GET', path, jobPageSchema);
      yield* jobs.map((job) => parseJob(job)).filter((job) => job !== undefined);
      if (next === null || jobs.length === 0) {
        break;
      }
      path = `${first}&before=${encodeURIComponent(next)}`;
    }
  }

  /** Returns a one-time URL that opens the review page of a job in a browser. */
  async reviewLink(target: LocalTarget, projectId: string, jobId: string): Promise<string> {
    const { url } = await this.requestJson(target, 'POST', routes.reviewLink(projectId, jobId), reviewLinkSchema, {});
    return ownPage(target, url, jobId);
  }

  /** Returns what merging a job's work would do now. */
  mergePreview(target: LocalTarget, projectId: string, jobId: string): Promise<MergeForecast> {
    return this.requestJson(target, 'GET', routes.merge(projectId, jobId), mergePreviewSchema);
  }

  /** Merges a job's work into the user's branch. Refused (`rejected`) if the state is no longer that of `shown`. */
  mergeJob(target: LocalTarget, projectId: string, jobId: string, shown: MergeRequest): Promise<MergedWork> {
    return this.requestJson(target, 'POST', routes.merge(projectId, jobId), mergedSchema, shown);
  }

  /** Undoes the merge of a job's work and reopens the job. */
  undoMerge(target: LocalTarget, projectId: string, jobId: string): Promise<UndoneMerge> {
    return this.requestJson(target, 'POST', routes.undoMerge(projectId, jobId), undoneMergeSchema, {});
  }

  /** Closes the review of a job without merging, or opens a closed one again. */
  async decide(target: LocalTarget, projectId: string, jobId: string, decision: 'close' | 'reopen'): Promise<void> {
    await this.request(target, 'POST', routes[decision](projectId, jobId), {});
  }

  /** Stops the current work of a job. */
  async cancelJob(target: LocalTarget, projectId: string, jobId: string): Promise<void> {
    await this.request(target, 'POST', routes.cancel(projectId, jobId), {});
  }

  /**
   * Removes the folder of an ended job. Refused (`rejected`) while the folder has work that exists nowhere else, with
   * the code `CAN_DISCARD` if `discard` would allow that work to be lost.
   */
  async archiveJob(target: LocalTarget, projectId: string, jobId: string, discard = false): Promise<void> {
    await this.request(target, 'POST', routes.archive(projectId, jobId), { discard });
  }

  /** Asks the service to stop now or, with `idle`, when it has nothing to do; resolves when it agreed. */
  async shutdown(target: LocalTarget, when: 'now' | 'idle' = 'now'): Promise<void> {
    await this.request(target, 'POST', localRoutes.shutdown, { when });
  }

  private async requestJson<T>(
    target: LocalTarget,
    method: HttpRequest['method'],
    path: string,
    schema: z.ZodMiniType<T>,
    body?: object,
  ): Promise<T> {
    const answer = await this.request(target, method, path, body);
    const parsed = schema.safeParse(decodeJson(answer.body));
    if (!parsed.success) {
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status });
    }
    return parsed.data;
  }

  private async request(
    target: LocalTarget,
    method: HttpRequest['method'],
    path: string,
    body?: object,
  ): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' };
    const request: HttpRequest = { method, url: target.baseUrl + path, headers };
    const answer = await this.transport.send(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    if (answer.status < 200 || answer.status > 299) {
      throw refusal(answer);
    }
    return answer;
  }
}

/**
 * Accepts only this job's page at the service that was asked, because the URL contains a secret for that service alone.
 */
function ownPage({ baseUrl }: LocalTarget, url: string, jobId: string): string {
  const { origin, pathname } = new URL(url);
  if (origin !== new URL(baseUrl).origin || pathname !== reviewPath(jobId)) {
    throw new ServiceError('notUnderstood', { effect: 'none' });
  }
  return url;
}

function refusal(answer: HttpAnswer): ServiceError {
  const error = toServiceError(answer, Date.now(), true);
  if (!archiveRefusalSchema.safeParse(decodeJson(answer.body)).success) {
    return error;
  }
  const { kind, effect, status, detail, coded } = error;
  return new ServiceError(kind, { effect, status, detail, coded, code: 'CAN_DISCARD' });
}
