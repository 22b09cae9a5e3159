import type { Agent, Dispatcher } from 'undici';
import { ServiceError } from '../shared/protocol/serviceError';

/** The largest answer that is read, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

export interface Timeouts {
  connectMs: number;
  headersMs: number;
  bodyMs: number;
  /** The whole request from first try to connect to last byte, by a clock that never jumps. */
  totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000 };

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Marks a failure before any byte of a request could leave: name look-up, connect, TLS. */
class ConnectFailure extends Error {}

/**
 * HTTP over undici's `request` on a dispatcher of our own: global `fetch` may send a POST twice, and the process-wide
 * dispatcher belongs to everyone in the extension host. Follows no redirect and repeats nothing.
 */
export class Transport {
  private loaded: Promise<{ agent: Agent; request: typeof import('undici').request }> | undefined;

  constructor(private readonly timeouts: Timeouts = DEFAULT_TIMEOUTS) {}

  /** Sends once. Throws {@link ServiceError} of kind `unreachable`, `timeout`, `aborted` or `notUnderstood`. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const undici = await (this.loaded ??= this.load());
    const deadline = AbortSignal.timeout(this.timeouts.totalMs);
    const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
    try {
      const answer = await undici.request(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        dispatcher: undici.agent,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: await readBody(answer) };
    } catch (error) {
      throw toServiceError(error, request.signal?.aborted === true);
    }
  }

  /** Closes the pooled connections; requests under way fail. */
  async dispose(): Promise<void> {
    const undici = await this.loaded?.catch(() => undefined);
    await undici?.agent.destroy();
  }

  private async load(): Promise<{ agent: Agent; request: typeof import('undici').request }> {
    // Where no process-wide dispatcher is set, loading undici sets its own, which other extensions would then use. The
    // first touch of this global makes Node set the one that it would set anyway.
    Reflect.get(globalThis, 'Response');
    const { Agent, buildConnector, request } = await import('./undiciParts');
    const connect = buildConnector({ timeout: this.timeouts.connectMs });
    const agent = new Agent({
      connections: 4,
      headersTimeout: this.timeouts.headersMs,
      bodyTimeout: this.timeouts.bodyMs,
      connect: (options, callback) =>
        connect(options, (...result) => {
          const [error, socket] = result;
          if (error === null) {
            callback(null, socket);
          } else {
            callback(new ConnectFailure(error.message, { cause: error }), null);
          }
        }),
    });
    return { agent, request };
  }
}

async function readBody(answer: Dispatcher.ResponseData): Promise<string> {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    // Nobody reads it, so nobody else hears that it was cut off.
    answer.body.on('error', () => undefined).destroy();
    throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.statusCode, code: 'ENCODED' });
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      answer.body.destroy();
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.statusCode, code: 'TOO_LARGE' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

function toServiceError(error: unknown, abortedByCaller: boolean): ServiceError {
  if (error instanceof ServiceError) {
    return error;
  }
  if (error instanceof ConnectFailure) {
    const code = codeOf(error.cause);
    const kind = code !== undefined && TIMEOUT_CODES.has(code) ? 'timeout' : 'unreachable';
    return new ServiceError(kind, { effect: 'none', code, cause: error.cause });
  }
  const code = codeOf(error);
  if (abortedByCaller) {
    return new ServiceError('aborted', { effect: 'unknown', cause: error });
  }
  if ((error as Error).name === 'TimeoutError' || (code !== undefined && TIMEOUT_CODES.has(code))) {
    return new ServiceError('timeout', { effect: 'unknown', code, cause: error });
  }
  // undici refuses an argument (a header, a URL) before it opens anything.
  const effect = code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_URL' ? 'none' : 'unknown';
  return new ServiceError('unreachable', { effect, code, cause: error });
}

/** The code of an error; where several addresses were tried, that of the first. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') {
    return code;
  }
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : undefined;
}
