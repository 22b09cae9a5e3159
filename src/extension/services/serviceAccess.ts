import type { LocalServiceClient, NetworkSettings, Target } from '../../client';
import type { RegisteredProject } from '../../shared/protocol/localService';
import { LOCAL_SERVICE, type Home } from '../../jobs/events';
import type { JobApi, OpenLine } from '../../jobs/ports';
import type { WireJob } from '../../shared/protocol/job';
import { ServiceError } from '../../shared/protocol/serviceError';
import { systemClock } from '../../shared/util/clock';
import type { Disposable } from '../../shared/util/disposable';
import type { ApiKeys } from './apiKeys';
import { type Asking, blottedClient } from './blottedClient';
import type { LocalService } from './localService';
import { parseBaseUrl } from './serviceUrl';

/** An id that no service gives: asking for it proves a key and can create nothing. */
const UNLIKELY_JOB = 'docs-agent-jobs-connection-check';

/** What a check of the connection proved. */
export type Proof = 'answered' | 'read';

interface Clients {
  agent: Asking;
  local: LocalServiceClient;
}

/**
 * Joins client, keys and local service: the one place that knows which key goes to which address. The client is loaded
 * at the first request.
 */
export class ServiceAccess implements JobApi, Disposable {
  private clients: Promise<Clients> | undefined;

  constructor(
    private readonly keys: ApiKeys,
    private readonly local: LocalService,
    private readonly network: () => NetworkSettings,
  ) {}

  async open(home: Home): Promise<OpenLine> {
    const [{ agent }, target] = await Promise.all([this.load(), this.target(home)]);
    return {
      create: (prompt) => agent.createJob(target, prompt),
      message: (jobId, prompt) => agent.sendMessage(target, jobId, prompt),
    };
  }

  async probe(home: Home): Promise<void> {
    const [{ agent }, target] = await Promise.all([this.load(), this.target(home)]);
    try {
      await agent.retrieveJob(target, UNLIKELY_JOB, { attempts: 1 });
    } catch (error) {
      if (!(error instanceof ServiceError && error.effect === 'refused')) {
        throw error;
      }
    }
  }

  async retrieve(home: Home, jobId: string, signal: AbortSignal): Promise<WireJob> {
    const isLocal = home.service === LOCAL_SERVICE;
    const finding = isLocal ? this.local.reach() : this.target(home);
    const [{ agent }, found] = await Promise.all([this.load(), finding]);
    const target = { ...found, projectId: home.projectId };
    return agent.retrieveJob(target, jobId, { signal, attempts: 1 });
  }

  /** The same with patience, for a user who waits for the answer. */
  async lookUp(home: Home, jobId: string): Promise<WireJob> {
    const [{ agent }, target] = await Promise.all([this.load(), this.target(home)]);
    return agent.retrieveJob(target, jobId);
  }

  /**
   * Asks for a job, with this key or the stored one: for a known job of that project, or else for one that can't exist.
   * Never sends a prompt. Resolves to what was proved: `read` when the job came, so that key, project and the right to
   * read are good; `answered` when the service did not reject the key. Throws ServiceError otherwise.
   */
  async check(home: Home, options: { key?: string | undefined; jobId?: string | undefined } = {}): Promise<Proof> {
    const [{ agent }, target] = await Promise.all([this.load(), this.target(home, options.key)]);
    try {
      await agent.retrieveJob(target, options.jobId ?? UNLIKELY_JOB, { attempts: 2 });
      return options.jobId === undefined ? 'answered' : 'read';
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'notFound' && error.effect === 'refused') {
        return 'answered';
      }
      throw error;
    }
  }

  /** Makes the repository of a folder a project of the local service, which is started if need be. */
  async registerFolder(folder: string, agentCommand: string[]): Promise<RegisteredProject> {
    const [{ local }, target] = await Promise.all([this.load(), this.local.ensure()]);
    return local.registerProject(target, { folder, agentCommand });
  }

  /** Ends the local service. False when none was running. */
  async stopLocal(): Promise<boolean> {
    const [{ local }, target] = await Promise.all([this.load(), this.local.find()]);
    if (target === undefined) {
      return false;
    }
    this.local.holdStopped();
    await local.shutdown(target);
    // Else the next job would go to a service that is on its way out.
    await this.local.untilGone();
    return true;
  }

  dispose(): void {
    void this.clients?.then(({ agent }) => agent.dispose());
  }

  /** Throws ServiceError of kind `unauthorized` without a key, before anything is sent. */
  private async target(home: Home, key?: string): Promise<Target> {
    if (home.service === LOCAL_SERVICE) {
      return { ...(await this.local.ensure()), projectId: home.projectId };
    }
    const url = parseBaseUrl(home.baseUrl ?? '');
    if ('problem' in url || url.origin !== home.service) {
      // A record that was tampered with must not send the key of one origin to another.
      throw new ServiceError('notUnderstood', { effect: 'none', code: 'BASE_URL' });
    }
    const apiKey = key ?? (await this.keys.get(home.service));
    if (apiKey === undefined) {
      throw new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
    }
    this.keys.conceal(apiKey);
    return { baseUrl: url.baseUrl, projectId: home.projectId, apiKey };
  }

  private load(): Promise<Clients> {
    this.clients ??= import('../../client').then(({ AgentClient, DEFAULT_TIMEOUTS, LocalServiceClient, Transport }) => {
      const transport = new Transport(DEFAULT_TIMEOUTS, this.network);
      const agent = new AgentClient({ clock: systemClock, random: Math.random, transport });
      return { agent: blottedClient(agent, this.keys), local: new LocalServiceClient(transport) };
    });
    return this.clients;
  }
}
