import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { codeOf } from '../base/network';
import { ServiceError, type ServiceErrorKind } from '../protocol/errors';

/** Maximum size of a response body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty when the status is conclusive and the body could not be read. */
  body: string;
}

/** Timeouts of an exchange, in milliseconds of a monotonic clock. */
export interface ExchangeTimeouts {
  headersMs: number;
  /** Between two chunks of the body. */
  bodyMs: number;
  /** From the first connection attempt to the last byte. */
  totalMs: number;
}

/**
 * One request as an undici handler, and its outcome. Tracks whether any byte may have been sent: undici calls
 * `onRequestStart` right before writing, and a second call for the same request is aborted.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Settles exactly once, within the timeouts; rejects with {@link ServiceError}. */
  readonly answer: Promise<HttpAnswer>;
  private settle: { resolve: (answer: HttpAnswer) => void; reject: (error: ServiceError) => void } | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private head: Omit<HttpAnswer, 'body'> | undefined;
  private body: Buffer = Buffer.alloc(0);
  private size = 0;
  private phase: NodeJS.Timeout | undefined;
  private readonly whole: NodeJS.Timeout;

  constructor(
    private readonly timeouts: ExchangeTimeouts,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.answer = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.whole = setTimeout(() => this.fail('timeout', 'TOTAL_TIMEOUT'), timeouts.totalMs);
    if (signal?.aborted === true) {
      this.onAbort();
    }
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settle === undefined || this.controller !== undefined) {
      controller.abort(new Error('this request has ended or was already sent'));
      return;
    }
    this.controller = controller;
    this.arm(this.timeouts.headersMs, 'HEADERS_TIMEOUT');
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Interim responses (RFC 9110, section 15.2) do not extend the timeout.
    if (status < 200) {
      return;
    }
    this.head = { status, headers };
    if (isEncoded(headers)) {
      this.fail('notUnderstood', 'ENCODED');
      return;
    }
    this.arm(this.timeouts.bodyMs, 'BODY_TIMEOUT');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (size > MAX_BODY_BYTES) {
      this.fail('notUnderstood', 'TOO_LARGE');
      return;
    }
    // Keeping the chunks would take 300 bytes each, and a body may come byte by byte.
    this.body = withRoomFor(this.body, size);
    chunk.copy(this.body, this.size);
    this.size = size;
    this.phase?.refresh();
  }

  onResponseEnd(): void {
    const { settle, head } = this;
    if (head !== undefined) {
      this.finish();
      settle?.resolve({ ...head, body: decoded(this.body.subarray(0, this.size)) });
    }
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const code = codeOf(error);
    this.fail(code?.endsWith('TIMEOUT') === true || code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', code, error);
  }

  private readonly onAbort = (): void => this.fail('aborted');

  private arm(ms: number, code: string): void {
    clearTimeout(this.phase);
    this.phase = setTimeout(() => this.fail('timeout', code), ms);
  }

  private fail(kind: ServiceErrorKind, code?: string, cause?: unknown): void {
    const { settle, head, controller } = this;
    if (settle === undefined) {
      return;
    }
    this.finish();
    if (head !== undefined && (head.status < 200 || head.status > 299)) {
      // For a status such as 401 or 429, the status line is all that matters.
      settle.resolve({ ...head, body: '' });
    } else {
      const effect = controller === undefined ? 'none' : 'unknown';
      const status = kind === 'notUnderstood' ? head?.status : undefined;
      settle.reject(new ServiceError(kind, { effect, status, code, cause }));
    }
    controller?.abort(new Error(code ?? kind));
  }

  private finish(): void {
    this.settle = undefined;
    clearTimeout(this.phase);
    clearTimeout(this.whole);
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** True when the body would need decompression, which we never request. An empty header counts as absent. */
export function isEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(encoding.trim());
}

/** Returns the buffer, or a copy of twice the size that is needed. */
function withRoomFor(buffer: Buffer, size: number): Buffer {
  if (size <= buffer.length) {
    return buffer;
  }
  const grown = Buffer.alloc(2 * size);
  buffer.copy(grown);
  return grown;
}

/** Decodes the text, without the byte order mark that some services send. */
function decoded(body: Buffer): string {
  const text = body.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
