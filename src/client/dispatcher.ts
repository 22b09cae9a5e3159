import { createSecureContext, getCACertificates } from 'node:tls';
import type { buildConnector as BuildConnector, Dispatcher } from 'undici';
// The index of undici would also set the process-wide dispatcher if none is set, which the whole extension host shares,
// and takes twice as long to load.
import connectByRequest from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { once } from '../base/async';
import { codeOf, ConnectFailure, type ProxyServer } from '../base/network';

export interface DispatcherOptions {
  /** Undefined to connect directly. */
  proxy: ProxyServer | undefined;
  /** Whether to also trust the operating system's certificate authorities. */
  systemCertificates: boolean;
  /** For each connection, from DNS lookup to the end of the TLS handshake: to the proxy, and through it to the service. */
  connectMs: number;
  /** Maximum number of connections per service. */
  connections: number;
  /** How long an idle connection is kept, even if the service would keep it longer. */
  keepAliveMs: number;
}

/** Loaded with the first request. Its requests have no timeouts of their own. */
export function makeDispatcher(options: DispatcherOptions): Agent | ProxyAgent {
  const { proxy, connections, keepAliveMs, connectMs: timeout } = options;
  const limits = { connections, keepAliveMaxTimeout: keepAliveMs, headersTimeout: 0, bodyTimeout: 0 };
  // Loading the system's certificates may be slow, so it waits for the first TLS connection.
  const tls = once(() => ({
    timeout,
    secureContext: createSecureContext(options.systemCertificates ? allAuthorities() : {}),
    // Otherwise NODE_TLS_REJECT_UNAUTHORIZED could disable verification.
    rejectUnauthorized: true,
  }));
  if (proxy === undefined) {
    const plain = buildConnector({ timeout });
    const secure = once(() => buildConnector(tls()));
    const connect: BuildConnector.connector = (target, done) =>
      (target.protocol === 'https:' ? secure() : plain)(target, done);
    return new Agent({ ...limits, connect });
  }
  return new ProxyAgent({
    ...limits,
    uri: proxy.origin,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    requestTls: tls(),
    proxyTls: tls(),
    clientFactory: (origin, given) => {
      const pool = new Pool(origin, { ...given, headersTimeout: timeout });
      return Object.assign(pool, { connect: (to: Dispatcher.ConnectOptions) => openTunnel(pool, to) });
    },
  });
}

/** Node's own list, the user's additions, and those of the system. */
function allAuthorities(): { ca: string[] } {
  return { ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])] };
}

/**
 * Every target uses a tunnel, so that a response from the proxy is never mistaken for one from the service, and the
 * proxy sees no requests. Throws ConnectFailure, whose reason starts with `PROXY_`: for some errors of a tunnel, undici
 * would try again without end.
 */
async function openTunnel(proxy: Dispatcher, to: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
  const answer = await connectByRequest.call(proxy, to).catch((error: unknown) => {
    const code = codeOf(error) ?? 'LOST';
    throw new ConnectFailure(`PROXY_${code.endsWith('TIMEOUT') ? 'TIMEOUT' : code}`, error);
  });
  const { statusCode, socket } = answer;
  if (statusCode !== 200) {
    socket.on('error', () => undefined).destroy();
    throw new ConnectFailure(statusCode === 407 ? 'PROXY_LOGIN' : `PROXY_STATUS_${statusCode}`);
  }
  return answer;
}
