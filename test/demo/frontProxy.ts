import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { proxiedAddress } from '../support/vscode/frontProcess';

/** The address at which a browser reaches the VS Code server, and a way to stop it. */
export interface FrontProxy {
  port: number;
  close(): void;
}

/**
 * Forwards everything to the VS Code server on `target`, except what that server leaves to code-server's front process:
 * the key with which a browser encrypts the secrets of extensions, and the route to loopback addresses. Without the key
 * a secret lives only as long as the page. The key is given only to clients that know the connection token.
 */
export async function startFrontProxy(target: number, connectionToken: string): Promise<FrontProxy> {
  const key = randomBytes(32);
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST' && incoming.url?.endsWith('/mint-key') === true) {
      const allowed = incoming.headers.cookie?.includes(connectionToken) === true;
      outgoing.writeHead(allowed ? 200 : 403, { 'content-type': 'application/octet-stream' });
      outgoing.end(allowed ? key : undefined);
    } else if (proxiedAddress(incoming.url ?? '') !== undefined) {
      outgoing.writeHead(302, { location: proxiedAddress(incoming.url ?? '') });
      outgoing.end();
    } else {
      passOn(incoming, outgoing, target);
    }
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    passOnSocket(incoming, socket, head, target),
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { port: await listen(server), close: () => closeAll(server, sockets) };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: number): void {
  const { method, url: path, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/**
 * The head of an upgrade request has already been read, so it is written again before the two sockets are connected.
 */
function passOnSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer, target: number): void {
  const onward = connect(target, '127.0.0.1', () => {
    const lines = [`${incoming.method ?? 'GET'} ${incoming.url ?? '/'} HTTP/1.1`];
    for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
      lines.push(incoming.rawHeaders.slice(index, index + 2).join(': '));
    }
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  onward.once('error', () => socket.destroy());
  socket.once('error', () => onward.destroy());
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close();
  for (const socket of sockets) {
    socket.destroy();
  }
}
