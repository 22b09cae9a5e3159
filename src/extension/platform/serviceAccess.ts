import * as vscode from 'vscode';
import { systemClock } from '../../base/async';
import type { Disposable } from '../../base/disposable';
import type { Redactor } from '../../base/redact';
import type {
  AgentClient,
  JobEventsClient,
  LocalServiceClient,
  NetworkSettings,
  Preview,
  PreviewStatus,
  Target,
  Transport,
} from '../../client';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import type { JobApi, ServiceConnection } from '../../jobs/ports';
import { ServiceError } from '../../protocol/errors';
import type { WireJob } from '../../protocol/job';
import { type ApiKeys, DEFAULT_ORIGIN, redacted } from './apiKeys';
import { parseBaseUrl } from './baseUrl';
import type { LocalAccess } from './localAccess';
import type { LocalService } from './localService';

export interface Clients {
  agent: JobRequests;
  local: LocalServiceClient;
  events: JobEventsClient;
  transport: Transport;
}

/** The clients that share one transport, loaded for the first request. */
export class LazyClients implements Disposable {
  private clients: Promise<Clients> | undefined;

  constructor(
    private readonly keys: ApiKeys,
    private readonly network: () => NetworkSettings,
  ) {}

  load(): Promise<Clients> {
    this.clients ??= import('../../client').then((parts) => {
      const { AgentClient, DEFAULT_TIMEOUTS, JobEventsClient, LocalServiceClient, Transport } = parts;
      const transport = new Transport(DEFAULT_TIMEOUTS, this.network);
      const agent = new AgentClient({ clock: systemClock, random: Math.random, transport });
      const events = new JobEventsClient();
      return { agent: redactingClient(agent, this.keys), local: new LocalServiceClient(transport), events, transport };
    });
    return this.clients;
  }

  dispose(): void {
    void this.clients?.then(({ agent, events }) => Promise.all([agent.dispose(), events.dispose()]));
  }
}

/** The requests of {@link AgentClient} that return text from a service. */
export type JobRequests = Pick<AgentClient, 'createJob' | 'sendMessage' | 'retrieveJob' | 'dispose'>;

/**
 * Redacts keys that a service repeats, in any field or error. All text from a service passes through this client, so
 * keys do not reach records, the list, notifications or the clipboard.
 */
export function redactingClient(client: JobRequests, keys: Pick<ApiKeys, 'redactDeep'>): JobRequests {
  const answered = (asking: Promise<WireJob>): Promise<WireJob> => redacted(keys, asking);
  return {
    createJob: (...request) => answered(client.createJob(...request)),
    sendMessage: (...request) => answered(client.sendMessage(...request)),
    retrieveJob: (...request) => answered(client.retrieveJob(...request)),
    dispose: () => client.dispose(),
  };
}

/** An id that no service assigns: requesting it tests a key and can create nothing. */
const UNLIKELY_JOB = 'docs-agent-jobs-connection-check';

/** What a connection check proved. */
export type Proof = 'answered' | 'read';

/** Combines client, keys and local service: the only place that decides which key is sent to which address. */
export class ServiceAccess implements JobApi {
  constructor(
    private readonly keys: ApiKeys,
    private readonly local: LocalService,
    private readonly clients: LazyClients,
    private readonly localAccess: LocalAccess,
  ) {}

  async open(location: ServiceLocation): Promise<ServiceConnection> {
    const [{ agent }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    if (location.service === LOCAL_SERVICE) {
      await this.localAccess.prepare(target, location.projectId);
    }
    return {
      create: (prompt) => agent.createJob(target, prompt),
      message: (jobId, prompt) => agent.sendMessage(target, jobId, prompt),
    };
  }

  async probe(location: ServiceLocation): Promise<void> {
    const [{ agent }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    try {
      await agent.retrieveJob(target, UNLIKELY_JOB, { attempts: 1 });
    } catch (error) {
      if (!(error instanceof ServiceError && error.effect === 'refused')) {
        throw error;
      }
    }
  }

  async retrieve(location: ServiceLocation, jobId: string, signal: AbortSignal): Promise<WireJob> {
    const isLocal = location.service === LOCAL_SERVICE;
    const finding = isLocal ? this.local.connect() : this.target(location);
    const [{ agent }, found] = await Promise.all([this.clients.load(), finding]);
    const target = { ...found, projectId: location.projectId, isLocal };
    return agent.retrieveJob(target, jobId, { signal, attempts: 1 });
  }

  /** Like `retrieve`, with retries, for a user who waits for the answer. */
  async lookUp(location: ServiceLocation, jobId: string): Promise<WireJob> {
    const [{ agent }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    return agent.retrieveJob(target, jobId, attemptsAt(location, 3));
  }

  /**
   * Requests a job with this key or the stored one: a known job of that project, or one that can't exist. Never sends a
   * prompt. Resolves to `read` if the job was returned, so that key, project and read permission are valid, or to
   * `answered` if the service did not reject the key. Throws ServiceError otherwise.
   */
  async check(
    location: ServiceLocation,
    options: { key?: string | undefined; jobId?: string | undefined } = {},
  ): Promise<Proof> {
    const [{ agent }, target] = await Promise.all([this.clients.load(), this.target(location, options.key)]);
    try {
      await agent.retrieveJob(target, options.jobId ?? UNLIKELY_JOB, attemptsAt(location, 2));
      return options.jobId === undefined ? 'answered' : 'read';
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'notFound' && error.effect === 'refused') {
        return 'answered';
      }
      throw error;
    }
  }

  /** Returns where to follow the activity of a job; undefined if the service has no such log or is not running. */
  async activityTarget(location: ServiceLocation): Promise<Target | undefined> {
    if (location.service === LOCAL_SERVICE) {
      const target = await this.local.findRunning();
      return target && { ...target, projectId: location.projectId };
    }
    return location.service === DEFAULT_ORIGIN ? undefined : this.target(location);
  }

  /** Stops the current work of a job. Starts the local service if needed, as below. */
  async cancel(location: ServiceLocation, jobId: string): Promise<void> {
    const [{ local }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    await redacted(this.keys, local.cancelJob(target, location.projectId, jobId));
  }

  /** @param discard also discard work that is in no branch */
  async archive(location: ServiceLocation, jobId: string, discard: boolean): Promise<void> {
    const [{ local }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    await redacted(this.keys, local.archiveJob(target, location.projectId, jobId, discard));
  }

  async unarchive(location: ServiceLocation, jobId: string): Promise<void> {
    const [{ local }, target] = await Promise.all([this.clients.load(), this.target(location)]);
    await redacted(this.keys, local.unarchiveJob(target, location.projectId, jobId));
  }

  /** Asks a hosted service to build a preview of a branch. */
  async startPreview(location: ServiceLocation, branch: string, signal: AbortSignal): Promise<Preview> {
    const [client, { transport }, target] = await this.hosted(location);
    return redacted(this.keys, client.startPreview(transport, target, branch, signal));
  }

  async previewStatus(location: ServiceLocation, statusId: string, signal: AbortSignal): Promise<PreviewStatus> {
    const [client, { transport }, target] = await this.hosted(location);
    return redacted(this.keys, client.readPreviewStatus(transport, target, statusId, signal));
  }

  private hosted(location: ServiceLocation): Promise<[typeof import('../../client'), Clients, Target]> {
    return Promise.all([import('../../client'), this.clients.load(), this.target(location)]);
  }

  /** Throws ServiceError of kind `unauthorized` if there is no key, before anything is sent. */
  private async target(location: ServiceLocation, key?: string): Promise<Target> {
    if (location.service === LOCAL_SERVICE) {
      return { ...(await this.local.startOrConnect()), projectId: location.projectId, isLocal: true };
    }
    const url = parseBaseUrl(location.baseUrl ?? '');
    if ('problem' in url || url.origin !== location.service) {
      // A manipulated record must not send the key of one origin to another.
      throw new ServiceError('notUnderstood', { effect: 'none', code: 'BASE_URL' });
    }
    const apiKey = key ?? (await this.keys.get(location.service));
    if (apiKey === undefined) {
      throw new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
    }
    this.keys.addSecret(apiKey);
    return { baseUrl: url.baseUrl, projectId: location.projectId, apiKey };
  }
}

/**
 * Returns VS Code's current settings for proxies and certificate authorities, with the environment as the fallback
 * (https://code.visualstudio.com/docs/setup/network). `http.proxyStrictSSL` is ignored, because it would disable
 * certificate verification. Credentials are added to the redactor.
 */
export function proxySettings(redactor: Redactor, env: NodeJS.ProcessEnv = process.env): NetworkSettings {
  const http = vscode.workspace.getConfiguration('http');
  const text = (name: string): string => {
    const value = http.get<unknown>(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const listed = http.get<unknown>('noProxy');
  const noProxy = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  const inherited = [env['https_proxy'], env['HTTPS_PROXY'], env['http_proxy'], env['HTTP_PROXY']];
  const proxy = text('proxy') || (inherited.find((each) => each !== undefined && each !== '') ?? '');
  const proxyAuthorization = text('proxyAuthorization') || undefined;
  hide(redactor, proxy, proxyAuthorization);
  return {
    proxy: text('proxySupport') === 'off' ? '' : proxy,
    noProxy: noProxy.length > 0 ? noProxy : (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(','),
    proxyAuthorization,
    systemCertificates: http.get<unknown>('systemCertificates') !== false,
  };
}

function hide(redactor: Redactor, proxy: string, authorization: string | undefined): void {
  const login = /^(?:[a-z0-9+.-]+:\/\/)?([^/]*)@/i.exec(proxy)?.[1] ?? '';
  const password = login.slice(login.indexOf(':') + 1);
  for (const secret of [login, password, authorization?.replace(/^\S+\s+/, '') ?? '']) {
    redactor.add(secret);
    redactor.add(decoded(secret));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Another program may have taken the port of a local service that has ended, and must not get its key. */
function attemptsAt({ service }: ServiceLocation, attempts: number): { attempts: number } {
  return { attempts: service === LOCAL_SERVICE ? 1 : attempts };
}
