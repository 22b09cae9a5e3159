import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { hasNewWork } from '../../platform/seenVersions';

/** The editor tab with a job's changes. */
export interface ChangesView {
  isOpen(): boolean;
  isInFront(): boolean;
  close(): unknown;
}

/** When the job's last run had ended at the time its changes were opened; undefined if it had not. */
type RunEnd = TrackedJob['endedAt'];

/** The open changes views, one per job. A view shows two fixed commits, so it becomes outdated. */
export class ChangesViews {
  private readonly views = new Map<string, { view: ChangesView; endedAt: RunEnd }>();
  private readonly listening: { dispose(): void };

  /**
   * @param tellOld called once for each run that ends while a view shows an older state
   * @param replaced called after each `replace`
   */
  constructor(
    store: Pick<JobStore, 'onDidChange'>,
    tellOld: (job: TrackedJob) => void,
    private readonly replaced: () => void = () => undefined,
  ) {
    this.listening = store.onDidChange(({ job, before }) => {
      const opened = this.views.get(job.key);
      const isOver = before !== undefined && before.endedAt !== job.endedAt;
      if (isOver && opened?.view.isOpen() === true && hasNewWork(job, opened.endedAt)) {
        tellOld(job);
      }
    });
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** Returns the key of the job whose changes are in front. */
  inFront(): string | undefined {
    return [...this.views].find(([, { view }]) => view.isOpen() && view.isInFront())?.[0];
  }

  /** Replaces the view previously opened for the job, and closes it. */
  async replace({ key, endedAt }: TrackedJob, view: ChangesView): Promise<void> {
    const before = this.views.get(key)?.view;
    this.views.set(key, { view, endedAt });
    if (before?.isOpen() === true) {
      await before.close();
    }
    this.replaced();
  }
}
