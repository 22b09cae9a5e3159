import { systemClock } from '../../base/async';
import type { Disposable } from '../../base/disposable';
import type { AgentClient, JobEventsClient, LocalServiceClient, NetworkSettings, Transport } from '../../client';
import { ServiceError } from '../../protocol/errors';
import type { WireJob } from '../../protocol/job';
import type { ApiKeys } from './apiKeys';

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

/** The answer of a service, or its error, without keys that it repeats. */
export async function redacted<T>(keys: Pick<ApiKeys, 'redactDeep'>, asking: Promise<T>): Promise<T> {
  try {
    return keys.redactDeep(await asking);
  } catch (error) {
    throw error instanceof ServiceError ? redactError(error, keys) : error;
  }
}

function redactError(error: ServiceError, keys: Pick<ApiKeys, 'redactDeep'>): ServiceError {
  const { effect, status, retryAfterMs, cause } = error;
  const { detail, coded, code } = keys.redactDeep({ detail: error.detail, coded: error.coded, code: error.code });
  return new ServiceError(error.kind, { effect, status, retryAfterMs, cause, detail, coded, code });
}
