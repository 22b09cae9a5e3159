import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { HEADER_PATIENCE_MS, MAX_CONNECTIONS, MAX_HEADER_BYTES, MAX_REQUESTS } from '../../base/limits';
import { isOwnHost } from './authentication';

/** Matches a request for a job's events, a stream that may never end on its own. */
const ACTIVITY_LOG = /\/events(?:\?|$)/;

/**
 * Matches the job list of a project and the stream of job changes. Editors request both automatically, so these
 * requests don't show whether anyone needs the service.
 */
const BACKGROUND = /^\/(?:v2\/agent\/[^/?]+\/jobs|local\/events)(?:\?|$)/;

/** Where a service listens, and for whom. */
export interface Binding {
  host: string;
  /** Certificate and private key in PEM format, to speak https. */
  tls?: { cert: Buffer; key: Buffer };
  /** How long an idle connection stays open, in milliseconds. */
  keepAliveMs: number;
  /** Returns why a request is refused whatever key it has; undefined if it isn't. */
  refusal: (request: IncomingMessage) => string | undefined;
}

const LOOPBACK_ONLY: Binding = {
  host: '127.0.0.1',
  keepAliveMs: 5_000,
  refusal: (request) => (isOwnHost(request) ? undefined : WRONG_HOST),
};

export const WRONG_HOST = 'The Host header doesn’t match this service.';

export interface Listener {
  port: number;
  /**
   * The number of open requests, how many of those only follow an activity log, and the total number of requests so
   * far. Automatic requests from editors don't count.
   */
  activity(): { requests: number; followers: number; requestsInAll: number };
  /**
   * Stops accepting requests. Resolves once the open ones have ended; after two seconds it closes their connections.
   */
  close(): Promise<void>;
}

/**
 * Listens, by default on 127.0.0.1. Fails if the `wanted` port is taken. If the `preferred` port is taken, picks another one.
 *
 * @param wanted the port; 0 for any
 * @param preferred the port to try first when `wanted` is undefined
 * @param createApp creates the routes once the port is known
 */
export async function listen(
  wanted: number | undefined,
  preferred: number | undefined,
  createApp: (port: number) => Hono,
  binding = LOOPBACK_ONLY,
): Promise<Listener> {
  const settings = {
    maxHeaderSize: MAX_HEADER_BYTES,
    // Counted from the start of the connection, so a silent client holds its slot no longer than this.
    headersTimeout: HEADER_PATIENCE_MS,
    requestTimeout: 30_000,
    keepAliveTimeout: binding.keepAliveMs,
    connectionsCheckingInterval: 500,
  };
  const { tls } = binding;
  const server =
    tls === undefined
      ? createServer(settings)
      : createTlsServer({ ...settings, ...tls, handshakeTimeout: HEADER_PATIENCE_MS, minVersion: 'TLSv1.2' });
  // Node closes more of them without an answer.
  server.maxConnections = MAX_CONNECTIONS;
  await bind(server, binding.host, wanted, preferred);
  const { port } = server.address() as AddressInfo;
  const answer = getRequestListener(createApp(port).fetch, { overrideGlobalObjects: false });
  const activity = { requests: 0, followers: 0, requestsInAll: 0 };
  let open = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    response.once('close', () => (open -= 1));
    if (open > MAX_REQUESTS) {
      refuse(request, response, 503, 'Too many requests are open. Try again in a moment.');
      return;
    }
    const counted = BACKGROUND.test(request.url ?? '') ? 0 : 1;
    activity.requests += counted;
    activity.requestsInAll += counted;
    const follower = counted === 1 && ACTIVITY_LOG.test(request.url ?? '') ? 1 : 0;
    activity.followers += follower;
    response.once('close', () => {
      activity.requests -= counted;
      activity.followers -= follower;
    });
    const refusal = binding.refusal(request);
    if (refusal === undefined) {
      void answer(request, response);
    } else {
      refuse(request, response, 403, refusal);
    }
  });
  return { port, activity: () => activity, close: () => close(server) };
}

async function bind(server: Server, host: string, wanted?: number, preferred?: number): Promise<void> {
  if (wanted !== undefined || preferred === undefined) {
    return bindTo(server, host, wanted ?? 0);
  }
  try {
    await bindTo(server, host, preferred);
  } catch {
    await bindTo(server, host, 0);
  }
}

function bindTo(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const hard = setTimeout(() => server.closeAllConnections(), 2_000);
    server.close(() => {
      clearTimeout(hard);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Answers only after reading the whole request. Otherwise the system would reset the connection, and the response would
 * be lost.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: 403 | 503, error: string): void {
  const retry = status === 503 ? { 'Retry-After': '1' } : {};
  request.resume().once('end', () => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...retry, Connection: 'close' });
    response.end(JSON.stringify({ error }));
  });
}
