import type { IncomingHttpHeaders } from 'node:http';
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import { decodeJson } from '../base/json';
import { codeOf } from '../base/network';
import { ServiceError, type ServiceErrorKind } from '../protocol/errors';
import { jobEventSchema } from '../protocol/localService';
import { ROUTES } from '../protocol/routes';
import { toServiceError } from './answer';
import { isEncoded } from './exchange';
import type { LocalTarget } from './localServiceClient';
import { DEFAULT_TIMEOUTS, Transport } from './transport';

/** Maximum silence, in milliseconds; services send comments more often than that. */
export const MAX_SILENCE_MS = 45_000;

/** Maximum size of an event, in characters. */
const MAX_EVENT = 1024 * 1024;

/** Shorter data of an event can't mean anything. In characters. */
const MIN_EVENT = 40;

/**
 * How many odd lines may be read at once: lines that aren't a field of the standard, for which the parser creates an error
 * with its stack, and events that are too short. Thousands of them take long to read.
 */
const MAX_ODD_LINES = 500;

/** How much is read before other work gets its turn: characters, and events. */
const MAX_READ_AT_ONCE = 16_384;
const MAX_EVENTS_AT_ONCE = 100;

/** How much may wait to be read, in characters. undici can't be paused: it would throw if the connection is lost then. */
const MAX_UNREAD = 16 * 1024 * 1024;

export interface EventExchangeOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Called with the next events; an empty list is a sign of life. */
  onEvents: (events: readonly EventSourceMessage[]) => void;
}

/**
 * One request answered with server-sent events (HTML standard, 9.2), as an undici handler. Buffers at most one
 * incomplete event. Closes the connection if it ends before the response does.
 */
export class EventExchange implements Dispatcher.DispatchHandler {
  /** Resolves when the service ended the stream normally; rejects with {@link ServiceError}. */
  readonly ended: Promise<void>;
  private settle: { resolve: () => void; reject: (error: ServiceError) => void } | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private silence: Disposable | undefined;
  private readonly decoder = new TextDecoder();
  private readonly parser: EventSourceParser;
  /**
   * Received, but not read yet. A list, because a long text would be copied with each addition. Short pieces are joined,
   * because removing the first of a hundred thousand takes long.
   */
  private readonly unread: string[] = [];
  private unreadLength = 0;
  /** Read, but not handed over yet. */
  private events: EventSourceMessage[] = [];
  private oddLines = 0;
  private turn: NodeJS.Immediate | undefined;
  private isComplete = false;
  private endsWithReturn = false;

  constructor(private readonly options: EventExchangeOptions) {
    this.ended = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.parser = createParser({
      onEvent: (event) => {
        this.events.push(event);
        if (event.data.length < MIN_EVENT) {
          this.countOddLine();
        }
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') {
          this.fail('notUnderstood', 'TOO_LARGE');
          return;
        }
        this.countOddLine();
      },
      maxBufferSize: MAX_EVENT,
    });
    this.restartSilenceTimer();
    if (options.signal.aborted) {
      this.onAbort();
    }
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settle === undefined || this.controller !== undefined) {
      controller.abort(new Error('this request has ended or was already sent'));
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
      this.end(toServiceError({ status, headers, body: '' }, this.options.clock.now()));
    } else {
      this.restartSilenceTimer();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settle === undefined) {
      return;
    }
    this.restartSilenceTimer();
    const text = this.decoder.decode(chunk, { stream: true });
    const last = this.unread.at(-1);
    if (last !== undefined && last.length + text.length <= MAX_READ_AT_ONCE) {
      this.unread[this.unread.length - 1] = last + text;
    } else {
      this.unread.push(text);
    }
    this.unreadLength += text.length;
    if (this.unreadLength > MAX_UNREAD) {
      this.fail('notUnderstood', 'TOO_LARGE');
    } else if (this.turn === undefined) {
      this.read();
    }
  }

  onResponseEnd(): void {
    this.isComplete = true;
    if (this.turn === undefined) {
      this.end();
    }
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const code = codeOf(error);
    this.fail(code?.endsWith('TIMEOUT') === true || code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', code, error);
  }

  /** Reads some of what was received, and the rest in later turns. */
  private read(): void {
    this.oddLines = 0;
    try {
      this.parser.feed(this.withLineFeeds(this.takeUnread()));
    } catch (error) {
      this.end(error as ServiceError);
    }
    if (this.settle !== undefined) {
      this.handOver();
    }
  }

  private takeUnread(): string {
    let text = '';
    while (text.length < MAX_READ_AT_ONCE && this.unread.length > 0) {
      const [next = ''] = this.unread;
      const part = next.slice(0, MAX_READ_AT_ONCE - text.length);
      text += part;
      if (part === next) {
        this.unread.shift();
      } else {
        this.unread[0] = next.slice(part.length);
      }
    }
    this.unreadLength -= text.length;
    return text;
  }

  private handOver(): void {
    this.options.onEvents(this.events.splice(0, MAX_EVENTS_AT_ONCE));
    if (this.settle === undefined) {
      return;
    }
    this.turn = setImmediate(() => {
      this.turn = undefined;
      if (this.events.length > 0) {
        this.handOver();
      } else if (this.unread.length > 0) {
        this.read();
      } else if (this.isComplete) {
        this.end();
      }
    });
  }

  private countOddLine(): void {
    this.oddLines += 1;
    if (this.oddLines > MAX_ODD_LINES) {
      // Ends the parsing of this chunk.
      throw new ServiceError('notUnderstood', { effect: 'none', code: 'NO_EVENTS' });
    }
  }

  private readonly onAbort = (): void => this.fail('aborted');

  /** For each line that ends with a carriage return, the parser would search the whole rest of the chunk. */
  private withLineFeeds(text: string): string {
    const rest = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endsWithReturn = text === '' ? this.endsWithReturn : text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  private restartSilenceTimer(): void {
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
    clearImmediate(this.turn);
    this.options.signal.removeEventListener('abort', this.onAbort);
    if (error === undefined) {
      settle.resolve();
    } else {
      settle.reject(error);
      this.controller?.abort(error);
    }
  }
}

/** The longest job event that is read, in characters. The service sends about a hundred. */
const MAX_JOB_EVENT = 1_000;

/** Callbacks for job events. */
export interface JobEventListener {
  /** Called once, when the stream is open and no later event is missed. */
  onOpen: () => void;
  onJob: (projectId: string, jobId: string) => void;
  /** Ends the stream at once. */
  signal: AbortSignal;
}

/** Listens for job changes at the local service. */
export class JobEventsClient {
  /** A separate connection, so that requests need not wait for it. Loopback needs no proxy. */
  private readonly transport = new Transport(DEFAULT_TIMEOUTS, undefined, 1);

  constructor(private readonly clock: Clock) {}

  /** Resolves when the service ended the stream normally. Throws {@link ServiceError}. */
  async listen({ baseUrl, apiKey }: LocalTarget, { onOpen, onJob, signal }: JobEventListener): Promise<void> {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' };
    let isOpen = false;
    const exchange = await this.transport.dispatch(
      { method: 'GET', url: baseUrl + ROUTES.followJobs.path, headers },
      () =>
        new EventExchange({
          clock: this.clock,
          signal,
          onEvents: (messages) => {
            if (!isOpen) {
              isOpen = true;
              onOpen();
            }
            for (const { data } of messages) {
              const event = jobEventSchema.safeParse(data.length > MAX_JOB_EVENT ? undefined : decodeJson(data));
              if (event.success) {
                onJob(event.data.projectId, event.data.jobId);
              }
            }
          },
        }),
    );
    await exchange.ended;
  }

  async dispose(): Promise<void> {
    await this.transport.dispose();
  }
}
