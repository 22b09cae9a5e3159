import { jobEventSchema, localRoutes } from '../shared/protocol/localService';
import type { Clock } from '../shared/util/clock';
import { decodeJson } from '../shared/util/decodeJson';
import { EventExchange } from './eventExchange';
import type { LocalTarget } from './localServiceClient';
import { DEFAULT_TIMEOUTS, Transport } from './transport';

/** Whom to tell what. */
export interface JobEventListener {
  /** Called once what happens from then on is heard. */
  onOpen: () => void;
  onJob: (projectId: string, jobId: string) => void;
  /** Ends it at once. */
  signal: AbortSignal;
}

/** Hears which jobs of the local service change, as they change. */
export class JobEventsClient {
  /** A connection of its own: requests must not wait for it. No proxy leads to this machine. */
  private readonly transport = new Transport(DEFAULT_TIMEOUTS, undefined, 1);

  constructor(private readonly clock: Clock) {}

  /** Resolves when the service ended the stream in order. Throws {@link ServiceError}. */
  async listen({ baseUrl, apiKey }: LocalTarget, { onOpen, onJob, signal }: JobEventListener): Promise<void> {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' };
    let isOpen = false;
    const exchange = await this.transport.dispatch(
      { method: 'GET', url: baseUrl + localRoutes.events, headers },
      () =>
        new EventExchange({
          clock: this.clock,
          signal,
          onEvents: (messages) => {
            if (!isOpen) {
              isOpen = true;
              onOpen();
            }
            for (const { data } of messages) {
              const event = jobEventSchema.safeParse(decodeJson(data));
              if (event.success) {
                onJob(event.data.projectId, event.data.jobId);
              }
            }
          },
        }),
    );
    await exchange.ended;
  }

  async dispose(): Promise<void> {
    await this.transport.dispose();
  }
}
