import { createSecureContext, getCACertificates } from 'node:tls';
import type { EnvHttpProxyAgent } from 'undici';
import { isLoopback } from '../../shared/util/isLoopback';
import { ForgeFailure } from './forgeFailure';
import type * as UndiciParts from './undiciParts';

export interface ForgeRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

export interface ForgeAnswer {
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: string;
}

/** Of one request, from its beginning to the last byte of the answer, in milliseconds. */
const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 300;

/**
 * HTTP to code hosts, through the proxy of the environment where there is one. Each request goes out once, but for a GET
 * that came to nothing. A redirect is followed on the same origin only: no token goes to another host.
 */
export class ForgeHttp {
  private parts: Promise<typeof UndiciParts> | undefined;
  private agent: EnvHttpProxyAgent | undefined;

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** Throws ForgeFailure when no whole answer comes, or the signal's reason. Any status is an answer. */
  async send(request: ForgeRequest): Promise<ForgeAnswer> {
    let current = request;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.insist(current);
      const next = redirects < MAX_REDIRECTS ? followed(current, answer) : undefined;
      if (next === undefined) {
        return answer;
      }
      current = next;
    }
  }

  async close(): Promise<void> {
    await this.agent?.destroy();
    this.agent = undefined;
  }

  private async insist(request: ForgeRequest): Promise<ForgeAnswer> {
    for (let attempt = 1; ; attempt++) {
      const isLast = request.method !== 'GET' || attempt === MAX_ATTEMPTS;
      try {
        const answer = await this.once(request);
        if (isLast || ![502, 503, 504].includes(answer.status)) {
          return answer;
        }
      } catch (error) {
        if (isLast || request.signal.aborted) {
          throw error;
        }
      }
      await pause(PAUSE_MS * attempt, request.signal);
    }
  }

  private async once({ method, url, headers, body, signal }: ForgeRequest): Promise<ForgeAnswer> {
    signal.throwIfAborted();
    const { host, protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
      throw new ForgeFailure(`Only HTTPS leads to ${host}.`, undefined);
    }
    const parts = await (this.parts ??= import('./undiciParts'));
    const limit = AbortSignal.timeout(this.timeoutMs);
    try {
      const both = AbortSignal.any([signal, limit]);
      const dispatcher = this.dispatcher(parts);
      const options = { method: method as 'GET', headers, body: body ?? null, signal: both, dispatcher };
      const answer = await parts.request(url, options);
      return { status: answer.statusCode, headers: flat(answer.headers), body: await bounded(answer.body) };
    } catch (error) {
      signal.throwIfAborted();
      const words = limit.aborted
        ? `${host} did not answer in time. Check the connection, then send a follow-up.`
        : `${host} could not be reached${codeOf(error)}. Check the connection, then send a follow-up.`;
      throw new ForgeFailure(words, undefined);
    }
  }

  private dispatcher(parts: typeof UndiciParts): EnvHttpProxyAgent {
    if (this.agent !== undefined) {
      return this.agent;
    }
    const named = (name: string): string => this.environment[name] ?? this.environment[name.toUpperCase()] ?? '';
    const [httpProxy, httpsProxy] = [named('http_proxy'), named('https_proxy')];
    const noProxy = [named('no_proxy'), 'localhost,127.0.0.1,::1,[::1]'].filter((each) => each !== '').join(',');
    const ca = [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
    // Else NODE_TLS_REJECT_UNAUTHORIZED would switch verification off.
    const tls = { secureContext: createSecureContext({ ca }), rejectUnauthorized: true };
    const proxies = { httpProxy, httpsProxy: httpsProxy === '' ? httpProxy : httpsProxy, noProxy };
    const times = { headersTimeout: this.timeoutMs, bodyTimeout: this.timeoutMs };
    this.agent = new parts.EnvHttpProxyAgent({
      ...{ ...proxies, ...times, connections: 2, keepAliveTimeout: 1000 },
      ...{ connect: tls, requestTls: tls, proxyTls: tls },
    });
    return this.agent;
  }
}

/** The request that a redirect asks for; undefined where there is none, or none that may be followed. */
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

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

async function bounded(body: AsyncIterable<unknown> & { destroy: () => unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      body.destroy();
      throw new Error('the answer is too long');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
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
