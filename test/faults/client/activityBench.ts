import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type FollowOptions, ActivityFollower } from '../../../src/client/events';
import { Transport } from '../../../src/client/transport';
import type { ActivityEvent } from '../../../src/protocol/activity';
import { ManualClock } from '../../support/manualClock';

/** The head of an event stream answer. */
export const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';

/** An event as the service sends it. */
export const note = (id: number, text = `event ${id}`): ActivityEvent => {
  return { id, turn: 1, at: '2026-05-01T12:00:00.000Z', entry: { kind: 'note', text } };
};
/** The event as it is encoded in the stream. */
export const written = (event: { id: number }): string => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;

export interface Call {
  socket: Socket;
  /** The whole head of the request. */
  head: string;
  /** The event to resume after. */
  after: number;
  isClosed: boolean;
}

/** A raw server that sends what a test wants, and a follower whose clock the test controls. */
export class ActivityBench {
  readonly clock = new ManualClock();
  readonly calls: Call[] = [];
  readonly received: ActivityEvent[] = [];
  readonly gone = new AbortController();
  stays = true;
  silenceMs = 30_000;
  private readonly transport = new Transport();
  private server: Server | undefined;
  private readonly watchers = new Set<() => void>();

  async listen(): Promise<void> {
    this.server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        const head = data.toString('latin1');
        const after = Number(/last-event-id: (\d+)/i.exec(head)?.[1]);
        const call: Call = { socket, head, after, isClosed: false };
        this.calls.push(call);
        socket.once('close', () => {
          call.isClosed = true;
          this.changed();
        });
        this.changed();
      });
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  follow(more: Partial<FollowOptions> = {}): Promise<void> {
    const follower = new ActivityFollower({
      ...{ transport: this.transport, clock: this.clock, random: () => 0.5, silenceMs: this.silenceMs },
    });
    return follower.follow({
      jobId: 'j',
      target: async () => this.target,
      stays: () => this.stays,
      onEvents: (events) => {
        this.received.push(...events);
        this.changed();
      },
      signal: this.gone.signal,
      ...more,
    });
  }

  get target() {
    const port = (this.server?.address() as AddressInfo | null | undefined)?.port;
    return port === undefined ? undefined : { baseUrl: `http://127.0.0.1:${port}`, projectId: 'p', apiKey: 'local_k' };
  }

  get ids(): number[] {
    return this.received.map(({ id }) => id);
  }

  async until(check: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (check()) {
          this.watchers.delete(look);
          resolve();
        }
      };
      this.watchers.add(look);
      look();
    });
  }

  /** The n-th request, which may come only after a pause. */
  async call(index: number): Promise<Call> {
    if (index > 0) {
      // The pending timer is then not a heartbeat but the pause before the next attempt.
      await this.until(() => this.calls[index - 1]?.isClosed === true);
      while (this.calls.length <= index) {
        await this.clock.advance(this.clock.untilNext ?? 0);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await this.until(() => this.calls.length > index);
    return this.calls[index]!;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.calls.forEach(({ socket }) => socket.destroy());
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  async close(): Promise<void> {
    this.gone.abort();
    await this.transport.dispose();
    await this.stop();
  }

  private changed(): void {
    this.watchers.forEach((look) => look());
  }
}
