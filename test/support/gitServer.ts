import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { git, temporaryFolder } from './temporaryRepository';

/** A request as it was received. */
export interface GitRequest {
  method: string;
  /** Includes the query. */
  path: string;
  authorization: string | undefined;
}

/**
 * A Git host on a loopback port: real `git http-backend` for paths that contain `.git/…`, and an API that the test
 * controls for the rest.
 */
export class GitServer {
  /** Each request for a repository. */
  readonly requests: GitRequest[] = [];
  /** `user:password`, required for each request for a repository; undefined allows everyone. */
  password: string | undefined;
  /** Answers a wrong password as if the repository did not exist, as hosts do for private repositories. */
  hides = false;
  /** The API's answer about the repository `robin/lighthouse`, by token; other tokens get no such answer. */
  readonly answersByToken = new Map<string, unknown>();
  /** Never answers. */
  hangs = false;
  /** Where requests for repositories are redirected. */
  redirectTo: string | undefined;
  /** The origin of the API that receives all other requests, and the path prefix to remove from them. */
  api: { origin: string; prefix: string } | undefined;
  /** Answers for paths outside any repository; these take precedence over the API. */
  readonly answers = new Map<string, { status: number; headers?: Record<string, string>; body?: unknown }>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** Contains the repositories. */
    readonly root: string,
  ) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket.once('close', () => this.sockets.delete(socket)));
    });
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.serve(incoming, response);
    });
  }

  static async start(): Promise<GitServer> {
    const server = new GitServer(createServer(), await temporaryFolder());
    server.server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** Creates a bare repository; if `from` is given, with its branch `main`. Returns its folder. */
  async add(path: string, from?: string): Promise<string> {
    const folder = join(this.root, `${path}.git`);
    const make = from === undefined ? ['init'] : ['clone', '--branch', 'main', '--single-branch', '--no-tags'];
    await git(this.root, ...make, '--quiet', '--bare', '--template=', ...(from === undefined ? [] : [from]), folder);
    await appendFile(join(folder, 'config'), '[http]\nreceivepack = true\n[receive]\nadvertisePushOptions = true\n');
    return folder;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  private serve(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '/', headers } = incoming;
    if (!path.includes('.git/')) {
      this.sendOn(incoming, response);
      return;
    }
    this.requests.push({ method, path, authorization: headers.authorization });
    if (this.hangs) {
      return;
    }
    if (this.redirectTo !== undefined) {
      response.writeHead(302, { location: this.redirectTo + path }).end();
      return;
    }
    const wanted = this.password && `Basic ${Buffer.from(this.password).toString('base64')}`;
    if (wanted !== undefined && headers.authorization !== wanted) {
      if (this.hides && headers.authorization !== undefined) {
        response.writeHead(404).end('Repository not found');
        return;
      }
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
      return;
    }
    runBackend(this.root, incoming, response);
  }

  private sendOn(incoming: IncomingMessage, response: ServerResponse): void {
    const token = /^(?:bearer|token) (.+)$/i.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const body = (incoming.url ?? '').endsWith('/repos/robin/lighthouse') ? this.answersByToken.get(token) : undefined;
    const own = body === undefined ? this.answers.get(incoming.url ?? '') : { status: 200, body };
    if (own !== undefined) {
      const headers = { 'content-type': 'application/json', ...own.headers };
      response.writeHead(own.status, headers).end(JSON.stringify(own.body ?? {}));
      return;
    }
    if (this.api === undefined || incoming.url?.startsWith(this.api.prefix) !== true) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end();
      return;
    }
    const { method, headers } = incoming;
    const path = incoming.url.slice(this.api.prefix.length) || '/';
    const onward = request(this.api.origin + path, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  }
}

/** Implements CGI (RFC 3875) with `git http-backend`. */
function runBackend(root: string, incoming: IncomingMessage, response: ServerResponse): void {
  const url = new URL(incoming.url ?? '/', 'http://x');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: root,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: incoming.method,
    CONTENT_TYPE: incoming.headers['content-type'],
    HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'],
    GIT_PROTOCOL: incoming.headers['git-protocol'] as string | undefined,
    REMOTE_USER: 'robin',
    REMOTE_ADDR: '127.0.0.1',
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  incoming.pipe(child.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end !== -1) {
      writeHead(head.subarray(0, end).toString('latin1'), response);
      response.write(head.subarray(end + 4));
      head = undefined;
    }
  });
  child.once('close', () => response.end());
}

function writeHead(text: string, response: ServerResponse): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === 'status') {
      status = Number.parseInt(value, 10);
    } else {
      response.setHeader(name, value);
    }
  }
  response.writeHead(status);
}

/** Installs a hook in a bare repository: the host's own, which accepts or rejects a push. */
export async function addHook(folder: string, name: string, script: string): Promise<void> {
  await mkdir(join(folder, 'hooks'), { recursive: true });
  const path = join(folder, 'hooks', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
