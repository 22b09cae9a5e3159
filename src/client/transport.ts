import type { Socket } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { codeOf, ConnectFailure, DIRECT, type NetworkSettings, proxyFor, type ProxyServer } from '../base/network';
import { ServiceError } from '../protocol/errors';
import { Exchange, type ExchangeTimeouts, type HttpAnswer } from './exchange';
import type * as UndiciParts from './undiciParts';

export type { HttpAnswer } from './exchange';
export { MAX_BODY_BYTES } from './exchange';

export interface Timeouts extends ExchangeTimeouts {
  /** From DNS lookup to the end of the TLS handshake, with or without a proxy. */
  connectMs: number;
}

/**
 * How long an idle connection is kept, in milliseconds, even if the service would keep it longer: longer than the
 * interval between two polls of a job.
 */
export const KEEP_ALIVE_MS = 70_000;

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000 };

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/** Handles a response. */
export interface AnswerHandler extends Dispatcher.DispatchHandler {
  onResponseError(controller: unknown, error: unknown): void;
}

/**
 * HTTP over undici with a dispatcher of our own: global `fetch` may send a POST twice, and the process-wide dispatcher
 * is shared by the whole extension host. Follows no redirects and never retries.
 */
export class Transport {
  private parts: Promise<typeof UndiciParts> | undefined;
  private current: { settings: string; agent: Agent } | undefined;
  /** Includes retired agents that are finishing their last requests. */
  private readonly agents = new Set<Agent>();
  private isDisposed = false;

  /**
   * @param network called for each request; a change takes effect for new requests only
   * @param connections maximum number of concurrent requests per service; more are queued
   */
  constructor(
    private readonly timeouts: Timeouts = DEFAULT_TIMEOUTS,
    private readonly network: () => NetworkSettings = () => DIRECT,
    private readonly connections = 4,
  ) {}

  /** Sends once. Throws {@link ServiceError} of kind `unreachable`, `timeout`, `aborted` or `notUnderstood`. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const exchange = await this.dispatch(request, () => new Exchange(this.timeouts, request.signal));
    return exchange.answer;
  }

  /**
   * Sends once and passes the response to the handler, which is also told when nothing could be sent.
   *
   * @throws ServiceError of kind `aborted` when the transport is disposed
   */
  async dispatch<T extends AnswerHandler>(request: HttpRequest, makeHandler: () => T): Promise<T> {
    const parts = await (this.parts ??= import('./undiciParts'));
    if (this.isDisposed) {
      throw new ServiceError('aborted', { effect: 'none' });
    }
    const handler = makeHandler();
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body = null } = request;
      this.agent(parts).dispatch({ origin, path: pathname + search, method, headers, body }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
    return handler;
  }

  /** Closes the pooled connections; pending requests fail. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.agents].map((agent) => agent.destroy()));
  }

  private agent(parts: typeof UndiciParts): Agent {
    const network = this.network();
    const settings = JSON.stringify(network);
    if (this.current?.settings !== settings) {
      this.retire(this.current?.agent);
      const connect = makeConnector(parts, network, this.timeouts.connectMs);
      // Each exchange enforces its own timeouts.
      const limits = { keepAliveMaxTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 };
      const agent = new parts.Agent({ connections: this.connections, connect, ...limits });
      this.agents.add(agent);
      this.current = { settings, agent };
    }
    return this.current.agent;
  }

  private retire(agent: Agent | undefined): void {
    void agent?.close().then(
      () => this.agents.delete(agent),
      () => undefined,
    );
  }
}

/**
 * Opens connections for undici according to the settings, directly or through a proxy tunnel, in at most `timeoutMs`
 * from DNS lookup to the end of the TLS handshake. Fails with a {@link ConnectFailure}.
 */
function makeConnector(
  parts: typeof UndiciParts,
  settings: NetworkSettings,
  timeoutMs: number,
): buildConnector.connector {
  let known: SecureContext | undefined;
  const verified = (): buildConnector.BuildOptions => ({
    secureContext: (known ??= createSecureContext(authorities(settings))),
    // Otherwise NODE_TLS_REJECT_UNAUTHORIZED could disable verification.
    rejectUnauthorized: true,
    timeout: timeoutMs,
  });
  const dialers = new Map<boolean, buildConnector.connector>();
  /** Loading the system's certificates may be slow, so it waits for the first TLS connection. */
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
    withConnectTimeout(
      opening,
      timeoutMs,
      () => new ConnectFailure(way.atProxy ? 'PROXY_TIMEOUT' : 'CONNECT_TIMEOUT'),
    ).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/** Returns the socket, or destroys it if it arrives after the timeout. */
function withConnectTimeout(opening: Promise<Socket>, ms: number, tooLate: () => ConnectFailure): Promise<Socket> {
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

/** Trusted certificate authorities: Node's own list, the user's additions and, if enabled, those of the system. */
function authorities({ systemCertificates }: NetworkSettings): { ca?: string[] } {
  return systemCertificates
    ? { ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])] }
    : {};
}

/**
 * Opens a connection to the target through a proxy (RFC 9110, section 9.3.6). Every target uses a tunnel, so that a
 * response from the proxy is never mistaken for one from the service, and the proxy sees no requests.
 *
 * @throws ConnectFailure whose reason starts with `PROXY_`
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
    // The caller enforces the exact timeout; this one only cleans up leftovers.
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
    // The tunnel is now independent of the client.
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
