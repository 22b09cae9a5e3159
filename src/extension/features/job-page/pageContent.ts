import type * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';
import { getRunTime, jobHistory } from '../../../jobs/jobHistory';
import type { JobStore } from '../../../jobs/jobStore';
import type { Poller } from '../../../jobs/poller';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { BranchToFetch } from '../../platform/branchToFetch';
import { askedPullRequest } from '../../platform/pullRequestLink';
import { type PullRequestStates, workState } from '../../platform/pullRequestStates';
import type { SeenVersions } from '../../platform/seenVersions';
import type { JobDescriber } from '../../presentation/describeJob';
import { BranchFetch, checkingModel, uncheckedModel } from './branchFetch';
import { ActivityFeed, type ActivityFeedParts } from './activityFeed';
import type { JobResults } from './jobResults';
import type { Changes, FileDiff, PageModel, ResultCheck } from './model';
import { pageModel, type PageParts } from './pageModel';
import { resultCheckModel } from './resultCheckModel';

export interface PageContentOptions extends ActivityFeedParts {
  store: JobStore;
  poller: Poller;
  pulls: Pick<PullRequestStates, 'get' | 'endedAt'>;
  describer: Pick<JobDescriber, 'describe' | 'contextOf' | 'onDidChange'>;
  seen: Pick<SeenVersions, 'noteShown'>;
  results: JobResults;
}

/**
 * Collects what the page of one job shows: the record and, while the page is visible, the activity log and the changes.
 */
export class PageContent implements vscode.Disposable {
  private readonly subscriptions: readonly Disposable[];
  private readonly activity: ActivityFeed;
  private changes: Changes | undefined;
  private check: ResultCheck | undefined;
  private readonly branch = new BranchFetch();
  /** The job state in which the user had the branch fetched. */
  private fetchedFor: string | undefined;
  /** Ends the check of the changes. */
  private stopCheck = new AbortController();
  private reviewable: ReadonlySet<string> = new Set();
  /** What changed in each file; the same array until it is read again. */
  diff: readonly FileDiff[] = [];
  /** The job state for which the changes were last requested. */
  private askedFor = '';

  constructor(
    private readonly jobKey: string,
    private readonly options: PageContentOptions,
    private readonly onChange: () => void,
  ) {
    this.subscriptions = [
      options.describer.onDidChange((key) => (key === undefined || key === jobKey) && onChange()),
      options.results.onDidOpenRepository(() => this.onRepository()),
    ];
    this.activity = new ActivityFeed(options, onChange);
  }

  model(job: TrackedJob): PageModel {
    const { store, pulls, describer } = this.options;
    this.activity.follow(job);
    this.askForChanges(job);
    const history = jobHistory(job, store.eventsOf(job.key));
    return pageModel(describer.describe(job, { ranMs: getRunTime(history) }), describer.contextOf(job), {
      history,
      hostedEnd: hostedEnd(job, pulls),
      reviewable: this.reviewable,
      activity: this.activity.model(job),
      changes: this.changes,
      check: this.branch.model ?? this.check,
    });
  }

  /** Call this when the page is hidden: stops all requests. */
  rest(): void {
    this.activity.stop();
    this.forget();
  }

  /** Fetches the job's branch, if the page offers that, and checks what it adds. */
  async fetchAndCheck(job: TrackedJob): Promise<void> {
    const onError = (error: unknown): void =>
      this.options.log.warn(`couldn’t fetch the branch of job ${job.key}`, error);
    const state = stateOf(job);
    if (await this.branch.run(this.onChange, onError)) {
      this.fetchedFor = state;
      this.check = checkingModel();
      this.forget();
      this.onChange();
    }
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.rest();
  }

  /** Reads the changes again, because this repository may be the job's; not if they were found in another one. */
  private onRepository(): void {
    if (this.changes === undefined && this.branch.model === undefined) {
      this.forget();
      this.onChange();
    }
  }

  /** The changes will be read again; by a hidden page when it is shown. */
  private forget(): void {
    this.askedFor = '';
    this.stopCheck.abort();
  }

  /** Requests the changes once per job state. */
  private askForChanges(job: TrackedJob): void {
    const state = stateOf(job);
    if (state === this.askedFor || job.snapshot === undefined) {
      return;
    }
    this.askedFor = state;
    this.stopCheck.abort();
    this.stopCheck = new AbortController();
    const { signal } = this.stopCheck;
    this.readChanges(job, signal).catch((error: unknown) =>
      this.options.log.warn(`couldn’t read the changes of job ${job.key}`, error),
    );
  }

  private async readChanges(job: TrackedJob, signal: AbortSignal): Promise<void> {
    const { results, seen } = this.options;
    const isCurrent = (): boolean => !signal.aborted;
    // Once the user has asked for the check, the page shows its progress and any outcome.
    const isAsked = this.fetchedFor === stateOf(job);
    const [result, branch] = await Promise.all([results.changes(job), isAsked ? undefined : this.branchToFetch(job)]);
    if (isCurrent()) {
      this.changes = result?.changes;
      this.branch.offer(branch);
      this.check = isAsked ? checkingModel() : undefined;
      this.reviewable = result?.reviewable ?? new Set();
      this.onChange();
      await (result?.commit && seen.noteShown(job, result.commit));
    }
    const diff = (await result?.diff) ?? [];
    if (isCurrent()) {
      this.diff = diff;
      this.onChange();
    }
    // What the open repository has may be older than what the agent has done.
    const checked = isCurrent() && branch === undefined ? await result?.check?.(signal) : undefined;
    if (isCurrent()) {
      const model = checked && resultCheckModel(checked);
      const hasFailed = result !== undefined && checked === undefined;
      this.check = isAsked ? (model ?? uncheckedModel(hasFailed)) : model;
      this.onChange();
    }
  }

  /** Undefined if the work is merged or closed, because then there is nothing left to decide. */
  private async branchToFetch(job: TrackedJob): Promise<BranchToFetch | undefined> {
    const { results, pulls } = this.options;
    const pull = workState(job, pulls);
    return pull === undefined || pull === 'open' ? results.branchToFetch(job) : undefined;
  }
}

/** When its pull request was merged or closed; undefined if it is open or that is unknown. */
function hostedEnd(job: TrackedJob, pulls: PageContentOptions['pulls']): PageParts['hostedEnd'] {
  const link = askedPullRequest(job);
  const [state, at] = link === undefined ? [] : [pulls.get(link), pulls.endedAt(link)];
  return at !== undefined && (state === 'merged' || state === 'closed') ? { state, at } : undefined;
}

/** The changes of a job are read once for each of these: the end of a run alters them, and what is done with its work. */
function stateOf({ run, endedAt, snapshot }: TrackedJob): string {
  const work = endedAt === undefined ? '' : JSON.stringify([snapshot?.ref, snapshot?.changes, snapshot?.surroundings]);
  return `${run} ${endedAt ?? ''} ${snapshot?.status ?? ''} ${snapshot?.prLink ?? ''} ${work}`;
}
