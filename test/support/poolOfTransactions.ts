import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Codes in the protocol of PostgreSQL, whose messages are a code, their length without it, and their content. */
const NOTIFICATION = 'A'.charCodeAt(0);

/**
 * What a pool that hands out connections per transaction does to LISTEN: passes on everything between clients and the
 * database, except notifications.
 */
export async function poolOfTransactions(database: URL): Promise<{ url: string; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(Number(database.port), database.hostname);
    let rest = Buffer.alloc(0);
    behind.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const end = rest.readUInt32BE(1) + 1;
        if (rest[0] !== NOTIFICATION) {
          client.write(rest.subarray(0, end));
        }
        rest = rest.subarray(end);
      }
    });
    client.pipe(behind);
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    async close() {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}
