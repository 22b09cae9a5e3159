import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import type { JobChange, JobStore } from './jobStore';
import type { TrackedJob } from './trackedJob';

/** How long ends are gathered before they are told together, in milliseconds. */
export const GATHER_MS = 1500;

export interface NoticesOptions {
  store: JobStore;
  clock: Clock;
  log: Logger;
  /** Shows one notice for all of them. */
  present: (jobs: readonly TrackedJob[]) => void;
  /** Settles when each job that was running at start-up has been asked for once. */
  caughtUp: Promise<void>;
}

/**
 * Tells each end of a run once, over all windows. An end that the records held before, or with which a job was first
 * met, is never told: only a change that this window saw happen.
 */
export class Notices implements Disposable {
  private readonly ended = new Set<string>();
  private timer: Disposable | undefined;
  private disposed = false;
  private readonly subscription: Disposable;

  constructor(private readonly options: NoticesOptions) {
    this.subscription = options.store.onDidChange((change) => this.onChange(change));
  }

  dispose(): void {
    this.disposed = true;
    this.subscription.dispose();
    this.timer?.dispose();
  }

  private onChange({ job, event }: JobChange): void {
    const ends = event?.type === 'created' || (event?.type === 'changed' && event.end);
    if (ends && job.endedAt !== undefined && !job.untracked) {
      this.ended.add(job.key);
      // What ended while no window was open is learned in the first round of polls, and told as one.
      void this.options.caughtUp.then(() => {
        if (this.disposed) {
          return;
        }
        this.timer ??= this.options.clock.after(GATHER_MS, () => void this.tell());
      });
    }
  }

  /** A claim that fails costs its own notice only; the badge still shows the end. */
  private async claimed(job: TrackedJob): Promise<TrackedJob | undefined> {
    try {
      return (await this.options.store.claimNotice(job)) ? job : undefined;
    } catch (error) {
      this.options.log.error(`the end of job ${job.key} could not be claimed`, error);
      return undefined;
    }
  }

  private async tell(): Promise<void> {
    this.timer = undefined;
    const keys = [...this.ended];
    this.ended.clear();
    const { store, log, present } = this.options;
    try {
      const jobs = keys.map((key) => store.get(key)).filter((job) => job !== undefined);
      const ended = jobs.filter((job) => job.endedAt !== undefined);
      const ours = (await Promise.all(ended.map((job) => this.claimed(job)))).filter((job) => job !== undefined);
      if (ours.length > 0) {
        present(ours);
      }
    } catch (error) {
      log.error('a notice could not be shown', error);
    }
  }
}
