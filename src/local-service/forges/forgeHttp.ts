import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import {
  codeOf,
  ConnectFailure,
  isLoopback,
  type NetworkSettings,
  proxyFor,
  type ProxyServer,
} from '../../base/network';
import { coded, type CodedText } from '../../protocol/codedText';
import { ForgeFailure } from './forgeErrors';

export interface ForgeRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

export interface ForgeAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Timeout of one request, from its start to the last byte of the response, in milliseconds. */
const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 300;

/**
 * HTTP client for Git hosts. Uses the proxy that the environment names, if any. Only a failed GET is retried.
 * Redirects are followed on the same origin only, so that no token is sent to another host.
 */
export class ForgeHttp {
  private readonly network: NetworkSettings;
  private readonly closing = new AbortController();
  private trusted: SecureContext | undefined;

  constructor(
    environment: NodeJS.ProcessEnv,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.network = networkOf(environment);
  }

  /** Throws ForgeFailure if no complete response arrives, or the signal's reason. Any status counts as a response. */
  async send(request: ForgeRequest): Promise<ForgeAnswer> {
    let current = request;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.sendWithRetries(current);
      const next = redirects < MAX_REDIRECTS ? followed(current, answer) : undefined;
      if (next === undefined) {
        return answer;
      }
      current = next;
    }
  }

  /** Aborts pending requests. */
  async close(): Promise<void> {
    this.closing.abort();
  }

  private async sendWithRetries(request: ForgeRequest): Promise<ForgeAnswer> {
    const target = new URL(request.url);
    // Before the first attempt: a retry cannot fix an error here.
    const proxy = this.proxyTo(target);
    for (let attempt = 1; ; attempt++) {
      const isLast = request.method !== 'GET' || attempt === MAX_ATTEMPTS;
      try {
        const answer = await this.once(target, proxy, request);
        if (isLast || ![502, 503, 504].includes(answer.status)) {
          return answer;
        }
      } catch (error) {
        if (isLast || request.signal.aborted || this.closing.signal.aborted) {
          throw error;
        }
      }
      await pause(PAUSE_MS * attempt, request.signal);
    }
  }

  /** Throws ForgeFailure for an insecure URL or an unusable proxy. */
  private proxyTo(target: URL): ProxyServer | undefined {
    const { host, protocol, hostname } = target;
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
      throw new ForgeFailure(coded('onlyHttps', { host }), undefined);
    }
    try {
      return proxyFor(target, this.network);
    } catch {
      throw new ForgeFailure(coded('proxyNotUsable', { host }), undefined);
    }
  }

  private async once(
    target: URL,
    proxy: ProxyServer | undefined,
    { method, headers, body, signal }: ForgeRequest,
  ): Promise<ForgeAnswer> {
    signal.throwIfAborted();
    const { host } = target;
    const limit = AbortSignal.timeout(this.timeoutMs);
    try {
      const any = AbortSignal.any([signal, limit, this.closing.signal]);
      const secureContext = (this.trusted ??= authorities());
      const answer = await httpRequest(target, { method, headers, body, signal: any, secureContext, proxy });
      return { status: answer.statusCode ?? 0, headers: flat(answer.headers), body: await bounded(answer) };
    } catch (error) {
      signal.throwIfAborted();
      const text = limit.aborted
        ? coded('hostSilent', { host })
        : coded('hostNotReached', { host, said: codeIn(error) });
      throw new ForgeFailure(text, undefined);
    }
  }
}

/** The proxy that the environment names, read as other programs read it. */
function networkOf(environment: NodeJS.ProcessEnv): NetworkSettings {
  const named = (name: string): string => environment[name] ?? environment[name.toUpperCase()] ?? '';
  const httpsProxy = named('https_proxy');
  return {
    proxy: httpsProxy === '' ? named('http_proxy') : httpsProxy,
    noProxy: named('no_proxy').split(/[,\s]/),
    systemCertificates: true,
  };
}

/** Node's own certificate authorities, those that the user added to them, and the system's. */
function authorities(): SecureContext {
  return createSecureContext({ ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])] });
}

/** The request that a redirect asks for; undefined if there is none, or if it must not be followed. */
function followed(request: ForgeRequest, { status, headers }: ForgeAnswer): ForgeRequest | undefined {
  const location = headers['location'];
  const isKept = status === 307 || status === 308;
  const isMoved = request.method === 'GET' && (status === 301 || status === 302);
  if (location === undefined || !(isKept || isMoved) || !URL.canParse(location, request.url)) {
    return undefined;
  }
  const url = new URL(location, request.url);
  return url.origin === new URL(request.url).origin ? { ...request, url: url.href } : undefined;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

async function bounded(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      body.destroy();
      throw new Error('the response is too long');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function codeIn(error: unknown): CodedText | string {
  const code = codeOf(error) ?? '';
  return /^[A-Z0-9_]+$/.test(code) ? coded('codeInParentheses', { code }) : '.';
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
  /** The trusted certificate authorities. */
  secureContext: SecureContext;
  /** The request is tunneled through it, so that the proxy sees only the name of the host. */
  proxy?: ProxyServer | undefined;
}

/**
 * Sends one request on its own connection, so that none is lost on a connection that was just closed. Resolves with the
 * response as soon as it begins. Rejects with Node's error, or with ConnectFailure for an error at the proxy.
 */
export async function httpRequest(url: URL, outgoing: Outgoing): Promise<IncomingMessage> {
  const { method, headers, body, signal, secureContext, proxy } = outgoing;
  const tls = verified(secureContext);
  const tunnel = proxy && (await openTunnel(proxy, url, outgoing));
  // A URL has IPv6 addresses in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const way =
    tunnel === undefined
      ? { agent: false as const }
      : { createConnection: () => connect({ ...tls, ...servername, host, socket: tunnel }) };
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    send(url, { method, headers, signal, ...tls, ...way })
      .on('response', resolve)
      .on('error', reject)
      .on('close', () => reject(new Error('the connection was closed')))
      .end(body);
  });
}

/** Asks a proxy to open a connection to the target (RFC 9110, section 9.3.6). */
async function openTunnel(proxy: ProxyServer, target: URL, { signal, secureContext }: Outgoing): Promise<Socket> {
  const authority = `${target.hostname}:${target.port === '' ? '443' : target.port}`;
  const login = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  const send = proxy.origin.startsWith('https:') ? requestSecure : requestPlain;
  const options = { method: 'CONNECT', path: authority, headers: { host: authority, ...login }, agent: false, signal };
  return new Promise((resolve, reject) => {
    send(proxy.origin, { ...options, ...verified(secureContext) })
      .on('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode >= 200 && statusCode < 300) {
          resolve(socket);
        } else {
          socket.on('error', () => undefined).destroy();
          reject(new ConnectFailure(statusCode === 407 ? 'PROXY_LOGIN' : `PROXY_STATUS_${statusCode}`));
        }
      })
      .on('error', (error) => reject(new ConnectFailure(`PROXY_${codeOf(error) ?? 'LOST'}`, error)))
      .end();
  });
}

/** Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could otherwise turn verification off. */
function verified(secureContext: SecureContext): { secureContext: SecureContext; rejectUnauthorized: true } {
  return { secureContext, rejectUnauthorized: true };
}
