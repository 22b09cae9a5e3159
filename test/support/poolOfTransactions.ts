import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Codes in the protocol of PostgreSQL, whose messages are a code, their length without it, and their content. */
const NOTIFICATION = 'A'.charCodeAt(0);

const ERROR = 'E';

/** The parameters that PgBouncer accepts for a new connection. */
const STARTUP_PARAMETERS = ['user', 'database', 'client_encoding', 'application_name'];

/** The first message of a client: its length, the version of the protocol, and names and values that end with zeros. */
function unknownParameter(startup: Buffer): string | undefined {
  const words = startup.subarray(8, startup.readUInt32BE(0)).toString().split('\0');
  return words.find((word, index) => index % 2 === 0 && word !== '' && !STARTUP_PARAMETERS.includes(word));
}

function refusal(parameter: string): Buffer {
  const text = Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`);
  const head = Buffer.from(`${ERROR}0000`);
  head.writeUInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

/**
 * What a pool that hands out connections per transaction does to LISTEN: passes on everything between clients and the
 * database, except notifications. Like PgBouncer, it refuses connections with parameters that it doesn't know.
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
    client.once('data', (startup: Buffer) => {
      const unknown = unknownParameter(startup);
      if (unknown !== undefined) {
        client.end(refusal(unknown));
        return;
      }
      behind.write(startup);
      client.pipe(behind);
    });
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
