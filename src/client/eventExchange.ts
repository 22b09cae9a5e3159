import type { IncomingHttpHeaders } from 'node:http';
import { type EventSourceMessage, type EventSourceParser, createParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { ServiceError, type ServiceErrorKind } from '../shared/protocol/serviceError';
import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import { refusalOf } from './answer';
import { isEncoded } from './exchange';
import { codeOf } from '../shared/network/connectFailure';

/** How long nothing may come, in milliseconds; services send a comment more often than that. */
export const MAX_SILENCE_MS = 45_000;

/** The longest event that is read, in characters. */
const MAX_EVENT = 1024 * 1024;

export interface EventExchangeOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Called with the events of each piece of the answer; an empty list is a sign of life. */
  onEvents: (events: readonly EventSourceMessage[]) => void;
}

/**
 * One request that is answered by server-sent events (HTML standard, 9.2), as undici tells of it. Holds no more than one
 * unfinished event. Closes its connection whenever it ends before the answer does.
 */
export class EventExchange implements Dispatcher.DispatchHandler {
  /** Resolves when the service ended its answer in order; rejects with {@link ServiceError}. */
  readonly ended: Promise<void>;
  private settle: { resolve: () => void; reject: (error: ServiceError) => void } | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private silence: Disposable | undefined;
  private readonly decoder = new TextDecoder();
  private readonly parser: EventSourceParser;
  private events: EventSourceMessage[] = [];

  constructor(private readonly options: EventExchangeOptions) {
    this.ended = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.parser = createParser({
      onEvent: (event) => this.events.push(event),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') {
          this.fail('notUnderstood', 'TOO_LARGE');
        }
      },
      maxBufferSize: MAX_EVENT,
    });
    this.listen();
    if (options.signal.aborted) {
      this.onAbort();
    }
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settle === undefined || this.controller !== undefined) {
      controller.abort(new Error('this request is over, or was sent before'));
      return;
    }
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      return;
    }
    const { 'content-type': type = '' } = headers;
    if (status < 300 && (!/^text\/event-stream\b/i.test(type) || isEncoded(headers))) {
      this.fail('notUnderstood', 'NO_EVENTS');
    } else if (status > 299) {
      this.end(refusalOf({ status, headers, body: '' }, this.options.clock.now()));
    } else {
      this.listen();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settle === undefined) {
      return;
    }
    this.listen();
    this.parser.feed(this.decoder.decode(chunk, { stream: true }));
    const { events } = this;
    this.events = [];
    this.options.onEvents(events);
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const code = codeOf(error);
    this.fail(code?.endsWith('TIMEOUT') === true || code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', code, error);
  }

  private readonly onAbort = (): void => this.fail('aborted');

  private listen(): void {
    this.silence?.dispose();
    this.silence = this.options.clock.after(MAX_SILENCE_MS, () => this.fail('timeout', 'SILENCE'));
  }

  private fail(kind: ServiceErrorKind, code?: string, cause?: unknown): void {
    this.end(new ServiceError(kind, { effect: 'none', code, cause }));
  }

  private end(error?: ServiceError): void {
    const { settle } = this;
    if (settle === undefined) {
      return;
    }
    this.settle = undefined;
    this.silence?.dispose();
    this.options.signal.removeEventListener('abort', this.onAbort);
    if (error === undefined) {
      settle.resolve();
    } else {
      settle.reject(error);
      this.controller?.abort(error);
    }
  }
}
