import type { Clock } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobChange, JobStore } from './jobStore';
import type { UiProbe } from './ports';
import type { TrackedJob } from './trackedJob';

/**
 * Ends are told together once no other came for a while, and after the first one at the latest so much later, in
 * milliseconds. A poll of many jobs tells four ends a second, so the pause is a little longer than that.
 */
const PAUSE_MS = 400;
export const GATHER_MS = 1500;

/** Where notices are shown. */
export interface Notifier {
  /** True when this window would tell this end at all. */
  shouldNotify(job: TrackedJob): boolean;
  /** True while the person looks at this window. */
  isInFront(): boolean;
  /** Fires when the person comes to this window. */
  onDidComeToFront(listener: () => void): Disposable;
  /** Shows one notice for all of them. */
  show(jobs: readonly TrackedJob[]): void;
}

export interface NoticesOptions {
  store: JobStore;
  clock: Clock;
  log: Logger;
  uiProbe: UiProbe;
  notifier: Notifier;
  /** Settles when each job that was running at start-up has been asked for once. */
  caughtUp: Promise<void>;
}

/**
 * Tells each end of a run once, over all windows, in the one that the person looks at. What ends while they look at none,
 * or while none is open, is told as one when they come back, unless it was seen meanwhile. What nobody tells, because a
 * window dies on the way, is still in the badge.
 */
export class Notices implements Disposable {
  /** Jobs whose end may not have been told. */
  private readonly ended = new Set<string>();
  private timer: Disposable | undefined;
  /** Monotonic time at which what was gathered is told at the latest, and before which a person who just came is not told. */
  private latest: number | undefined;
  private earliest = -Infinity;
  /** The user interface is being asked: what ends meanwhile is told with the rest. */
  private isTelling = false;
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
    // What ended while no window was open is learned in the first round of polls, and told as one.
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
    if (isNew && isToTell(job)) {
      this.ended.add(job.key);
      this.gather();
    }
  }

  private get mayTell(): boolean {
    return !this.disposed && this.options.notifier.isInFront();
  }

  private gather(): void {
    const { clock } = this.options;
    if (this.isReady && this.ended.size > 0 && this.mayTell && !this.isTelling) {
      const now = clock.monotonic();
      this.latest ??= now + GATHER_MS;
      this.timer?.dispose();
      const due = Math.max(Math.min(now + PAUSE_MS, this.latest), this.earliest);
      this.timer = clock.after(Math.max(0, due - now), () => void this.tell());
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
    const { log, uiProbe, notifier } = this.options;
    this.isTelling = true;
    try {
      await uiProbe.ping();
      this.forgetTimer();
      if (!this.mayTell) {
        // They have left again: it is told when they come back.
        return;
      }
      const jobs = await this.takeAll();
      if (jobs.length > 0 && !this.disposed) {
        notifier.show(jobs);
      }
    } catch (error) {
      this.forgetTimer();
      log.error('a notice could not be shown', error);
    }
  }

  private forgetTimer(): void {
    this.isTelling = false;
    this.timer = undefined;
    this.latest = undefined;
  }

  /** The ends that this window is to tell. They are read once more: another window may have shown them a moment ago. */
  private async takeAll(): Promise<TrackedJob[]> {
    const { store, notifier } = this.options;
    const present = (keys: Iterable<string>): TrackedJob[] =>
      [...keys]
        .map((key) => store.get(key))
        .filter((job) => job !== undefined && isToTell(job) && notifier.shouldNotify(job)) as TrackedJob[];
    const jobs = present(this.ended);
    this.ended.clear();
    const ours = (await Promise.all(jobs.map((job) => this.claimed(job)))).filter((job) => job !== undefined);
    await Promise.all(ours.map(({ key }) => store.refresh(key)));
    return present(ours.map(({ key }) => key));
  }
}

function isToTell(job: TrackedJob): boolean {
  return job.endedAt !== undefined && job.unseen && !job.untracked;
}
