import type { Agent, Dispatcher } from 'undici';
import { makeConnector } from './connector';
import { Exchange, type ExchangeTimeouts, type HttpAnswer } from './exchange';
import { DIRECT, type NetworkSettings } from '../shared/network/network';
import { ServiceError } from '../shared/protocol/serviceError';
import type * as UndiciParts from './undiciParts';

export type { HttpAnswer } from './exchange';
export { MAX_BODY_BYTES } from './exchange';

export interface Timeouts extends ExchangeTimeouts {
  /** From name look-up to the end of the TLS handshake, through a proxy or not. */
  connectMs: number;
}

/**
 * How long a connection waits for the next request though the service would keep it for longer, in milliseconds: longer
 * than from one question after a job to the next, and then it is gone.
 */
export const KEEP_ALIVE_MS = 70_000;

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000 };

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/** Who reads an answer. */
export interface AnswerHandler extends Dispatcher.DispatchHandler {
  onResponseError(controller: unknown, error: unknown): void;
}

/**
 * HTTP over undici on a dispatcher of our own: global `fetch` may send a POST twice, and the process-wide dispatcher
 * belongs to everyone in the extension host. Follows no redirect and repeats nothing.
 */
export class Transport {
  private parts: Promise<typeof UndiciParts> | undefined;
  private current: { settings: string; agent: Agent } | undefined;
  /** With those that end their last requests. */
  private readonly agents = new Set<Agent>();
  private isDisposed = false;

  /**
   * @param network asked at each request; a change takes effect at once, and what is under way goes on as it began
   * @param connections how many requests to one service may be under way; more wait
   */
  constructor(
    private readonly timeouts: Timeouts = DEFAULT_TIMEOUTS,
    private readonly network: () => NetworkSettings = () => DIRECT,
    private readonly connections = 4,
  ) {}

  /** Sends once. Throws {@link ServiceError} of kind `unreachable`, `timeout`, `aborted` or `notUnderstood`. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const exchange = await this.dispatch(request, () => new Exchange(this.timeouts, request.signal));
    return exchange.answer;
  }

  /**
   * Sends once, and leaves the answer to the handler, which is told also when nothing could be sent.
   *
   * @throws ServiceError of kind `aborted` when this is disposed
   */
  async dispatch<T extends AnswerHandler>(request: HttpRequest, makeHandler: () => T): Promise<T> {
    const parts = await (this.parts ??= import('./undiciParts'));
    if (this.isDisposed) {
      throw new ServiceError('aborted', { effect: 'none' });
    }
    const handler = makeHandler();
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body = null } = request;
      this.agent(parts).dispatch({ origin, path: pathname + search, method, headers, body }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
    return handler;
  }

  /** Closes the pooled connections; requests under way fail. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.agents].map((agent) => agent.destroy()));
  }

  private agent(parts: typeof UndiciParts): Agent {
    const network = this.network();
    const settings = JSON.stringify(network);
    if (this.current?.settings !== settings) {
      this.retire(this.current?.agent);
      const connect = makeConnector(parts, network, this.timeouts.connectMs);
      // Times are kept by each exchange.
      const limits = { keepAliveMaxTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 };
      const agent = new parts.Agent({ connections: this.connections, connect, ...limits });
      this.agents.add(agent);
      this.current = { settings, agent };
    }
    return this.current.agent;
  }

  private retire(agent: Agent | undefined): void {
    void agent?.close().then(
      () => this.agents.delete(agent),
      () => undefined,
    );
  }
}
