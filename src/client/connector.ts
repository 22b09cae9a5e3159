import type { Socket } from 'node:net';
import { type SecureContext, createSecureContext, getCACertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import { ConnectFailure, codeOf } from '../shared/network/connectFailure';
import { type NetworkSettings, proxyFor } from '../shared/network/network';
import { openTunnel } from './tunnel';
import type * as UndiciParts from './undiciParts';

/**
 * Opens connections for undici as the settings say, directly or through a tunnel of a proxy, in at most `timeoutMs` from
 * name look-up to the end of the TLS handshake. What fails is a {@link ConnectFailure}.
 */
export function makeConnector(
  parts: typeof UndiciParts,
  settings: NetworkSettings,
  timeoutMs: number,
): buildConnector.connector {
  let known: SecureContext | undefined;
  const verified = (): buildConnector.BuildOptions => ({
    secureContext: (known ??= createSecureContext(authorities(settings))),
    // Else NODE_TLS_REJECT_UNAUTHORIZED would switch verification off.
    rejectUnauthorized: true,
    timeout: timeoutMs,
  });
  const dialers = new Map<boolean, buildConnector.connector>();
  /** Reading the system's authorities may be slow, so not before the first TLS connection. */
  const dial = (options: buildConnector.Options): Promise<Socket> => {
    const secure = options.protocol === 'https:';
    const connect = dialers.get(secure) ?? parts.buildConnector(secure ? verified() : { timeout: timeoutMs });
    dialers.set(secure, connect);
    return new Promise((resolve, reject) => {
      connect(options, (error, socket) => {
        if (error === null) {
          resolve(socket);
        } else {
          reject(new ConnectFailure(codeOf(error), error));
        }
      });
    });
  };
  const open = async (options: buildConnector.Options, way: { atProxy: boolean }): Promise<Socket> => {
    const target = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    const proxy = proxyFor(target, settings);
    if (proxy === undefined) {
      return dial(options);
    }
    way.atProxy = true;
    const socket = await openTunnel(parts, dial, proxy, target, timeoutMs);
    way.atProxy = false;
    return options.protocol === 'https:' ? dial({ ...options, httpSocket: socket }) : socket;
  };
  return (options, callback) => {
    const way = { atProxy: false };
    const opening = open(options, way);
    inTime(opening, timeoutMs, () => new ConnectFailure(way.atProxy ? 'PROXY_TIMEOUT' : 'CONNECT_TIMEOUT')).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/** The socket, unless it comes too late: then nobody wants it any more. */
function inTime(opening: Promise<Socket>, ms: number, tooLate: () => ConnectFailure): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooLate());
      opening.then(
        (socket) => socket.destroy(),
        () => undefined,
      );
    }, ms);
    opening.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Whom to trust: Node's own list and what the user added to it, and the system's where that is wanted. */
function authorities({ systemCertificates }: NetworkSettings): { ca?: string[] } {
  return systemCertificates
    ? { ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])] }
    : {};
}
