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
  /** From name look-up to the end of the TLS handshake, through a proxy or not. */
  connectMs: number;
}

/**
 * How long a connection waits for the next request though the service would keep it for longer, in milliseconds: longer
 * than from one question after a job to the next, and then it is gone.
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

/** Who reads an answer. */
export interface AnswerHandler extends Dispatcher.DispatchHandler {
  onResponseError(controller: unknown, error: unknown): void;
}

/**
 * HTTP over undici on a dispatcher of our own: global `fetch` may send a POST twice, and the process-wide dispatcher
 * belongs to everyone in the extension host. Follows no redirect and repeats nothing.
 */
export class Transport {
  private parts: Promise<typeof UndiciParts> | undefined;
  private current: { settings: string; agent: Agent } | undefined;
  /** With those that end their last requests. */
  private readonly agents = new Set<Agent>();
  private isDisposed = false;

  /**
   * @param network asked at each request; a change takes effect at once, and what is under way goes on as it began
   * @param connections how many requests to one service may be under way; more wait
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
   * Sends once, and leaves the answer to the handler, which is told also when nothing could be sent.
   *
   * @throws ServiceError of kind `aborted` when this is disposed
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

  /** Closes the pooled connections; requests under way fail. */
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
      // Times are kept by each exchange.
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
