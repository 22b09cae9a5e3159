import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { hasFollowUp, type TrackedJob } from '../../../jobs/trackedJob';
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

export interface ShownPart {
  /** Whether these are all changes of the job, not only the newest or those of one run. */
  isAll: boolean;
  /** The commit that they lead to, if the user has seen everything up to it. */
  reviewed?: string | undefined;
}

/**
 * Which other changes of a job its open changes lead to: `new` if it has some, or back to `all` of them; undefined if
 * neither, and during a run. The service reports what the last follow-up of a local job changed, even after a review.
 *
 * @param shown whether the open changes are all of the job, and whether the agent has worked on it since the review
 */
export function otherChanges(
  job: TrackedJob,
  { isAll, hasNew }: { isAll: boolean; hasNew: boolean },
): 'new' | 'all' | undefined {
  if (job.endedAt === undefined || job.snapshot?.status === 'active') {
    return undefined;
  }
  if (!isAll) {
    return 'all';
  }
  const isNew = job.location.service === LOCAL_SERVICE ? hasFollowUp(job) : hasNew;
  return isNew ? 'new' : undefined;
}

/** The open changes views, one per job. A view shows two fixed commits, so it becomes outdated. */
export class ChangesViews {
  private readonly views = new Map<string, { view: ChangesView; endedAt: RunEnd; part: ShownPart }>();
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
        tellOld(job, opened.part.reviewed);
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

  /** Whether the job's open changes are all of them. */
  showsAll(jobKey: string): boolean {
    return this.views.get(jobKey)?.part.isAll === true;
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

  /** Replaces the view previously opened for the job, and closes it. */
  async replace({ key, endedAt }: TrackedJob, view: ChangesView, part: ShownPart = { isAll: true }): Promise<void> {
    const before = this.views.get(key)?.view;
    this.views.set(key, { view, endedAt, part });
    if (before?.isOpen() === true) {
      await before.close();
    }
    this.replaced();
  }
}
