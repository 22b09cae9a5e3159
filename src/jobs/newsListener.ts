import type { Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import { reconnect } from '../base/retry';
import type { EndedJobs } from './endedJobs';
import { LOCAL_SERVICE } from './events';
import type { JobStore } from './jobStore';
import type { Poller } from './poller';
import type { JobNews, Leadership } from './ports';
import { isListed, isRunning, type TrackedJob } from './trackedJob';

export interface NewsListenerOptions {
  store: JobStore;
  poller: Poller;
  ended: EndedJobs;
  news: JobNews;
  leadership: Leadership;
  clock: Clock;
  random: () => number;
  log: Logger;
}

/**
 * Listens to the local service's event stream in the leader window while local jobs are listed and the service runs, so
 * that changes appear at once, even for ended jobs. Never starts the service. When the service ends, nothing runs here
 * until {@link wake} is called.
 */
export class NewsListener implements Disposable {
  private wants = false;
  private listening: AbortController | undefined;
  /** Identifies the open connection. */
  private connection: symbol | undefined;
  private disposed = false;
  private readonly leading: Disposable;
  private readonly changed: Emitter<void>;

  constructor(private readonly options: NewsListenerOptions) {
    const report = (error: unknown): void => options.log.error('a listener of job news failed', error);
    this.changed = new Emitter(report);
    this.leading = options.leadership.onDidChange(() => this.updateListening());
  }

  /** True while this window wants to take part in electing the listener. */
  get isWanted(): boolean {
    return this.wants;
  }

  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** Tries to connect: the service may be running, and there may be jobs to hear about. */
  wake(): void {
    if (!this.wants && !this.disposed && this.options.store.jobs.some(isLocal)) {
      this.setWanted(true);
    }
  }

  dispose(): void {
    this.disposed = true;
    this.wants = false;
    this.leading.dispose();
    this.listening?.abort();
  }

  private setWanted(wanted: boolean): void {
    this.wants = wanted;
    this.changed.fire();
    this.updateListening();
  }

  private updateListening(): void {
    const { leadership, log } = this.options;
    if (!this.wants || !leadership.leads) {
      this.listening?.abort();
      this.listening = undefined;
    } else if (this.listening === undefined) {
      const listening = new AbortController();
      this.listening = listening;
      void this.listen(listening.signal)
        .catch((error: unknown) => log.error('couldn’t subscribe to the local service', error))
        .finally(() => this.closed());
    }
  }

  private async listen(signal: AbortSignal): Promise<void> {
    const connect = async (alive: (isNews: boolean) => void): Promise<boolean> => {
      const onOpen = (): void => {
        alive(false);
        this.opened(signal);
      };
      const onJob = (projectId: string, jobId: string): void => {
        if (!signal.aborted) {
          alive(true);
          this.handleJobEvent(projectId, jobId);
        }
      };
      try {
        return !(await this.options.news.listen({ onOpen, onJob }, signal));
      } finally {
        // Without the event stream, jobs are polled as usual; polling restarts the service if it has work to do.
        this.closed();
      }
    };
    try {
      await reconnect(connect, this.options, signal);
    } finally {
      if (!signal.aborted) {
        this.stop(signal);
      }
    }
  }

  /** Catches up on what happened before the connection opened. */
  private opened(signal: AbortSignal): void {
    const { poller, ended } = this.options;
    if (signal.aborted) {
      return;
    }
    const connection = Symbol('connection');
    this.connection = connection;
    void ended.checkAll();
    void poller.pollNow(LOCAL_SERVICE).then(() => {
      if (this.connection === connection) {
        poller.setAnnouncesChanges(LOCAL_SERVICE, true);
      }
    });
  }

  private closed(): void {
    this.connection = undefined;
    this.options.poller.setAnnouncesChanges(LOCAL_SERVICE, false);
  }

  private stop(signal: AbortSignal): void {
    if (this.listening?.signal === signal) {
      this.listening = undefined;
      this.setWanted(false);
    }
  }

  private handleJobEvent(projectId: string, jobId: string): void {
    const { store, poller, ended } = this.options;
    const known = store.jobs.filter(
      (job) => isLocal(job) && job.snapshot?.id === jobId && job.location.projectId === projectId,
    );
    for (const job of known) {
      void (isRunning(job) ? poller.pollJob(job.key) : ended.check(job));
    }
  }
}

function isLocal(job: TrackedJob): boolean {
  return job.location.service === LOCAL_SERVICE && job.snapshot !== undefined && isListed(job);
}
