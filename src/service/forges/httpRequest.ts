import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { type Socket, isIP } from 'node:net';
import { type SecureContext, connect } from 'node:tls';
import { ConnectFailure, codeOf } from '../../shared/network/connectFailure';
import type { ProxyServer } from '../../shared/network/network';

export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Ends the request and the reading of its answer. */
  signal: AbortSignal;
  /** Whom to trust. */
  secureContext: SecureContext;
  /** Through a tunnel of which the request goes, so that the proxy sees the name of the host and nothing else. */
  proxy?: ProxyServer | undefined;
}

/**
 * Sends one request on a connection of its own, so that none is lost on one that was just closed, and resolves to the
 * answer as it begins. Rejects with what Node says, or with ConnectFailure at the proxy.
 */
export async function httpRequest(url: URL, outgoing: Outgoing): Promise<IncomingMessage> {
  const { method, headers, body, signal, secureContext, proxy } = outgoing;
  const tls = verified(secureContext);
  const tunnel = proxy && (await openTunnel(proxy, url, outgoing));
  // A URL has an address of IPv6 in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const way =
    tunnel === undefined
      ? { agent: false as const }
      : { createConnection: () => connect({ ...tls, ...servername, host, socket: tunnel }) };
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    send(url, { method, headers, signal, ...tls, ...way })
      .on('response', resolve)
      .on('error', reject)
      .on('close', () => reject(new Error('the connection was closed')))
      .end(body);
  });
}

/** Has a proxy open a connection to the target (RFC 9110, section 9.3.6). */
async function openTunnel(proxy: ProxyServer, target: URL, { signal, secureContext }: Outgoing): Promise<Socket> {
  const authority = `${target.hostname}:${target.port === '' ? '443' : target.port}`;
  const login = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  const send = proxy.origin.startsWith('https:') ? requestSecure : requestPlain;
  const options = { method: 'CONNECT', path: authority, headers: { host: authority, ...login }, agent: false, signal };
  return new Promise((resolve, reject) => {
    send(proxy.origin, { ...options, ...verified(secureContext) })
      .on('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode >= 200 && statusCode < 300) {
          resolve(socket);
        } else {
          socket.on('error', () => undefined).destroy();
          reject(new ConnectFailure(statusCode === 407 ? 'PROXY_LOGIN' : `PROXY_STATUS_${statusCode}`));
        }
      })
      .on('error', (error) => reject(new ConnectFailure(`PROXY_${codeOf(error) ?? 'LOST'}`, error)))
      .end();
  });
}

/** Else NODE_TLS_REJECT_UNAUTHORIZED would switch verification off. */
function verified(secureContext: SecureContext): { secureContext: SecureContext; rejectUnauthorized: true } {
  return { secureContext, rejectUnauthorized: true };
}
