import type * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';
import type { Logger } from '../../../base/logger';
import { jobHistory } from '../../../jobs/jobHistory';
import type { JobStore } from '../../../jobs/jobStore';
import type { Poller } from '../../../jobs/poller';
import { type UsualRun, usualRun } from '../../../jobs/runs';
import { isRunning, type OutgoingPrompt, type TrackedJob } from '../../../jobs/trackedJob';
import type { UncheckedLog } from '../../../jobs/uncheckedLog';
import { workState } from '../../platform/localWork';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import type { Changes, PageModel, Story } from './model';
import { pageModel } from './pageModel';

export interface PageContentOptions {
  store: JobStore;
  poller: Poller;
  unchecked: UncheckedLog;
  pulls: Pick<PullRequestStates, 'of' | 'onDidChange'>;
  story: StorySource;
  log: Logger;
}

/** Gathers what the page of one job shows: the record, and while the page is in sight the story and the changes. */
export class PageContent implements vscode.Disposable {
  private readonly merges: Disposable;
  private following: Disposable | undefined;
  private story: Story | undefined;
  private changes: Changes | undefined;
  /** The state of the job for which the changes were asked last. */
  private askedFor = '';
  /** Long prompts, read from the disk while the page is in sight. */
  private readonly prompts = new Map<string, string>();
  private usual: { forRun: string; run: UsualRun | undefined } | undefined;

  constructor(
    private readonly jobKey: string,
    private readonly options: PageContentOptions,
    private readonly onChange: () => void,
  ) {
    this.merges = options.pulls.onDidChange(onChange);
  }

  model(listed: TrackedJob): PageModel {
    const { store, poller, unchecked, pulls } = this.options;
    const job = this.withPrompts(listed);
    this.wake();
    this.askForChanges(job);
    return pageModel({
      job,
      health: poller.health(job.key),
      usual: this.usualOf(job),
      pull: workState(job, pulls),
      now: Date.now(),
      history: jobHistory(job, store.eventsOf(job.key), unchecked.spans(job.key)),
      story: this.story,
      changes: this.changes,
    });
  }

  /** The page is in sight. */
  wake(): void {
    const job = this.options.store.get(this.jobKey);
    if (job?.snapshot !== undefined) {
      this.following ??= this.options.story.follow(job, (story) => {
        this.story = story;
        this.onChange();
      });
    }
  }

  /** Nobody looks: nothing is asked for. */
  rest(): void {
    this.following?.dispose();
    this.following = undefined;
    this.askedFor = '';
    this.prompts.clear();
  }

  dispose(): void {
    this.merges.dispose();
    this.rest();
  }

  /** Reads what is not in memory of the prompts, and tells when it is there. */
  private withPrompts(job: TrackedJob): TrackedJob {
    for (const send of job.sends.filter(({ id, isCut }) => isCut === true && !this.prompts.has(id))) {
      this.prompts.set(send.id, send.prompt);
      void this.options.store.promptOf(job.key, send).then((prompt) => {
        if (this.prompts.has(send.id)) {
          this.prompts.set(send.id, prompt);
          this.onChange();
        }
      });
    }
    const whole = (send: OutgoingPrompt): OutgoingPrompt => ({
      ...send,
      prompt: this.prompts.get(send.id) ?? send.prompt,
    });
    return job.sends.some(({ isCut }) => isCut) ? { ...job, sends: job.sends.map(whole) } : job;
  }

  /** Once a state of the job: what was changed can be another with each end. */
  private askForChanges(job: TrackedJob): void {
    const state = `${job.run} ${job.endedAt ?? ''} ${job.snapshot?.status ?? ''} ${job.snapshot?.prLink ?? ''}`;
    if (state === this.askedFor || job.snapshot === undefined) {
      return;
    }
    this.askedFor = state;
    this.options.story.changes(job).then(
      (changes) => {
        if (this.askedFor === state) {
          this.changes = changes;
          this.onChange();
        }
      },
      (error: unknown) => this.options.log.warn(`what job ${job.key} changed could not be read`, error),
    );
  }

  /** Worked out once a run: it takes all jobs. */
  private usualOf(job: TrackedJob): UsualRun | undefined {
    if (!isRunning(job)) {
      return undefined;
    }
    if (this.usual?.forRun !== job.run) {
      this.usual = { forRun: job.run, run: usualRun(this.options.store.jobs, job.home) };
    }
    return this.usual.run;
  }
}

/** Who knows what the agent of a job does, and which files it changed. */
export interface StorySource {
  /** Tells the story as it stands and whenever there is more of it, until disposed; undefined while there is none. */
  follow(job: TrackedJob, onStory: (story: Story | undefined) => void): Disposable;
  /** What the job changed; undefined where that is not known. */
  changes(job: TrackedJob): Promise<Changes | undefined>;
  /** Shows what the job did to one file, which was among its changes. */
  openFile(job: TrackedJob, path: string): Promise<void>;
}
