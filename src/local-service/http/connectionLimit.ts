import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NOT_HANDLED_HEADER } from '../../protocol/errors';

/** How many connections are served at once. */
export const MAX_CONNECTIONS = 300;

/** Node drops what comes beyond that; it is never reached while those that leave are fewer than this. */
const MAX_BEYOND = 300;

/** So many may take their time to read that there is no room; of more, the ones that were told first are cut. */
const MAX_LEAVING = 150;

/**
 * Says that nothing was done with a request, so that even a prompt can be sent again. A client that loses its connection
 * can't know that.
 */
export const NOT_HANDLED = { [NOT_HANDLED_HEADER]: '1' };

/** How long one that was turned away may take to read why, in milliseconds. */
const LEAVING_MS = 1_000;

/**
 * How many requests a connection that never authenticated may have open. No client of this service sends a request before
 * it has the answer to the last one. A few are allowed because the next one can come before Node reports the last one done.
 */
const MAX_OPEN_UNTRUSTED = 10;

/**
 * How often connections are checked for an answer that the client does not read, in milliseconds. Such a connection ends
 * at the second check. Node has no limit for this.
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
  /** The responses that are not sent completely, oldest first, and whether their requests came with a key or a cookie. */
  open: Map<ServerResponse, { isSigned: boolean }>;
  /** The oldest response at the last check, if it was complete but the client had not read it. */
  unread?: ServerResponse | undefined;
  /** It had a request that was served. */
  isAdmitted: boolean;
  /** A request that came with a key or a cookie was answered and not refused. */
  isTrusted: boolean;
  isLeaving: boolean;
}

/**
 * Keeps a place for those who may use the service. Any program of this machine can open connections; when there are too
 * many, the oldest one that was never let in has to go. What goes is told so, never just cut: a client that loses a
 * connection has to take a prompt for one that may have been created.
 */
export class ConnectionLimit {
  /** In the order in which they came. */
  private readonly connections = new Map<Socket, Connection>();
  /** Those that were told to go, the first one first. */
  private readonly leaving = new Set<Socket>();

  constructor(server: Server) {
    server.maxConnections = MAX_CONNECTIONS + MAX_BEYOND;
    server.on('connection', (socket: Socket) => this.add(socket));
    const check = setInterval(() => this.endUnread(), UNREAD_CHECK_MS).unref();
    server.once('close', () => clearInterval(check));
  }

  /** True when the request may be served; else it is answered here. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.connections.get(request.socket);
    if (connection === undefined || connection.isLeaving) {
      return false;
    }
    if (!connection.isAdmitted && this.admitted() >= MAX_CONNECTIONS && !this.makeRoom(connection)) {
      this.refuse(connection, request, response);
      return false;
    }
    if (connection.open.size >= MAX_OPEN_UNTRUSTED && !isTrusted(connection)) {
      // The only one that is cut without a word: an answer would have to wait behind those that the client does not read.
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

  /** True when no request of the connection is being worked on, so that nothing that is said on it is an answer to one. */
  isQuiet(socket: Socket): boolean {
    return (this.connections.get(socket)?.open.size ?? 0) === 0;
  }

  private add(socket: Socket): void {
    const connection = { socket, open: new Map(), isAdmitted: false, isTrusted: false, isLeaving: false };
    this.connections.set(socket, connection);
    socket.once('close', () => {
      this.connections.delete(socket);
      this.leaving.delete(socket);
    });
    if (this.connections.size > MAX_CONNECTIONS) {
      this.makeRoom(connection);
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
   * Turns away the oldest connection that was never let in and for which nothing is being done; false when there is none.
   * One that has yet to read its answers can go too: it got nothing but refusals.
   */
  private makeRoom(newcomer: Connection): boolean {
    for (const each of this.connections.values()) {
      if (each !== newcomer && !each.isLeaving && isWaiting(each) && !isTrusted(each)) {
        this.turnAway(each);
        return true;
      }
    }
    return false;
  }

  /** Ends each connection without a key that had a complete answer at the last check and has still not read it. */
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

  private turnAway(connection: Connection): void {
    const head = Object.entries(FULL_HEADERS).map(([name, value]) => `${name}: ${value}`);
    connection.socket.end(`HTTP/1.1 503 Service Unavailable\r\n${head.join('\r\n')}\r\n\r\n${FULL}`);
    this.leave(connection);
  }

  /** Only after the whole request was read: else the system would reset the connection, and the answer would be lost. */
  private refuse(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.open.set(response, { isSigned: false });
    request.resume().once('end', () => {
      response.writeHead(503, FULL_HEADERS).end(FULL);
      this.leave(connection);
    });
  }

  private leave(connection: Connection): void {
    const { socket } = connection;
    connection.isLeaving = true;
    this.leaving.add(socket);
    setTimeout(() => socket.destroy(), LEAVING_MS).unref();
    const [first] = this.leaving;
    if (this.leaving.size > MAX_LEAVING && first !== undefined) {
      this.leaving.delete(first);
      first.destroy();
    }
  }
}

function isWaiting({ open }: Connection): boolean {
  return [...open.keys()].every((response) => response.writableEnded);
}

/** Also true while the answer to the first request with a key is still being sent. */
function isTrusted({ isTrusted, open }: Connection): boolean {
  return (
    isTrusted ||
    [...open].some(([{ headersSent, statusCode }, { isSigned }]) => isSigned && headersSent && statusCode < 400)
  );
}

/** True for every way to write the address of the one document that is served without a key. */
function isPublic(url: string): boolean {
  try {
    return decodeURIComponent(url).includes('openapi.json');
  } catch {
    return true;
  }
}
