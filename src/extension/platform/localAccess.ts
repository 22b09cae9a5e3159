import type { Logger } from '../../base/logger';
import type { LocalServiceClient, LocalTarget } from '../../client';
import type { ServiceLocation } from '../../jobs/events';
import type { JobNews } from '../../jobs/ports';
import type { ImageQuery, JobChanges, JobDiff } from '../../protocol/changes';
import { ServiceError } from '../../protocol/errors';
import type { WireJob } from '../../protocol/job';
import { DEMO_AGENT } from '../../protocol/localIds';
import type {
  AgentsAnswer,
  CodeHost,
  HostToken,
  MergedWork,
  MergeForecast,
  MergeRequest,
  RegisteredProject,
  StorageAnswer,
  UndoneMerge,
} from '../../protocol/localService';
import { settings } from '../settings';
import { type ApiKeys, redacted } from './apiKeys';
import type { CodeHostTokens } from './codeHostTokens';
import type { LocalService } from './localService';
import type { LazyClients, ServiceAccess } from './serviceAccess';

type Question<T> = (client: LocalServiceClient, target: LocalTarget) => Promise<T>;

/** Requests that only the local service supports. Each throws ServiceError. */
export class LocalAccess {
  constructor(
    private readonly parts: {
      service: LocalService;
      tokens: CodeHostTokens;
      /** Loaded for the first request. */
      client: () => Promise<LocalServiceClient>;
      keys: Pick<ApiKeys, 'redactDeep'>;
      log: Logger;
      /** Called whenever the service has answered whether an agent is available. */
      agentFound: (found: boolean) => void;
    },
  ) {}

  /** Registers a folder's repository as a project of the local service. Starts the service if needed. */
  async register(folder: string, jobs = settings.localJobs()): Promise<RegisteredProject> {
    const project = await this.ask((client, target) => client.registerProject(target, { folder, settings: jobs }));
    this.parts.agentFound(project.agent !== null);
    return project;
  }

  /** Returns which agents are installed on the machine that runs the service. */
  async agents(): Promise<AgentsAnswer> {
    const answer = await this.ask((client, target) => client.agents(target));
    const { agent, command } = settings.localJobs();
    this.parts.agentFound(answer.chosen !== null || command.length > 0 || agent === DEMO_AGENT);
    return answer;
  }

  storage(): Promise<StorageAnswer> {
    return this.ask((client, target) => client.storage(target));
  }

  /** Returns what a job has committed; undefined while the service is not running. Does not start it. */
  changes({ projectId }: ServiceLocation, jobId: string): Promise<JobChanges | undefined> {
    return this.askRunning((client, target) => client.changes(target, projectId, jobId));
  }

  /** Returns the text that a job has changed; undefined while the service is not running. Does not start it. */
  diff({ projectId }: ServiceLocation, jobId: string): Promise<JobDiff | undefined> {
    return this.askRunning((client, target) => client.diff(target, projectId, jobId));
  }

  /** Returns a picture before or after a job's changes, in Base64; null if it can't be shown. Does not start it. */
  async image({ projectId }: ServiceLocation, jobId: string, query: ImageQuery): Promise<string | null> {
    return (await this.askRunning((client, target) => client.image(target, projectId, jobId, query))) ?? null;
  }

  /** Returns the newest matching job of the project. */
  findJob({ projectId }: ServiceLocation, fits: (job: WireJob) => boolean): Promise<WireJob | undefined> {
    return this.ask(async (client, target) => {
      for await (const job of client.jobs(target, projectId)) {
        if (fits(job)) {
          return job;
        }
      }
      return undefined;
    });
  }

  /** Returns a one-time link to the review page of a job. Starts the service if needed. */
  reviewLink({ projectId }: ServiceLocation, jobId: string): Promise<string> {
    return this.ask((client, target) => client.reviewLink(target, projectId, jobId));
  }

  /** Returns what merging a job's work would do now. Starts the service if needed, like the decisions below. */
  mergePreview({ projectId }: ServiceLocation, jobId: string): Promise<MergeForecast> {
    return this.ask((client, target) => client.mergePreview(target, projectId, jobId));
  }

  /** @param shown the state that the user has agreed to */
  merge({ projectId }: ServiceLocation, jobId: string, shown: MergeRequest): Promise<MergedWork> {
    return this.ask((client, target) => client.mergeJob(target, projectId, jobId, shown));
  }

  undoMerge({ projectId }: ServiceLocation, jobId: string): Promise<UndoneMerge> {
    return this.ask((client, target) => client.undoMerge(target, projectId, jobId));
  }

  decide({ projectId }: ServiceLocation, jobId: string, decision: 'close' | 'reopen'): Promise<void> {
    return this.ask((client, target) => client.decide(target, projectId, jobId, decision));
  }

  update({ projectId }: ServiceLocation, jobId: string): Promise<void> {
    return this.ask((client, target) => client.updateJob(target, projectId, jobId));
  }

  decideUnsaved({ projectId }: ServiceLocation, jobId: string, decision: 'keep' | 'discard'): Promise<void> {
    return this.ask((client, target) => client.decideUnsaved(target, projectId, jobId, decision));
  }

  /**
   * Gives a service that was just started the settings and tokens for the jobs of these projects that continue
   * automatically.
   */
  async prepareProjects(target: LocalTarget, projectIds: readonly string[]): Promise<void> {
    try {
      await Promise.all(projectIds.map((projectId) => this.prepare(target, projectId)));
    } catch (error) {
      this.parts.log.warn('couldn’t pass all settings and tokens to the local service', error);
    }
  }

  /**
   * Sends the current settings and the token for the project's Git host to the service, which keeps no token on disk
   * and so has none after a restart. Throws ServiceError with the effect `none` if the settings might not have arrived:
   * a prompt must not run with outdated settings, such as commands that the user has just disabled.
   */
  async prepare(target: LocalTarget, projectId: string): Promise<void> {
    const { client: load, log } = this.parts;
    const client = await load();
    const host = await this.putSettings(client, target, projectId);
    try {
      if (host !== null) {
        await this.sendStoredToken(client, target, host);
      }
    } catch (error) {
      if (error instanceof ServiceError && error.effect === 'none') {
        throw error;
      }
      log.warn('the local service has no token for the Git host', error);
    }
  }

  /** Sends a token to the service if it is running; the service never asks for one. */
  sendToken(token: HostToken): Promise<void> {
    return this.askRunning((client, target) => client.setToken(target, token));
  }

  forgetToken(host: string): Promise<void> {
    return this.askRunning((client, target) => client.removeToken(target, host));
  }

  /** Stops the local service. Returns false if it was not running. */
  async stop(): Promise<boolean> {
    const { service, client } = this.parts;
    const target = await service.findRunning();
    if (target === undefined) {
      return false;
    }
    await service.markStopped();
    await (await client()).shutdown(target);
    // Otherwise the next job could be sent to a service that is shutting down.
    await service.untilGone();
    return true;
  }

  /** Returns the Git host of the project. A missing project is reported when the prompt is sent. */
  private async putSettings(
    client: LocalServiceClient,
    target: LocalTarget,
    projectId: string,
  ): Promise<CodeHost | null> {
    try {
      return (await client.putSettings(target, projectId, settings.localJobs())).host;
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'notFound') {
        return null;
      }
      throw asNothingSent(error);
    }
  }

  private async sendStoredToken(client: LocalServiceClient, target: LocalTarget, host: CodeHost): Promise<void> {
    const token = await this.parts.tokens.find(host);
    if (token !== undefined) {
      await client.setToken(target, token);
    }
  }

  private async ask<T>(question: Question<T>): Promise<T> {
    const [client, target] = await Promise.all([this.parts.client(), this.parts.service.startOrConnect()]);
    return redacted(this.parts.keys, question(client, target));
  }

  private async askRunning<T>(question: Question<T>): Promise<T | undefined> {
    const target = await this.parts.service.findRunning();
    return target && question(await this.parts.client(), target);
  }
}

/** The prompt was not sent, whatever happened to the settings. It waits and is retried. */
function asNothingSent(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.effect === 'none') {
    return error;
  }
  const { kind, status, code, detail, coded, retryAfterMs, message } = error;
  const facts = { effect: 'none', status, coded, retryAfterMs, cause: error } as const;
  return kind === 'unreachable' || kind === 'timeout' || kind === 'aborted'
    ? new ServiceError(kind, { ...facts, code, detail })
    : new ServiceError('unreachable', { ...facts, code: 'SETUP', detail: detail === '' ? message : detail });
}

/** Updates from the local service while it is running, and lists of any service of ours; nothing here starts it. */
export class LocalJobUpdates implements JobNews {
  constructor(
    private readonly local: Pick<LocalService, 'findRunning'>,
    private readonly clients: Pick<LazyClients, 'load'>,
    private readonly keys: Pick<ApiKeys, 'redactDeep'>,
    private readonly access: Pick<ServiceAccess, 'activityTarget'>,
  ) {}

  async listen(on: Parameters<JobNews['listen']>[0], signal: AbortSignal): Promise<boolean> {
    const target = await this.local.findRunning();
    if (target === undefined) {
      return false;
    }
    const { events } = await this.clients.load();
    await events.listen(target, { ...on, signal });
    return true;
  }

  async *list(location: ServiceLocation): AsyncIterable<WireJob> {
    const { projectId } = location;
    const target = await this.access.activityTarget(location);
    if (target !== undefined) {
      const { local } = await this.clients.load();
      for await (const job of local.jobs(target, projectId)) {
        yield this.keys.redactDeep(job);
      }
    }
  }

  async find({ projectId }: ServiceLocation, jobId: string, signal: AbortSignal): Promise<WireJob | undefined> {
    const target = await this.local.findRunning();
    if (target === undefined) {
      return undefined;
    }
    const { agent } = await this.clients.load();
    return agent.retrieveJob({ ...target, projectId }, jobId, { signal, attempts: 1 });
  }
}
