import { decodeJson } from '../base/json';
import { jobEventSchema } from '../protocol/localService';
import { ROUTES } from '../protocol/routes';
import { headers } from './agentClient';
import { readEvents } from './eventStream';
import type { LocalTarget } from './localServiceClient';
import { DEFAULT_TIMEOUTS, Transport } from './transport';

/** Callbacks for job events. */
export interface JobEventListener {
  /** Called once, when the stream is open and no later event is missed. */
  onOpen: () => void;
  onJob: (projectId: string, jobId: string) => void;
  /** Ends the stream at once. */
  signal: AbortSignal;
}

/** Listens for job changes at the local service. */
export class JobEventsClient {
  /** A separate connection, so that requests need not wait for it. Loopback needs no proxy. */
  private readonly transport = new Transport(DEFAULT_TIMEOUTS, undefined, 1);

  /** Resolves when the service ended the stream normally. Throws {@link ServiceError}. */
  async listen(target: LocalTarget, { onOpen, onJob, signal }: JobEventListener): Promise<void> {
    const url = target.baseUrl + ROUTES.followJobs.path;
    const request = { method: 'GET', url, headers: headers(target, 'text/event-stream'), signal } as const;
    let isOpen = false;
    for await (const messages of readEvents(this.transport, request)) {
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
    }
  }

  dispose(): Promise<void> {
    return this.transport.dispose();
  }
}
