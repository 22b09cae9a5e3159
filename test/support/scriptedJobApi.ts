import type { ServiceLocation } from '../../src/jobs/events';
import type { JobApi, JobNews, ServiceConnection } from '../../src/jobs/ports';
import { ServiceError } from '../../src/protocol/errors';
import type { WireJob } from '../../src/protocol/job';

type Answer = WireJob | Error | Promise<WireJob>;

/** A service with scripted answers: each queue is consumed in order, and its last answer repeats. */
export class ScriptedJobApi implements JobApi {
  readonly calls: string[] = [];
  creates: Answer[] = [];
  messages: Answer[] = [];
  retrieves: Answer[] = [];

  /** Set to make the connection fail before anything is sent. */
  openError: Error | undefined;
  /** Delays opening the connection until it resolves. */
  opening: Promise<void> = Promise.resolve();

  async open(): Promise<ServiceConnection> {
    await this.opening;
    if (this.openError !== undefined) {
      throw this.openError;
    }
    return {
      create: (prompt) => {
        this.calls.push(`create ${prompt}`);
        return next(this.creates);
      },
      message: (jobId, prompt) => {
        this.calls.push(`message ${jobId} ${prompt}`);
        return next(this.messages);
      },
    };
  }

  /** Delays a probe until it resolves. */
  probing: Promise<void> = Promise.resolve();

  async probe(): Promise<void> {
    this.calls.push('probe');
    await this.probing;
    if (this.openError !== undefined) {
      throw this.openError;
    }
  }

  retrieve(_location: ServiceLocation, jobId: string): Promise<WireJob> {
    this.calls.push(`retrieve ${jobId}`);
    return next(this.retrieves);
  }

  count(what: 'create' | 'message' | 'retrieve' | 'probe'): number {
    return this.calls.filter((call) => call.startsWith(what)).length;
  }
}

async function next(answers: Answer[]): Promise<WireJob> {
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  if (answer === undefined) {
    throw new Error('the script has no answer');
  }
  if (answer instanceof Error) {
    throw answer;
  }
  return answer;
}

interface Listener {
  on: Parameters<JobNews['listen']>[0];
  end: (result: boolean | Error) => void;
}

/** A local service that reports changes; it counts as down until `jobs` is set. */
export class ScriptedNews implements JobNews {
  readonly calls: string[] = [];
  /** The jobs of the service, by id; undefined while it is down. */
  jobs: Map<string, WireJob> | undefined;
  /** Set to reject listeners. */
  listenError: ServiceError | undefined;
  /** Set to close each connection as soon as it is open. */
  closesAtOnce = false;
  private readonly listeners = new Set<Listener>();

  get listening(): number {
    return this.listeners.size;
  }

  listen(on: Parameters<JobNews['listen']>[0], signal: AbortSignal): Promise<boolean> {
    this.calls.push('listen');
    if (this.jobs === undefined) {
      return Promise.resolve(false);
    }
    if (this.listenError !== undefined) {
      return Promise.reject(this.listenError);
    }
    return new Promise((resolve, reject) => {
      const listener: Listener = {
        on,
        end: (result) => {
          this.listeners.delete(listener);
          if (typeof result === 'boolean') {
            resolve(result);
          } else {
            reject(result);
          }
        },
      };
      this.listeners.add(listener);
      signal.addEventListener('abort', () => listener.end(new ServiceError('aborted', { effect: 'none' })));
      on.onOpen();
      if (this.closesAtOnce) {
        listener.end(new ServiceError('unreachable', { effect: 'none' }));
      }
    });
  }

  async *list(): AsyncIterable<WireJob> {
    this.calls.push('list');
    yield* [...(this.jobs ?? new Map<string, WireJob>()).values()];
  }

  async find(_location: ServiceLocation, jobId: string): Promise<WireJob | undefined> {
    this.calls.push(`look ${jobId}`);
    return this.jobs?.get(jobId);
  }

  /** Changes a job and notifies all listeners. */
  tell(job: WireJob, projectId = 'p1'): void {
    this.jobs?.set(job.id, job);
    this.listeners.forEach(({ on }) => on.onJob(projectId, job.id));
  }

  /** Simulates that the service ends or the connection breaks. */
  end(error?: ServiceError): void {
    this.listeners.forEach(({ end }) => end(error ?? true));
  }

  count(what: 'listen' | 'list' | 'look'): number {
    return this.calls.filter((call) => call.startsWith(what)).length;
  }
}

/** The service was not reached: nothing was sent. */
export const down = new ServiceError('unreachable', { effect: 'none', code: 'ECONNREFUSED' });
/** The connection broke after the request was sent. */
export const lost = new ServiceError('unreachable', { effect: 'unknown', code: 'ECONNRESET' });
export const limit = new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 120_000 });
export const refused = new ServiceError('rejected', { effect: 'refused', status: 400 });
export const badKey = new ServiceError('unauthorized', { effect: 'refused', status: 401 });
/** There is no key to send with. */
export const noKey = new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
