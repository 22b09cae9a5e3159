import { systemClock } from '../../base/async';
import { FORGE_REQUEST_MS, MAX_FORGE_BODY_BYTES } from '../../base/limits';
import { isLoopback, type NetworkSettings } from '../../base/network';
import { isTransient, retry } from '../../base/retry';
import { type HttpAnswer, type HttpRequest, Transport } from '../../client/transport';
import { coded, type CodedText } from '../../protocol/codedText';
import type { ServiceError } from '../../protocol/errors';
import { ForgeFailure } from './forgeErrors';

export type ForgeRequest = HttpRequest & { signal: AbortSignal };

export interface ForgeAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

const MAX_CONNECTIONS = 4;
const MAX_REDIRECTS = 3;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 300;

/**
 * HTTP client for Git hosts. Uses the proxy that the environment names, if any. Only a failed GET is retried.
 * Redirects are followed on the same origin only, so that no token is sent to another host.
 */
export class ForgeHttp {
  private readonly transport: Transport;

  constructor(environment: NodeJS.ProcessEnv, ms = FORGE_REQUEST_MS) {
    const network = networkOf(environment);
    const timeouts = { connectMs: ms, headersMs: ms, bodyMs: ms, totalMs: ms };
    this.transport = new Transport(timeouts, () => network, MAX_CONNECTIONS, MAX_FORGE_BODY_BYTES);
  }

  /** Throws ForgeFailure if no complete response arrives, or the signal's reason. Any status counts as a response. */
  async send(request: ForgeRequest): Promise<ForgeAnswer> {
    const { host, protocol, hostname } = new URL(request.url);
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
      throw new ForgeFailure(coded('onlyHttps', { host }), undefined);
    }
    try {
      let answer = await this.sendWithRetries(request);
      let next = followed(request, answer);
      for (let redirects = 0; next !== undefined && redirects < MAX_REDIRECTS; redirects++) {
        answer = await this.sendWithRetries(next);
        next = followed(next, answer);
      }
      return { ...answer, headers: flat(answer.headers) };
    } catch (error) {
      request.signal.throwIfAborted();
      throw new ForgeFailure(textOf(error as ServiceError, host), undefined);
    }
  }

  /** Aborts pending requests. */
  close(): Promise<void> {
    return this.transport.dispose();
  }

  private sendWithRetries(request: ForgeRequest): Promise<HttpAnswer> {
    const attempt = async (isLast: boolean): Promise<HttpAnswer> => {
      const answer = await this.transport.send(request);
      if (!isLast && [502, 503, 504].includes(answer.status)) {
        throw new Busy();
      }
      return answer;
    };
    const isPermanent = (error: unknown): boolean =>
      !(error instanceof Busy) && (!isTransient(error) || error.code === 'PROXY_SETTING');
    return retry(attempt, {
      attempts: request.method === 'GET' ? MAX_ATTEMPTS : 1,
      wait: (error, failures) => (isPermanent(error) ? undefined : PAUSE_MS * failures),
      clock: systemClock,
      signal: request.signal,
    });
  }
}

/** The host asks to try again later. */
class Busy extends Error {}

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

/** The request that a redirect asks for; undefined if there is none, or if it must not be followed. */
function followed(request: ForgeRequest, { status, headers: { location } }: HttpAnswer): ForgeRequest | undefined {
  const isKept = status === 307 || status === 308;
  const isMoved = request.method === 'GET' && (status === 301 || status === 302);
  if (location === undefined || !(isKept || isMoved) || !URL.canParse(location, request.url)) {
    return undefined;
  }
  const url = new URL(location, request.url);
  return url.origin === new URL(request.url).origin ? { ...request, url: url.href } : undefined;
}

function flat(headers: HttpAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function textOf({ kind, code = '' }: ServiceError, host: string): CodedText {
  if (code === 'PROXY_SETTING') {
    return coded('proxyNotUsable', { host });
  }
  if (kind === 'timeout') {
    return coded('hostSilent', { host });
  }
  const said = /^[A-Z0-9_]+$/.test(code) ? coded('codeInParentheses', { code }) : '.';
  return coded('hostNotReached', { host, said });
}
