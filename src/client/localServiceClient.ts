import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import type { ImageQuery, JobChanges, JobDiff } from '../protocol/changes';
import { ServiceError } from '../protocol/errors';
import { parseJob, type WireJob } from '../protocol/job';
import { reviewPath } from '../protocol/localIds';
import {
  type AgentsAnswer,
  archiveRefusalSchema,
  type HostToken,
  type JobChangedEvent,
  type MergedWork,
  type MergeForecast,
  type MergeRequest,
  type ProjectAnswer,
  type ProjectSettings,
  type RegisteredProject,
  type RegisterProject,
  type StorageAnswer,
  type UndoneMerge,
} from '../protocol/localService';
import { type PathParameters, pathOf, type Route, type RouteId, ROUTES } from '../protocol/routes';
import { type SchemaName, SCHEMAS, type Value } from '../protocol/schemas';
import { buildUrl, headers } from './agentClient';
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

const jobPageSchema = z.object({ jobs: z.array(z.unknown()), next: z.nullable(z.string()) });

type Row<Id extends RouteId> = (typeof ROUTES)[Id];
/** Path parameters, body, and query of a route. */
type Input<Id extends RouteId> = PathParameters<Id> &
  (Row<Id> extends { body: infer Name extends SchemaName } ? { body: z.input<(typeof SCHEMAS)[Name]> } : unknown) &
  (Row<Id> extends { query: infer Name extends SchemaName } ? { query: z.input<(typeof SCHEMAS)[Name]> } : unknown);
type Answer<Id extends RouteId> = Row<Id> extends { answer: infer Name extends SchemaName } ? Value<Name> : undefined;

/** What the local service offers beyond the hosted API. Each method throws {@link ServiceError}. */
export class LocalServiceClient {
  constructor(private readonly transport: Transport) {}

  /** Registers the repository that contains a folder as a project, with its job settings. */
  registerProject(target: LocalTarget, project: RegisterProject): Promise<RegisteredProject> {
    return this.read(target, 'registerProject', { body: project });
  }

  settings(target: LocalTarget, projectId: string): Promise<ProjectSettings> {
    return this.read(target, 'readSettings', { projectId });
  }

  /** Updates the job settings of a project; resolves to where its branches are pushed. */
  putSettings(target: LocalTarget, projectId: string, body: ProjectSettings): Promise<ProjectAnswer> {
    return this.read(target, 'writeSettings', { projectId, body });
  }

  /** Lists the installed coding agents. */
  agents(target: LocalTarget): Promise<AgentsAnswer> {
    return this.read(target, 'listAgents', {});
  }

  /** Disk usage of the job folders. */
  storage(target: LocalTarget): Promise<StorageAnswer> {
    return this.read(target, 'measureStorage', {});
  }

  /** Gives the service a token for a Git host, kept until the service stops. */
  async setToken(target: LocalTarget, token: HostToken): Promise<void> {
    await this.send(target, 'giveToken', { body: token });
  }

  /** Removes the token of a Git host. */
  async removeToken(target: LocalTarget, host: string): Promise<void> {
    await this.send(target, 'forgetToken', { host });
  }

  /** Returns the project of a job, and its status. */
  findJob(target: LocalTarget, jobId: string): Promise<JobChangedEvent> {
    return this.read(target, 'findJob', { jobId });
  }

  /** Returns what a job has committed. */
  changes(target: LocalTarget, projectId: string, jobId: string): Promise<JobChanges> {
    return this.read(target, 'readChanges', { projectId, jobId });
  }

  /** Returns the text that a job has changed. */
  diff(target: LocalTarget, projectId: string, jobId: string): Promise<JobDiff> {
    return this.read(target, 'readDiff', { projectId, jobId });
  }

  /** Returns a picture before or after a job's changes, in Base64; null if it can't be shown. */
  async image(target: LocalTarget, projectId: string, jobId: string, query: ImageQuery): Promise<string | null> {
    return (await this.read(target, 'readImage', { projectId, jobId, query })).base64;
  }

  /** The jobs of a project, newest first, read page by page. Skips invalid entries. */
  async *jobs(target: LocalTarget, projectId: string): AsyncGenerator<WireJob> {
    let before: string | undefined;
    for (const seen = new Set<string | undefined>(); seen.size < MAX_PAGES && !seen.has(before);) {
      seen.add(before);
      const query = { limit: String(PAGE), ...(before !== undefined && { before }) };
      const answer = await this.send(target, 'listJobs', { projectId, query });
      const { jobs, next } = parsed(answer, jobPageSchema);
      yield* jobs.map((job) => parseJob(job)).filter((job) => job !== undefined);
      if (next === null || jobs.length === 0) {
        break;
      }
      before = next;
    }
  }

  /** Returns a one-time URL that opens the review page of a job in a browser. */
  async reviewLink(target: LocalTarget, projectId: string, jobId: string): Promise<string> {
    const { url } = await this.read(target, 'openReview', { projectId, jobId });
    return ownPage(target, url, jobId);
  }

  /** Returns what merging a job's work would do now. */
  mergePreview(target: LocalTarget, projectId: string, jobId: string): Promise<MergeForecast> {
    return this.read(target, 'previewMerge', { projectId, jobId });
  }

  /** Merges a job's work into the user's branch. Refused (`rejected`) if the state is no longer that of `shown`. */
  mergeJob(target: LocalTarget, projectId: string, jobId: string, shown: MergeRequest): Promise<MergedWork> {
    return this.read(target, 'mergeJob', { projectId, jobId, body: shown });
  }

  /** Undoes the merge of a job's work and reopens the job. */
  undoMerge(target: LocalTarget, projectId: string, jobId: string): Promise<UndoneMerge> {
    return this.read(target, 'undoMerge', { projectId, jobId });
  }

  /** Closes the review of a job without merging, or opens a closed one again. */
  async decide(target: LocalTarget, projectId: string, jobId: string, decision: 'close' | 'reopen'): Promise<void> {
    await this.send(target, `${decision}Job`, { projectId, jobId });
  }

  /** Commits what an ended run of a job has left to the job's branch, or discards it. */
  async decideUnsaved(
    target: LocalTarget,
    projectId: string,
    jobId: string,
    decision: 'keep' | 'discard',
  ): Promise<void> {
    await this.send(target, `${decision}Work`, { projectId, jobId });
  }

  /** Brings the new commits of its base into a job's branch. */
  async updateJob(target: LocalTarget, projectId: string, jobId: string): Promise<void> {
    await this.send(target, 'updateJob', { projectId, jobId });
  }

  /** Stops the current work of a job. */
  async cancelJob(target: LocalTarget, projectId: string, jobId: string): Promise<void> {
    await this.send(target, 'cancelJob', { projectId, jobId });
  }

  /**
   * Removes the folder of an ended job. Refused (`rejected`) while the folder has work that exists nowhere else, with
   * the code `CAN_DISCARD` if `discard` would allow that work to be lost.
   */
  async archiveJob(target: LocalTarget, projectId: string, jobId: string, discard = false): Promise<void> {
    await this.send(target, 'archiveJob', { projectId, jobId, body: { discard } });
  }

  async unarchiveJob(target: LocalTarget, projectId: string, jobId: string): Promise<void> {
    await this.send(target, 'unarchiveJob', { projectId, jobId });
  }

  /** Asks the service to stop now or, with `idle`, when it has nothing to do; resolves when it agreed. */
  async shutdown(target: LocalTarget, when: 'now' | 'idle' = 'now'): Promise<void> {
    await this.send(target, 'shutDown', { body: { when } });
  }

  private async read<Id extends RouteId>(target: LocalTarget, id: Id, input: Input<Id>): Promise<Answer<Id>> {
    const { answer }: Route = ROUTES[id];
    const schema = SCHEMAS[answer ?? 'Empty'] as z.ZodMiniType;
    return parsed(await this.send(target, id, input), schema) as Answer<Id>;
  }

  private async send<Id extends RouteId>(target: LocalTarget, id: Id, input: Input<Id>): Promise<HttpAnswer> {
    const { body, query } = input as { body?: object; query?: Record<string, string> };
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const answer = await this.transport.send({
      method: ROUTES[id].method.toUpperCase() as HttpRequest['method'],
      url: buildUrl(target, () => pathOf(id, input)) + search,
      headers: { ...headers(target), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status < 200 || answer.status > 299) {
      throw refusal(answer);
    }
    return answer;
  }
}

function parsed<T>(answer: HttpAnswer, schema: z.ZodMiniType<T>): T {
  const result = schema.safeParse(decodeJson(answer.body));
  if (!result.success) {
    throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status });
  }
  return result.data;
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
