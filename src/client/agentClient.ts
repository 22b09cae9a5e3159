import { type BackoffRange, backoffDelay, type Clock } from '../base/async';
import { isTransient, retry } from '../base/retry';
import { ServiceError } from '../protocol/errors';
import type { WireJob } from '../protocol/job';
import { pathOf } from '../protocol/routes';
import { promptBody } from '../protocol/status';
import { readAnswer } from './answer';
import { type HttpRequest, Transport } from './transport';

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Maximum number of attempts; a caller with its own schedule uses 1. */
  attempts?: number;
}

export interface AgentClientOptions {
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  transport?: Transport;
}

const BACKOFF: BackoffRange = { baseMs: 1000, capMs: 8000 };
const DEFAULT_ATTEMPTS = 3;

/** The longest retry delay of a GET while the user is waiting; a longer one is reported as an error instead. */
const MAX_PATIENCE_MS = 15_000;

/**
 * The agent job API, one method per endpoint. Each resolves to the job in the response and otherwise throws
 * {@link ServiceError}. A POST is sent only once; a GET is retried after transient errors.
 */
export class AgentClient {
  private readonly transport: Transport;

  constructor(private readonly options: AgentClientOptions) {
    this.transport = options.transport ?? new Transport();
  }

  createJob(target: Target, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    return this.post(target, () => pathOf('createJob', target), prompt, signal);
  }

  async sendMessage(target: Target, jobId: string, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    return sameJob(await this.post(target, () => pathOf('sendMessage', { ...target, jobId }), prompt, signal), jobId);
  }

  async retrieveJob(target: Target, jobId: string, options: ReadOptions = {}): Promise<WireJob> {
    const { clock, random } = this.options;
    const { signal, attempts = DEFAULT_ATTEMPTS } = options;
    const wait = (error: unknown, failures: number): number | undefined => {
      const ms = isTransient(error) ? backoffDelay(BACKOFF, failures, random(), error.retryAfterMs) : Infinity;
      return ms > MAX_PATIENCE_MS ? undefined : ms;
    };
    const ask = async (): Promise<WireJob> => {
      const url = buildUrl(target, () => pathOf('retrieveJob', { ...target, jobId }));
      return sameJob(await this.exchange(target, { method: 'GET', url, headers: headers(target), signal }), jobId);
    };
    try {
      return await retry(ask, { attempts, wait, clock, signal });
    } catch (error) {
      throw error instanceof ServiceError ? error : new ServiceError('aborted', { effect: 'unknown', cause: error });
    }
  }

  dispose(): Promise<void> {
    return this.transport.dispose();
  }

  private async post(target: Target, route: () => string, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    const url = buildUrl(target, route);
    const json = { ...headers(target), 'content-type': 'application/json' };
    return this.exchange(target, { method: 'POST', url, headers: json, body: promptBody(prompt), signal });
  }

  private async exchange({ isLocal }: Target, request: HttpRequest): Promise<WireJob> {
    return readAnswer(await this.transport.send(request), this.options.clock.now(), isLocal);
  }
}

/** Rejects a response about a different job, which would misdirect all later requests. */
function sameJob(job: WireJob, jobId: string): WireJob {
  if (job.id !== jobId) {
    throw new ServiceError('notUnderstood', { effect: 'unknown', code: 'OTHER_JOB' });
  }
  return job;
}

/** The server of a request, and its key. */
export interface Target {
  /** Origin and path prefix, for example `https://api.mintlify.com`. */
  baseUrl: string;
  projectId: string;
  apiKey: string;
  /** Whether it is this user's local service, verified by its state file, process and start time. */
  isLocal?: boolean | undefined;
}

/** Returns the URL of a route; throws {@link ServiceError} of kind `notFound` for an id that can't be part of a URL. */
export function buildUrl(target: Pick<Target, 'baseUrl'>, route: () => string): string {
  try {
    return target.baseUrl.replace(/(?<!\/)\/+$/, '') + route();
  } catch (error) {
    throw new ServiceError('notFound', { effect: 'none', code: 'UNSAFE_ID', cause: error });
  }
}

/** The headers of every request. */
export function headers(target: Pick<Target, 'apiKey'>, accept = 'application/json'): Record<string, string> {
  return { authorization: `Bearer ${target.apiKey}`, accept, 'accept-encoding': 'identity' };
}
