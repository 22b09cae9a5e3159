import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { NOT_HANDLED_HEADER } from '../../protocol/errors';

/** Maximum number of connections served at once. */
export const MAX_CONNECTIONS = 300;

/**
 * Connections beyond that are accepted only to be rejected with a response. Node drops any more, which never happens
 * while fewer than this many are closing.
 */
const MAX_BEYOND = 300;

/**
 * Maximum number of rejected connections that may still read their response. Beyond that, the ones rejected first are
 * cut off.
 */
const MAX_CLOSING = 150;

/**
 * Tells the client that its request was not processed, so that even a prompt can be retried. A client that loses its
 * connection can't know that.
 */
export const NOT_HANDLED = { [NOT_HANDLED_HEADER]: '1' };

/** How long a rejected connection has to read its response, in milliseconds. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Maximum number of open requests on a connection that never authenticated. This service's clients wait for each
 * response before they send the next request. A few are allowed because the next request can arrive before Node reports
 * the last one done.
 */
const MAX_OPEN_UNTRUSTED = 10;

/**
 * How often connections are checked for a response that the client does not read, in milliseconds. Such a connection is
 * closed at the second check. Node has no limit for this.
 */
const UNREAD_CHECK_MS = 5_000;

const FULL = JSON.stringify({ error: 'Too many connections are open. Try again in a moment.' });
const FULL_HEADERS = {
  'Content-Type': 'application/json',
  'Content-Length': String(FULL.length),
  'Retry-After': '1',
  ...NOT_HANDLED,
  Connection: 'close',
};

interface Connection {
  socket: Socket;
  /** Responses that are not sent completely, oldest first, and whether their requests carried a key or a cookie. */
  open: Map<ServerResponse, { isSigned: boolean }>;
  /** The oldest response at the last check, if it was complete but the client had not read it. */
  unread?: ServerResponse | undefined;
  /** Whether a request on it was accepted. */
  isAdmitted: boolean;
  /** Whether a request with a key or a cookie got a response below 400. */
  isTrusted: boolean;
  isLeaving: boolean;
}

/**
 * Reserves capacity for authorized clients. Any program on this machine can open connections; when there are too many,
 * the oldest one that never authenticated is rejected. It gets a response instead of just being cut off: a client that
 * loses its connection has to assume that its prompt may have been processed.
 */
export class ConnectionLimit {
  /** In order of arrival. */
  private readonly connections = new Map<Socket, Connection>();
  /** Connections that were rejected and are closing, oldest rejection first. */
  private readonly closing = new Set<Socket>();

  constructor(server: Server) {
    server.maxConnections = MAX_CONNECTIONS + MAX_BEYOND;
    // With TLS, requests come on another socket than the connection, which exists after the handshake.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => this.add(socket));
    const check = setInterval(() => this.endUnread(), UNREAD_CHECK_MS).unref();
    server.once('close', () => clearInterval(check));
  }

  /** Returns whether the request may be served; if not, it is rejected here. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.connections.get(request.socket);
    if (connection === undefined || connection.isLeaving) {
      return false;
    }
    if (!connection.isAdmitted && this.admitted() >= MAX_CONNECTIONS && !this.evictOldest(connection)) {
      this.refuse(connection, request, response);
      return false;
    }
    if (connection.open.size >= MAX_OPEN_UNTRUSTED && !isTrusted(connection)) {
      // The only case that is cut off without a response: it would have to wait behind those that the client does not
      // read.
      connection.isLeaving = true;
      connection.socket.destroy();
      return false;
    }
    connection.isAdmitted = true;
    const hasCredentials = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
    connection.open.set(response, { isSigned: hasCredentials && !isPublic(request.url ?? '') });
    response.once('close', () => {
      connection.isTrusted = isTrusted(connection);
      connection.open.delete(response);
    });
    return true;
  }

  /**
   * Gives up a connection whose request could not be read. A request that is read from it later, as when the process was
   * busy and a time limit ran out first, is not served: the client may already have been told that it was not handled.
   *
   * @returns whether no request is in progress on the connection, so that nothing written to it can be taken for a
   *   response to one
   */
  giveUp(socket: Socket): boolean {
    const connection = this.connections.get(socket);
    if (connection === undefined) {
      return true;
    }
    this.startClosing(connection);
    return connection.open.size === 0;
  }

  private add(socket: Socket): void {
    const connection = { socket, open: new Map(), isAdmitted: false, isTrusted: false, isLeaving: false };
    this.connections.set(socket, connection);
    socket.once('close', () => {
      this.connections.delete(socket);
      this.closing.delete(socket);
    });
    if (this.connections.size > MAX_CONNECTIONS) {
      this.evictOldest(connection);
    }
  }

  private admitted(): number {
    let count = 0;
    for (const { isAdmitted, isLeaving } of this.connections.values()) {
      count += isAdmitted && !isLeaving ? 1 : 0;
    }
    return count;
  }

  /**
   * Rejects the oldest connection that never authenticated and has no request in progress. Returns false if there is
   * none. A connection that has yet to read its responses qualifies too: all of them are errors.
   */
  private evictOldest(newcomer: Connection): boolean {
    for (const each of this.connections.values()) {
      if (each !== newcomer && !each.isLeaving && isWaiting(each) && !isTrusted(each)) {
        this.rejectIdle(each);
        return true;
      }
    }
    return false;
  }

  /**
   * Closes each unauthenticated connection that had a complete response at the last check and still has not read it.
   */
  private endUnread(): void {
    for (const each of this.connections.values()) {
      const [oldest] = each.open.keys();
      if (oldest?.writableEnded !== true || isTrusted(each)) {
        each.unread = undefined;
      } else if (each.unread === oldest) {
        each.socket.destroy();
      } else {
        each.unread = oldest;
      }
    }
  }

  private rejectIdle(connection: Connection): void {
    const head = Object.entries(FULL_HEADERS).map(([name, value]) => `${name}: ${value}`);
    connection.socket.end(`HTTP/1.1 503 Service Unavailable\r\n${head.join('\r\n')}\r\n\r\n${FULL}`);
    this.startClosing(connection);
  }

  /**
   * Responds only after reading the whole request. Otherwise the system would reset the connection, and the response
   * would be lost.
   */
  private refuse(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.open.set(response, { isSigned: false });
    request.resume().once('end', () => {
      response.writeHead(503, FULL_HEADERS).end(FULL);
      this.startClosing(connection);
    });
  }

  private startClosing(connection: Connection): void {
    const { socket } = connection;
    connection.isLeaving = true;
    this.closing.add(socket);
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
    const [first] = this.closing;
    if (this.closing.size > MAX_CLOSING && first !== undefined) {
      this.closing.delete(first);
      first.destroy();
    }
  }
}

function isWaiting({ open }: Connection): boolean {
  return [...open.keys()].every((response) => response.writableEnded);
}

/**
 * Returns whether the connection is authenticated, also while the response to its first authenticated request is being
 * sent.
 */
function isTrusted({ isTrusted, open }: Connection): boolean {
  return (
    isTrusted ||
    [...open].some(([{ headersSent, statusCode }, { isSigned }]) => isSigned && headersSent && statusCode < 400)
  );
}

/** Returns whether the URL is any spelling of what is served without a key. */
function isPublic(url: string): boolean {
  try {
    return /openapi\.json|healthz|readyz/.test(decodeURIComponent(url));
  } catch {
    return true;
  }
}
