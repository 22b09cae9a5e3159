import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Relays connections to a server that can go dead as if a machine was lost: nothing arrives, and nothing is closed. */
export class DatabaseRelay {
  private readonly sockets = new Set<Socket>();
  private readonly dead = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** The server's URL with the port of this one. */
    readonly url: string,
  ) {}

  static async start(url: string): Promise<DatabaseRelay> {
    const target = new URL(url);
    const port = Number(target.port);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    target.port = String((server.address() as AddressInfo).port);
    const relay = new DatabaseRelay(server, target.href);
    server.on('connection', (client) => relay.join(client, connect(port, '127.0.0.1')));
    return relay;
  }

  /** All current connections go dead. New connections work. */
  loseAll(): void {
    this.sockets.forEach((socket) => this.dead.add(socket));
  }

  close(): void {
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
  }

  private join(...pair: [Socket, Socket]): void {
    for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      this.sockets.add(from);
      from.on('data', (chunk) => this.dead.has(from) || to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => this.dead.has(from) || to.destroy());
    }
  }
}
