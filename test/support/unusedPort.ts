import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to whoever asks for any port. */
const PORTS = [12_000, 32_000] as const;

/**
 * Returns a loopback port at which nobody listens, and which no server of another test gets by chance: a test can start
 * a server there later, or rely on refused connections.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if (await isUnused(port)) {
      return port;
    }
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
