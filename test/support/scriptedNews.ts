import type { ServiceLocation } from '../../src/jobs/events';
import type { JobNews } from '../../src/jobs/ports';
import { ServiceError } from '../../src/protocol/errors';
import type { WireJob } from '../../src/protocol/job';

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

  async find(_home: ServiceLocation, jobId: string): Promise<WireJob | undefined> {
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
