import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import type { JobChange, JobStore } from './jobStore';
import type { Desk } from './ports';
import type { TrackedJob } from './trackedJob';

/** How long ends are gathered before they are told together, in milliseconds. */
export const GATHER_MS = 1500;

/** How much longer a window waits that nobody looks at, in milliseconds: the one in front is to tell. */
export const BEHIND_MS = 1000;

/** Where notices are shown. */
export interface NoticeBoard {
  /** True when this window would tell this end at all. */
  wants(job: TrackedJob): boolean;
  /** True while the person looks at this window. */
  isInFront(): boolean;
  /** Shows one notice for all of them. */
  present(jobs: readonly TrackedJob[]): void;
}

export interface NoticesOptions {
  store: JobStore;
  clock: Clock;
  log: Logger;
  desk: Desk;
  board: NoticeBoard;
  /** Settles when each job that was running at start-up has been asked for once. */
  caughtUp: Promise<void>;
}

/**
 * Tells each end of a run once, over all windows. An end that the records held before, or with which a job was first
 * met, is never told: only a change that this window saw happen, whichever window wrote it. What nobody tells, because
 * a window dies on the way, is still in the badge.
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

  private onChange({ job, before }: JobChange): void {
    const { caughtUp, clock, board } = this.options;
    const sawEnd = before !== undefined && (before.endedAt === undefined || before.run !== job.run);
    if (job.endedAt !== undefined && sawEnd && !job.untracked && board.wants(job)) {
      this.ended.add(job.key);
      // What ended while no window was open is learned in the first round of polls, and told as one.
      void caughtUp.then(() => {
        if (!this.disposed) {
          const wait = board.isInFront() ? GATHER_MS : GATHER_MS + BEHIND_MS;
          this.timer ??= clock.after(wait, () => void this.tell());
        }
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
    const { store, log, desk, board } = this.options;
    try {
      await desk.reached();
      const keys = [...this.ended];
      this.ended.clear();
      const jobs = keys.map((key) => store.get(key)).filter((job) => job !== undefined);
      const ended = jobs.filter((job) => job.endedAt !== undefined && job.unseen);
      const ours = (await Promise.all(ended.map((job) => this.claimed(job)))).filter((job) => job !== undefined);
      if (ours.length > 0 && !this.disposed) {
        board.present(ours);
      }
    } catch (error) {
      log.error('a notice could not be shown', error);
    }
  }
}
