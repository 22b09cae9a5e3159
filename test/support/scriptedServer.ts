import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type ServerOptions, createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A fault in an answer. */
export type Fault =
  /** Nothing is ever sent. */
  | 'hang'
  /** The connection is reset once the request has been read. */
  | 'reset'
  /** The connection is closed cleanly once the request has been read. */
  | 'close'
  /** Half of the announced body is sent, then the connection is reset. */
  | 'cut'
  /** Headers and a first byte are sent, then nothing. */
  | 'stall'
  /** The body is sent byte by byte and never ends. */
  | 'trickle'
  /** The body is sent as fast as it is read and never ends. */
  | 'endless'
  /** The body is sent as it is, without a status line, then the connection is closed. */
  | 'raw';

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Text and bytes are sent as they are, everything else as JSON. */
  body?: unknown;
  fault?: Fault;
  /** Delay in milliseconds. */
  delayMs?: number;
}

export interface SeenRequest {
  method: string;
  /** The raw path of the request line, with percent encoding. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const TRICKLE_MS = 20;

/**
 * A real HTTP server on a loopback port with scripted answers: they are consumed in order, and the last one repeats.
 * For answers that no correct service gives.
 */
export class ScriptedServer {
  /** Each request whose body arrived in full. */
  readonly requests: SeenRequest[] = [];
  answers: ScriptedAnswer[] = [];
  /**
   * Picks the answer by the request, for when the order of several requests is not known. Takes precedence over
   * `answers`.
   */
  choose: ((seen: SeenRequest) => ScriptedAnswer) | undefined;
  /** How many connections were opened, used or not. */
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket.once('close', () => this.sockets.delete(socket)));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.serve(request, response);
    });
  }

  /** How long an idle connection is kept. */
  set keepAliveMs(ms: number) {
    this.server.keepAliveTimeout = ms;
  }

  static async start(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
    return ScriptedServer.startAt(0, ...answers);
  }

  /** Listens on a port that was free before: a service that is back. */
  static async startAt(port: number, ...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
    return ScriptedServer.listen(new ScriptedServer(createServer(), 'http'), answers, port);
  }

  static async startSecure(options: ServerOptions, ...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
    return ScriptedServer.listen(new ScriptedServer(createSecureServer(options), 'https'), answers);
  }

  private static async listen(scripted: ScriptedServer, answers: ScriptedAnswer[], port = 0): Promise<ScriptedServer> {
    scripted.answers = answers;
    scripted.server.listen(port, '127.0.0.1');
    await once(scripted.server, 'listening');
    return scripted;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The number of requests with a method, optionally with a path prefix. */
  count(method: string, prefix = ''): number {
    return this.requests.filter((seen) => seen.method === method && seen.path.startsWith(prefix)).length;
  }

  /** Closes idle connections as a server does when the keep-alive time is over. */
  closeIdle(): void {
    this.server.closeIdleConnections();
  }

  /** Resets every connection, as a machine does that has just been restarted. */
  resetAll(): void {
    this.sockets.forEach((socket) => socket.resetAndDestroy());
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let seen: SeenRequest;
    try {
      const { method = '', url: path = '', headers } = request;
      seen = { method, path, headers, body: await readAll(request) };
    } catch {
      // The client disconnected midway, so there is no request to answer.
      return;
    }
    this.requests.push(seen);
    response.on('error', () => response.destroy());
    const next = this.choose?.(seen) ?? (this.answers.length > 1 ? this.answers.shift() : this.answers[0]);
    const answer = next ?? { status: 500 };
    if (answer.delayMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    }
    give(answer, request, response);
  }
}

function give(answer: ScriptedAnswer, request: IncomingMessage, response: ServerResponse): void {
  const { status = 200, headers = {}, body = '', fault } = answer;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const json = { 'content-type': 'application/json', ...headers };
  switch (fault) {
    case undefined:
      response.writeHead(status, { ...json, 'content-length': bytes.length }).end(bytes);
      break;
    case 'hang':
      break;
    case 'reset':
      request.socket.resetAndDestroy();
      break;
    case 'close':
      request.socket.end();
      break;
    case 'cut':
      response.writeHead(status, { ...json, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length >> 1), () => request.socket.destroySoon());
      break;
    case 'stall':
      response.writeHead(status, json).write('{');
      break;
    case 'trickle':
      response.writeHead(status, json);
      trickle(response);
      break;
    case 'raw':
      request.socket.end(bytes);
      break;
    case 'endless':
      response.writeHead(status, json);
      pour(response);
      break;
  }
}

function trickle(response: ServerResponse): void {
  if (!response.destroyed) {
    response.write(' ');
    setTimeout(() => trickle(response), TRICKLE_MS);
  }
}

/** Stops at the first failed write: in Node.js 24.22, writes fail for a while before `destroyed` is set. */
function pour(response: ServerResponse): void {
  response.write(Buffer.alloc(65_536, ' '), (error) => {
    if (error === undefined || error === null) {
      pour(response);
    }
  });
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
