import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { hasNewWork } from '../../platform/seenVersions';

/** The editor tab with a job's changes. */
export interface ChangesView {
  isOpen(): boolean;
  /** True while it is the active editor. */
  isActive(): boolean;
  close(): unknown;
}

/** When the job's last run had ended at the time its changes were opened; undefined if it had not. */
type RunEnd = TrackedJob['endedAt'];

/** The open changes views, one per job. A view shows two fixed commits, so it becomes outdated. */
export class ChangesViews {
  private readonly views = new Map<string, { view: ChangesView; endedAt: RunEnd; reviewed: string | undefined }>();
  private readonly updating = new Set<string>();
  private readonly listening: { dispose(): void };

  /**
   * @param tellOld called once for each run that ends while a view shows an older state, with the commit that the view
   * shows if the user has seen everything up to it
   * @param replaced called after each `replace`
   */
  constructor(
    store: Pick<JobStore, 'onDidChange'>,
    tellOld: (job: TrackedJob, reviewed: string | undefined) => void,
    private readonly replaced: () => void = () => undefined,
  ) {
    this.listening = store.onDidChange(({ job, before }) => {
      const opened = this.views.get(job.key);
      const isOver = before !== undefined && before.endedAt !== job.endedAt;
      if (isOver && opened?.view.isOpen() === true && hasNewWork(job, opened.endedAt)) {
        tellOld(job, opened.reviewed);
      }
    });
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** The key of the job whose changes are the active editor. */
  get activeJob(): string | undefined {
    return [...this.views].find(([, { view }]) => view.isActive())?.[0];
  }

  isOpen(jobKey: string): boolean {
    return this.views.get(jobKey)?.view.isOpen() === true;
  }

  /** Runs an update of a job's view, unless one is still waiting: it will show the newest state. */
  async updateOnce(jobKey: string, update: () => Promise<void>): Promise<void> {
    if (!this.updating.has(jobKey)) {
      this.updating.add(jobKey);
      await update().finally(() => this.updating.delete(jobKey));
    }
  }

  /**
   * Replaces the view previously opened for the job, and closes it.
   *
   * @param reviewed the commit that it shows, if the user has seen everything up to it
   */
  async replace({ key, endedAt }: TrackedJob, view: ChangesView, reviewed?: string): Promise<void> {
    const before = this.views.get(key)?.view;
    this.views.set(key, { view, endedAt, reviewed });
    if (before?.isOpen() === true) {
      await before.close();
    }
    this.replaced();
  }
}
