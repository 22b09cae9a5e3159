import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { Identity } from './certificates';

/** How the proxy responds to a CONNECT. */
export type ProxyConduct =
  /** Opens the tunnel. */
  | 'tunnel'
  /** Never answers. */
  | 'hang'
  /** Answers with something that is not HTTP. */
  | 'garbage'
  /** Begins an answer and closes the connection. */
  | 'half'
  | 'close'
  | 'reset'
  /** Opens the tunnel but forwards nothing. */
  | 'deaf'
  /** Opens the tunnel and resets it at the first byte. */
  | 'cut'
  /** Opens the tunnel and sends unrelated data in it. */
  | 'babble'
  /** Answers with this status. */
  | number;

export interface SeenConnect {
  /** The requested host and port. */
  authority: string;
  /** The whole request head as received. */
  head: string;
}

export interface FaultProxyOptions {
  conduct?: ProxyConduct;
  /** The target of every tunnel, whatever was requested, so names need not resolve. */
  port?: number;
  /** The required value of `Proxy-Authorization`; without it the proxy answers 407. */
  login?: string;
  /** Makes it an HTTPS proxy. */
  identity?: Identity;
}

/** A real HTTP proxy on a loopback port with scripted behavior. */
export class FaultProxy {
  readonly connects: SeenConnect[] = [];
  /** Requests other than CONNECT: unencrypted requests that a proxy must never see. */
  readonly others: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
    readonly options: FaultProxyOptions,
  ) {
    server.on(scheme === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => this.serve(socket));
  }

  static async start(options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const { identity } = options;
    const server = identity === undefined ? createServer() : createSecureServer(identity);
    server.on('tlsClientError', () => undefined);
    const proxy = new FaultProxy(server, identity === undefined ? 'http' : 'https', options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  private serve(socket: Socket): void {
    this.keep(socket);
    let head = '';
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (head.includes('\r\n\r\n')) {
        socket.off('data', read);
        socket.pause();
        this.answer(socket, head);
      }
    };
    socket.on('data', read);
  }

  private answer(socket: Socket, head: string): void {
    const authority = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1];
    if (authority === undefined) {
      this.others.push(head);
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.connects.push({ authority, head });
    const { conduct = 'tunnel', login } = this.options;
    const given = /^proxy-authorization: (.*)\r$/im.exec(head)?.[1];
    this.behave(socket, login !== undefined && given !== login ? 407 : conduct);
  }

  private behave(socket: Socket, conduct: ProxyConduct): void {
    const established = 'HTTP/1.1 200 Connection established\r\n\r\n';
    switch (conduct) {
      case 'tunnel':
        this.tunnel(socket, established);
        break;
      case 'hang':
        break;
      case 'garbage':
        socket.write('220 smtp.example ready\r\n');
        break;
      case 'half':
        socket.end('HTTP/1.1 20');
        break;
      case 'close':
        socket.end();
        break;
      case 'reset':
        socket.resetAndDestroy();
        break;
      case 'deaf':
        socket.write(established);
        break;
      case 'cut':
        socket.write(established);
        socket.once('data', () => socket.resetAndDestroy()).resume();
        break;
      case 'babble':
        socket.write(established);
        socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.9\r\n')).resume();
        break;
      default: {
        const wanted = conduct === 407 ? 'proxy-authenticate: Basic realm="test"\r\n' : '';
        socket.end(`HTTP/1.1 ${conduct} Refused\r\n${wanted}content-length: 5\r\n\r\nsorry`);
      }
    }
  }

  private tunnel(socket: Socket, established: string): void {
    const { port = 0 } = this.options;
    const target = this.keep(connect(port, '127.0.0.1'));
    target.once('connect', () => {
      socket.write(established);
      socket.pipe(target).pipe(socket);
      // Piping alone would turn a reset into silence.
      target.once('close', (hadError) => (hadError ? socket.resetAndDestroy() : socket.destroySoon()));
      socket.once('close', () => target.destroy());
    });
    target.once('error', () => this.behave(socket, 502));
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}
