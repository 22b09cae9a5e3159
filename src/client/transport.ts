import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { CONNECT_MS, HEADERS_MS, MAX_BODY_BYTES, MAX_UNREAD_BYTES, REQUEST_MS } from '../base/limits';
import { codeOf, DIRECT, type NetworkSettings, proxyFor } from '../base/network';
import { ServiceError, type ServiceErrorKind } from '../protocol/errors';
import type { makeDispatcher } from './dispatcher';

/** In milliseconds of a monotonic clock. */
export interface Timeouts {
  /** For each connection, from DNS lookup to the end of the TLS handshake: to a proxy, and to the service. */
  connectMs: number;
  headersMs: number;
  /** Between two chunks of the body. */
  bodyMs: number;
  /** From the start of the request to the last byte; for a stream, to the end of the header. */
  totalMs: number;
}

/**
 * How long an idle connection is kept, in milliseconds, even if the service would keep it longer: longer than the
 * interval between two polls of a job.
 */
export const KEEP_ALIVE_MS = 70_000;

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: CONNECT_MS,
  headersMs: HEADERS_MS,
  bodyMs: HEADERS_MS,
  totalMs: REQUEST_MS,
};

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty when the status is conclusive and the body could not be read. */
  body: string;
}

/** A response whose body is still coming. */
export interface OpenAnswer extends Omit<HttpAnswer, 'body'> {
  /** Throws {@link ServiceError}. */
  body: ReadableStream<Uint8Array>;
}

/**
 * HTTP over undici with a dispatcher of our own: global `fetch` may send a POST twice, and the process-wide dispatcher
 * is shared by the whole extension host. Follows no redirects and never retries.
 */
export class Transport {
  private loaded: Promise<{ makeDispatcher: typeof makeDispatcher }> | undefined;
  /** Those of the present settings: one to connect directly, one through the proxy. */
  private current = {
    settings: '',
    direct: undefined as Dispatcher | undefined,
    proxied: undefined as Dispatcher | undefined,
  };
  /** Includes retired dispatchers that are finishing their last requests. */
  private readonly dispatchers = new Set<Dispatcher>();
  private isDisposed = false;

  /**
   * @param network called for each request; a change takes effect for new requests only
   * @param connections maximum number of concurrent requests per service; more are queued
   */
  constructor(
    private readonly timeouts: Timeouts = DEFAULT_TIMEOUTS,
    private readonly network: () => NetworkSettings = () => DIRECT,
    private readonly connections = 4,
    private readonly maxBodyBytes = MAX_BODY_BYTES,
  ) {}

  /** Sends once. Throws {@link ServiceError} of kind `unreachable`, `timeout`, `aborted` or `notUnderstood`. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await this.exchange(request, this.timeouts);
    const { status, headers } = answer;
    try {
      return { status, headers, body: await readText(answer, this.maxBodyBytes) };
    } catch (error) {
      if (status < 200 || status > 299) {
        // For a status such as 401 or 429, the status line is all that matters.
        return { status, headers, body: '' };
      }
      throw error;
    }
  }

  /** Sends once, and returns the response when its header has arrived. Throws like `send`. */
  open(request: HttpRequest, silenceMs: number): Promise<OpenAnswer> {
    return this.exchange(request, { headersMs: silenceMs, bodyMs: silenceMs, totalMs: silenceMs, isStream: true });
  }

  /** Closes the pooled connections; pending requests fail. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.dispatchers].map((each) => each.destroy()));
  }

  private async exchange(request: HttpRequest, limits: ExchangeLimits): Promise<OpenAnswer> {
    const { makeDispatcher } = await (this.loaded ??= import('./dispatcher'));
    if (this.isDisposed) {
      throw new ServiceError('aborted', { effect: 'none' });
    }
    const exchange = new Exchange(limits, request.signal);
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body = null } = request;
      const path = pathname + search;
      this.dispatcher(origin, makeDispatcher).dispatch({ origin, path, method, headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
    return exchange.answer;
  }

  private dispatcher(origin: string, make: typeof makeDispatcher): Dispatcher {
    const network = this.network();
    const settings = JSON.stringify(network);
    if (this.current.settings !== settings) {
      this.retire(this.current.direct);
      this.retire(this.current.proxied);
      this.current = { settings, direct: undefined, proxied: undefined };
    }
    const proxy = proxyFor(new URL(origin), network);
    const way = proxy === undefined ? 'direct' : 'proxied';
    return (this.current[way] ??= this.add(
      make({
        ...{ proxy, systemCertificates: network.systemCertificates, connections: this.connections },
        ...{ connectMs: this.timeouts.connectMs, keepAliveMs: KEEP_ALIVE_MS },
      }),
    ));
  }

  private add(dispatcher: Dispatcher): Dispatcher {
    this.dispatchers.add(dispatcher);
    return dispatcher;
  }

  private retire(dispatcher: Dispatcher | undefined): void {
    void dispatcher?.close().then(
      () => this.dispatchers.delete(dispatcher),
      () => undefined,
    );
  }
}

interface ExchangeLimits extends Omit<Timeouts, 'connectMs'> {
  isStream?: true;
}

/**
 * One request as an undici handler. Tracks whether any byte may have been sent: undici calls `onRequestStart` right
 * before writing, and a second call for the same request is aborted.
 */
class Exchange implements Dispatcher.DispatchHandler {
  /** Settles exactly once, within the timeouts, when the header has arrived; rejects with {@link ServiceError}. */
  readonly answer: Promise<OpenAnswer>;
  private settle: { resolve: (answer: OpenAnswer) => void; reject: (error: ServiceError) => void } | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;
  private isOver = false;
  private phase: NodeJS.Timeout | undefined;
  private readonly total: NodeJS.Timeout;

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.answer = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.total = setTimeout(() => this.fail('timeout', 'TOTAL_TIMEOUT'), limits.totalMs);
    if (signal?.aborted === true) {
      this.onAbort();
    }
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver || this.controller !== undefined) {
      controller.abort(new Error('this request has ended or was already sent'));
      return;
    }
    this.controller = controller;
    this.arm(this.limits.headersMs, 'HEADERS_TIMEOUT');
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Interim responses (RFC 9110, section 15.2) do not extend the timeout.
    if (status < 200 || this.isOver) {
      return;
    }
    if (this.limits.isStream === true) {
      clearTimeout(this.total);
    }
    this.arm(this.limits.bodyMs, 'BODY_TIMEOUT');
    const body = new ReadableStream<Uint8Array>(
      { start: (made) => void (this.body = made), cancel: () => this.fail('aborted') },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
    );
    this.settle?.resolve({ status, headers, body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) {
      return;
    }
    this.phase?.refresh();
    this.body?.enqueue(chunk);
    if ((this.body?.desiredSize ?? 0) < 0) {
      this.fail('notUnderstood', 'TOO_LARGE');
    }
  }

  onResponseEnd(): void {
    if (this.body !== undefined && !this.isOver) {
      this.finish();
      this.body.close();
    }
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const code = codeOf(error)?.replace('UND_ERR_CONNECT_TIMEOUT', 'CONNECT_TIMEOUT');
    this.fail(code?.endsWith('TIMEOUT') === true || code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', code, error);
  }

  private readonly onAbort = (): void => this.fail('aborted');

  private arm(ms: number, code: string): void {
    clearTimeout(this.phase);
    this.phase = setTimeout(() => this.fail('timeout', code), ms);
  }

  private fail(kind: ServiceErrorKind, code?: string, cause?: unknown): void {
    if (this.isOver) {
      return;
    }
    this.finish();
    const effect = this.controller === undefined ? 'none' : 'unknown';
    const error = new ServiceError(kind, { effect, code, cause });
    this.settle?.reject(error);
    this.body?.error(error);
    this.controller?.abort(error);
  }

  private finish(): void {
    this.isOver = true;
    clearTimeout(this.phase);
    clearTimeout(this.total);
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** True when the body would need decompression, which we never request. An empty header counts as absent. */
export function isEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(encoding.trim());
}

/** Reads a body, without the byte order mark that some services send. */
async function readText({ status, headers, body }: OpenAnswer, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const refuse = async (code: string): Promise<never> => {
    await body.cancel();
    throw new ServiceError('notUnderstood', { effect: 'unknown', status, code });
  };
  if (isEncoded(headers)) {
    return refuse('ENCODED');
  }
  let [text, bytes] = ['', 0];
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new ServiceError('notUnderstood', { effect: 'unknown', status, code: 'TOO_LARGE' });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
