import type { Socket } from 'node:net';
import type { Dispatcher, buildConnector } from 'undici';
import { ConnectFailure, codeOf } from '../shared/network/connectFailure';
import type { ProxyServer } from '../shared/network/network';
import type * as UndiciParts from './undiciParts';

/**
 * Has a proxy open a connection to the target (RFC 9110, section 9.3.6) and returns it. Every target gets a tunnel, so
 * that an answer of the proxy is never taken for one of the service, and no request is seen by the proxy.
 *
 * @throws ConnectFailure whose reason begins with `PROXY_`
 */
export async function openTunnel(
  { Client }: typeof UndiciParts,
  dial: (options: buildConnector.Options) => Promise<Socket>,
  proxy: ProxyServer,
  target: URL,
  timeoutMs: number,
): Promise<Socket> {
  const client = new Client(proxy.origin, {
    connect: (options, callback) => {
      dial(options).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      );
    },
    // Who opens the whole connection keeps the exact time; this ends what is left behind.
    headersTimeout: timeoutMs,
  });
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  const authority = `${target.hostname}:${port}`;
  const login = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  try {
    return await new Promise<Socket>((resolve, reject) => {
      client.dispatch(
        { method: 'CONNECT', path: authority, headers: { host: authority, ...login } },
        answer(resolve, reject),
      );
    });
  } catch (error) {
    throw error instanceof ConnectFailure && error.reason?.startsWith('PROXY_') === true
      ? error
      : new ConnectFailure(`PROXY_${codeOf(error) ?? 'LOST'}`, error);
  } finally {
    // The tunnel is no longer the client's.
    void client.destroy();
  }
}

function answer(resolve: (socket: Socket) => void, reject: (error: Error) => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => undefined,
    onRequestUpgrade: (_controller, status, _headers, stream) => {
      const socket = stream as Socket;
      if (status >= 200 && status < 300) {
        resolve(socket);
      } else {
        socket.on('error', () => undefined).destroy();
        reject(new ConnectFailure(status === 407 ? 'PROXY_LOGIN' : `PROXY_STATUS_${status}`));
      }
    },
    onResponseError: (_controller, error) => reject(error),
  };
}
