import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DIRECT, type NetworkSettings } from '../../src/base/network';
import { readAnswer } from '../../src/client/answer';
import { DEFAULT_TIMEOUTS, type Timeouts, Transport } from '../../src/client/transport';
import { ServiceError } from '../../src/protocol/errors';
import { FaultProxy, type FaultProxyOptions } from './faultProxy';
import { ScriptedServer } from './scriptedServer';

/** A name that cannot be resolved, so only a proxy can reach it. */
export const FAR_HOST = 'service.invalid';

/** A job as a service returns it. */
export const JOB = { id: 'j', status: 'active' };

/** The outcome of a POST: `done`, or kind, effect and code of the failure. */
export interface Outcome {
  effect: 'done' | ServiceError['effect'];
  kind: string;
  code: string | undefined;
}

/** Servers, proxies and transports of one test, which are closed together. */
export class ClientBench {
  private readonly toClose: (() => Promise<unknown>)[] = [];

  async server(...answers: ScriptedServer['answers']): Promise<ScriptedServer> {
    return this.keep(await ScriptedServer.start(...answers));
  }

  async secureServer(identity: { cert: string; key: string }): Promise<ScriptedServer> {
    return this.keep(await ScriptedServer.startSecure(identity, { status: 201, body: JOB }));
  }

  /** A proxy that connects to this server, whatever host is requested. */
  async proxy(server: ScriptedServer | undefined, options: FaultProxyOptions = {}): Promise<FaultProxy> {
    return this.keep(await FaultProxy.start({ port: server === undefined ? 0 : portOf(server.url), ...options }));
  }

  /** A raw TCP server. Returns its port. */
  async rawServer(serve: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.toClose.push(async () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    });
    return (server.address() as AddressInfo).port;
  }

  transport(timeouts: Partial<Timeouts> = {}, network: Partial<NetworkSettings> = {}): Transport {
    const made = new Transport({ ...DEFAULT_TIMEOUTS, ...timeouts }, () => ({ ...DIRECT, ...network }));
    this.toClose.push(() => made.dispose());
    return made;
  }

  async close(): Promise<void> {
    await Promise.all(this.toClose.splice(0).map((close) => close()));
  }

  private keep<T extends { close(): Promise<void> }>(made: T): T {
    this.toClose.push(() => made.close());
    return made;
  }
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Sends one POST and reads its answer as the client does. */
export async function postOnce(
  transport: Transport,
  url: string,
  body = '{"prompt":"x"}',
  more: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Outcome> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer mint_canary', ...more.headers };
  try {
    readAnswer(await transport.send({ method: 'POST', url, body, signal: more.signal, headers }), 0);
    return { effect: 'done', kind: 'done', code: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    return { effect: error.effect, kind: error.kind, code: error.code };
  }
}
