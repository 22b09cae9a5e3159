import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NOT_HANDLED_HEADER } from '../../shared/protocol/notHandled';

/** How many connections are served at once. */
export const MAX_CONNECTIONS = 300;

/** So many more may be told that there is no room; beyond that they are dropped. */
const MAX_TURNED_AWAY = 300;

/**
 * Says that nothing was done with a request, so that even a prompt can be sent again. A client that loses its connection
 * can't know that.
 */
export const NOT_HANDLED = { [NOT_HANDLED_HEADER]: '1' };

/** How long one that was turned away may take to read why, in milliseconds. */
const LEAVING_MS = 1_000;

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
  /** Requests that are not answered yet. */
  requests: number;
  /** It had a request that was served. */
  isAdmitted: boolean;
  /** One of its requests came with a key or a cookie and was not refused. */
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

  constructor(server: Server) {
    server.maxConnections = MAX_CONNECTIONS + MAX_TURNED_AWAY;
    server.on('connection', (socket: Socket) => this.add(socket));
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
    connection.isAdmitted = true;
    connection.requests += 1;
    const isSigned = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
    response.once('close', () => {
      connection.requests -= 1;
      connection.isTrusted ||= isSigned && response.statusCode < 400 && request.url !== '/openapi.json';
    });
    return true;
  }

  /** True when no request of the connection is being worked on, so that nothing that is said on it is an answer to one. */
  isQuiet(socket: Socket): boolean {
    return (this.connections.get(socket)?.requests ?? 0) === 0;
  }

  private add(socket: Socket): void {
    const connection = { socket, requests: 0, isAdmitted: false, isTrusted: false, isLeaving: false };
    this.connections.set(socket, connection);
    socket.once('close', () => this.connections.delete(socket));
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

  /** Turns away the oldest connection that was never let in and does nothing; false when there is none. */
  private makeRoom(newcomer: Connection): boolean {
    for (const each of this.connections.values()) {
      if (each !== newcomer && !each.isTrusted && !each.isLeaving && each.requests === 0) {
        this.turnAway(each);
        return true;
      }
    }
    return false;
  }

  private turnAway(connection: Connection): void {
    const head = Object.entries(FULL_HEADERS).map(([name, value]) => `${name}: ${value}`);
    connection.socket.end(`HTTP/1.1 503 Service Unavailable\r\n${head.join('\r\n')}\r\n\r\n${FULL}`);
    this.leave(connection);
  }

  /** Only after the whole request was read: else the system would reset the connection, and the answer would be lost. */
  private refuse(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.requests += 1;
    request.resume().once('end', () => {
      response.writeHead(503, FULL_HEADERS).end(FULL);
      this.leave(connection);
    });
  }

  private leave(connection: Connection): void {
    connection.isLeaving = true;
    setTimeout(() => connection.socket.destroy(), LEAVING_MS).unref();
  }
}
