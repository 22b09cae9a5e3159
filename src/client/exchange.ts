import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { codeOf } from '../base/network';
import { ServiceError, type ServiceErrorKind } from '../protocol/errors';

/** The largest answer that is read, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty where the status says what happened and the body could not be read. */
  body: string;
}

/** How long an exchange may take, in milliseconds by a clock that never jumps. */
export interface ExchangeTimeouts {
  headersMs: number;
  /** From one piece of the body to the next. */
  bodyMs: number;
  /** From the first try to connect to the last byte. */
  totalMs: number;
}

/**
 * One request as undici tells of it, and what became of it. Knows whether a byte may have left: undici announces a
 * request right before it writes it, and a second announcement of the same request is refused.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Settles once, and in time: rejects with {@link ServiceError}. */
  readonly answer: Promise<HttpAnswer>;
  private settle: { resolve: (answer: HttpAnswer) => void; reject: (error: ServiceError) => void } | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private head: Omit<HttpAnswer, 'body'> | undefined;
  private readonly chunks: Buffer[] = [];
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
      controller.abort(new Error('this request is over, or was sent before'));
      return;
    }
    this.controller = controller;
    this.arm(this.timeouts.headersMs, 'HEADERS_TIMEOUT');
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer (RFC 9110, section 15.2) gives it no more time.
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
    this.size += chunk.length;
    if (this.size > MAX_BODY_BYTES) {
      this.fail('notUnderstood', 'TOO_LARGE');
      return;
    }
    this.chunks.push(chunk);
    this.phase?.refresh();
  }

  onResponseEnd(): void {
    const { settle, head } = this;
    if (head !== undefined) {
      this.finish();
      settle?.resolve({ ...head, body: decoded(this.chunks) });
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
      // Whoever answers 401 or 429 has said it all in the first line, however the rest looks.
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

/** True when the body would have to be unpacked; we ask for none that has to be. An empty header says nothing. */
export function isEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return !/^\s*(?:identity)?\s*$/i.test(encoding);
}

/** Text without the byte order mark that some services begin it with. */
function decoded(chunks: readonly Buffer[]): string {
  const text = Buffer.concat(chunks).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
