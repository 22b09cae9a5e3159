import { type Backoff, backoffDelay, type Clock, delay } from '../base/async';
import { ServiceError } from '../protocol/errors';
import type { WireJob } from '../protocol/job';
import { routes } from '../protocol/routes';
import { promptBody } from '../protocol/status';
import { readAnswer } from './answer';
import { type HttpRequest, Transport } from './transport';

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** How often at most; a caller that has a schedule of its own asks once. */
  attempts?: number;
}

export interface AgentClientOptions {
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  transport?: Transport;
}

const BACKOFF: Backoff = { baseMs: 1000, capMs: 8000 };
const DEFAULT_ATTEMPTS = 3;

/** The longest wait that a GET with a user in front of it sits out; a longer one is told instead. */
const MAX_PATIENCE_MS = 15_000;

/**
 * The agent job API, one method an endpoint. Each resolves to the job that the service answered and throws
 * {@link ServiceError} for all else. A POST is sent once, whatever happens; a GET again after passing faults.
 */
export class AgentClient {
  private readonly transport: Transport;

  constructor(private readonly options: AgentClientOptions) {
    this.transport = options.transport ?? new Transport();
  }

  createJob(target: Target, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    return this.post(target, () => routes.jobs(target.projectId), prompt, signal);
  }

  async sendMessage(target: Target, jobId: string, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    return sameJob(await this.post(target, () => routes.messages(target.projectId, jobId), prompt, signal), jobId);
  }

  async retrieveJob(target: Target, jobId: string, options: ReadOptions = {}): Promise<WireJob> {
    const { clock, random } = this.options;
    const attempts = options.attempts ?? DEFAULT_ATTEMPTS;
    for (let failures = 1; ; failures++) {
      try {
        const url = address(target, () => routes.job(target.projectId, jobId));
        const request: HttpRequest = { method: 'GET', url, headers: headers(target), signal: options.signal };
        return sameJob(await this.exchange(target, request), jobId);
      } catch (error) {
        const wait = backoffDelay(BACKOFF, failures, random(), (error as ServiceError).retryAfterMs);
        if (failures >= attempts || !isPassing(error) || wait > MAX_PATIENCE_MS) {
          throw error;
        }
        await delay(clock, wait, options.signal).catch((cause: unknown) => {
          throw new ServiceError('aborted', { effect: 'unknown', cause });
        });
      }
    }
  }

  dispose(): Promise<void> {
    return this.transport.dispose();
  }

  private async post(target: Target, route: () => string, prompt: string, signal?: AbortSignal): Promise<WireJob> {
    const url = address(target, route);
    const json = { ...headers(target), 'content-type': 'application/json' };
    return this.exchange(target, { method: 'POST', url, headers: json, body: promptBody(prompt), signal });
  }

  private async exchange({ isLocal }: Target, request: HttpRequest): Promise<WireJob> {
    return readAnswer(await this.transport.send(request), this.options.clock.now(), isLocal);
  }
}

/** An answer about another job than the one that was asked for would lead every later request astray. */
function sameJob(job: WireJob, jobId: string): WireJob {
  if (job.id !== jobId) {
    throw new ServiceError('notUnderstood', { effect: 'unknown', code: 'OTHER_JOB' });
  }
  return job;
}

function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && ['unreachable', 'timeout', 'limit'].includes(error.kind);
}

/** Where a request goes and with which key. */
export interface Target {
  /** Origin and path prefix, for example `https://api.mintlify.com`. */
  baseUrl: string;
  projectId: string;
  apiKey: string;
  /** It is the local service of this user: its state file, its process and its start time were checked. */
  isLocal?: boolean | undefined;
}

/** The address of a route; throws {@link ServiceError} of kind `notFound` for an id that can't stand in one. */
export function address(target: Target, route: () => string): string {
  try {
    return target.baseUrl.replace(/(?<!\/)\/+$/, '') + route();
  } catch (error) {
    throw new ServiceError('notFound', { effect: 'none', code: 'UNSAFE_ID', cause: error });
  }
}

/** What stands in the head of each request. */
export function headers(target: Target, accept = 'application/json'): Record<string, string> {
  return { authorization: `Bearer ${target.apiKey}`, accept, 'accept-encoding': 'identity' };
}
