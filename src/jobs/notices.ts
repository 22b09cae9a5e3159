import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobChange, JobStore } from './jobStore';
import type { UiProbe } from './ports';
import type { TrackedJob } from './trackedJob';

/** Ends are collected for this long and shown together, in milliseconds: polling many jobs reports four per second. */
export const GATHER_MS = 800;

/** Ends that follow a notice are collected until this long after it, in milliseconds. */
export const PAUSE_MS = 10_000;

/** Where notices are shown. */
export interface Notifier {
  /** True if this window would show a notice for this end at all. */
  shouldNotify(job: TrackedJob): boolean;
  /** True while this window has the user's focus. */
  isInFront(): boolean;
  /** Fires when this window gets the user's focus. */
  onDidComeToFront(listener: () => void): Disposable;
  /** Shows one notice for all the jobs. */
  show(jobs: readonly TrackedJob[]): void;
}

export interface NoticesOptions {
  store: JobStore;
  clock: Clock;
  log: Logger;
  uiProbe: UiProbe;
  notifier: Notifier;
  /** Settles when each job that was running at startup has been polled once. */
  caughtUp: Promise<void>;
}

/**
 * Shows each end of a run once across all windows, in the window with the user's focus. Ends that occur while no window
 * has focus, or while none is open, are shown as one notice when the user returns, unless they were seen in the
 * meantime. If a window dies before showing an end, the badge still shows it.
 */
export class Notices implements Disposable {
  /** Jobs whose end may not have been shown yet. */
  private readonly ended = new Set<string>();
  private timer: Disposable | undefined;
  private shownAt = -Infinity;
  private isReady = false;
  private disposed = false;
  private readonly subscriptions: readonly Disposable[];

  constructor(private readonly options: NoticesOptions) {
    const { store, notifier, caughtUp } = options;
    this.subscriptions = [
      store.onDidChange((change) => this.onChange(change)),
      // A user who has just returned is not interrupted at once.
      notifier.onDidComeToFront(() => this.gather()),
    ];
    // Ends that occurred while no window was open are discovered in the first round of polls and shown as one notice.
    void caughtUp.then(() => {
      this.isReady = true;
      this.gather();
    });
  }

  dispose(): void {
    this.disposed = true;
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.timer?.dispose();
  }

  private onChange({ job, before }: JobChange): void {
    const isNew = before?.endedAt === undefined || before.run !== job.run;
    if (isNew && hasUnseenEnd(job)) {
      this.ended.add(job.key);
      this.gather();
    }
  }

  private get canShow(): boolean {
    return !this.disposed && this.options.notifier.isInFront();
  }

  private gather(): void {
    if (this.isReady && this.ended.size > 0 && this.canShow) {
      const { clock } = this.options;
      // A wall clock that was set back must not delay it further.
      const pause = Math.min(PAUSE_MS, this.shownAt + PAUSE_MS - clock.now());
      this.timer ??= clock.after(Math.max(GATHER_MS, pause), () => void this.showNotice());
    }
  }

  /** If claiming fails, only this job's notice is lost; the badge still shows its end. */
  private async claimed(job: TrackedJob): Promise<TrackedJob | undefined> {
    try {
      return (await this.options.store.claimNotice(job)) ? job : undefined;
    } catch (error) {
      this.options.log.error(`couldn’t claim the notification for job ${job.key}`, error);
      return undefined;
    }
  }

  /** Ends that occur while the user interface is being pinged join the same notice. */
  private async showNotice(): Promise<void> {
    const { log, uiProbe, notifier } = this.options;
    try {
      await uiProbe.ping();
      this.timer = undefined;
      // If the user has left again, the notice is shown when they return.
      const jobs = this.canShow ? await this.claimAll() : [];
      if (jobs.length > 0 && !this.disposed) {
        this.shownAt = this.options.clock.now();
        notifier.show(jobs);
      }
    } catch (error) {
      this.timer = undefined;
      log.error('couldn’t show a notification', error);
    }
  }

  /**
   * Returns the jobs whose ends this window shows. Rereads them first: another window may have shown them a moment ago.
   */
  private async claimAll(): Promise<TrackedJob[]> {
    const { store, notifier } = this.options;
    const present = (keys: Iterable<string>): TrackedJob[] =>
      [...keys]
        .map((key) => store.get(key))
        .filter((job) => job !== undefined && hasUnseenEnd(job) && notifier.shouldNotify(job)) as TrackedJob[];
    const jobs = present(this.ended);
    this.ended.clear();
    const ours = (await Promise.all(jobs.map((job) => this.claimed(job)))).filter((job) => job !== undefined);
    await Promise.all(ours.map(({ key }) => store.refresh(key)));
    const runs = new Map(ours.map(({ key, run }) => [key, run]));
    const reread = present(runs.keys());
    const changed = reread.filter(({ key, run }) => runs.get(key) !== run);
    // What was reread ends another run, which another window may have claimed.
    changed.forEach(({ key }) => this.ended.add(key));
    this.gather();
    return reread.filter((job) => !changed.includes(job));
  }
}

function hasUnseenEnd(job: TrackedJob): boolean {
  return job.endedAt !== undefined && job.unseen && !job.untracked;
}
