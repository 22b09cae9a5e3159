import type { JobEventsClient, LocalServiceClient, NetworkSettings, Transport } from '../../client';
import { systemClock } from '../../shared/util/clock';
import type { Disposable } from '../../shared/util/disposable';
import type { ApiKeys } from './apiKeys';
import { type Asking, blottedClient } from './blottedClient';

export interface Clients {
  agent: Asking;
  local: LocalServiceClient;
  events: JobEventsClient;
  transport: Transport;
}

/** The clients over one transport, loaded at the first request. */
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
      const events = new JobEventsClient(systemClock);
      return { agent: blottedClient(agent, this.keys), local: new LocalServiceClient(transport), events, transport };
    });
    return this.clients;
  }

  dispose(): void {
    void this.clients?.then(({ agent, events }) => Promise.all([agent.dispose(), events.dispose()]));
  }
}
