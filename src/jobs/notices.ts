import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobChange, JobStore } from './jobStore';
import type { UiProbe } from './ports';
import type { TrackedJob } from './trackedJob';

/**
 * Ends are collected and shown together after a pause without another end, and at the latest this long after the first
 * one. Both in milliseconds. Polling many jobs reports four ends per second, so the pause is a little longer than a
 * quarter second.
 */
const PAUSE_MS = 400;
export const GATHER_MS = 1500;

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
  /**
   * Monotonic times: `latest` is the deadline for showing what was collected; nothing is shown before `earliest`, so
   * that a user who just returned is not interrupted at once.
   */
  private latest: number | undefined;
  private earliest = -Infinity;
  /** True while the user interface is being pinged. Ends that occur in the meantime join the same notice. */
  private isShowing = false;
  private isReady = false;
  private disposed = false;
  private readonly subscriptions: readonly Disposable[];

  constructor(private readonly options: NoticesOptions) {
    const { store, notifier, clock, caughtUp } = options;
    this.subscriptions = [
      store.onDidChange((change) => this.onChange(change)),
      notifier.onDidComeToFront(() => {
        this.earliest = clock.monotonic() + GATHER_MS;
        this.gather();
      }),
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
    const { clock } = this.options;
    if (this.isReady && this.ended.size > 0 && this.canShow && !this.isShowing) {
      const now = clock.monotonic();
      this.latest ??= now + GATHER_MS;
      this.timer?.dispose();
      const due = Math.max(Math.min(now + PAUSE_MS, this.latest), this.earliest);
      this.timer = clock.after(Math.max(0, due - now), () => void this.showNotice());
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

  private async showNotice(): Promise<void> {
    const { log, uiProbe, notifier } = this.options;
    this.isShowing = true;
    try {
      await uiProbe.ping();
      this.forgetTimer();
      if (!this.canShow) {
        // The user has left again; the notice is shown when they return.
        return;
      }
      const jobs = await this.takeAll();
      if (jobs.length > 0 && !this.disposed) {
        notifier.show(jobs);
      }
    } catch (error) {
      this.forgetTimer();
      log.error('couldn’t show a notification', error);
    }
  }

  private forgetTimer(): void {
    this.isShowing = false;
    this.timer = undefined;
    this.latest = undefined;
  }

  /**
   * Returns the jobs whose ends this window shows. Rereads them first: another window may have shown them a moment ago.
   */
  private async takeAll(): Promise<TrackedJob[]> {
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
