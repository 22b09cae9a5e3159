import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import { COMMANDS } from '../ids';
import { workState } from '../platform/localWork';
import type { PullRequestStates } from '../platform/pullRequestStates';
import { toPickLabel } from '../platform/sanitize';
import { JOB_QUESTIONS, type JobQuestionName } from './jobQuestions';
import { statusText } from './jobState';
import { jobTitle, projectLabel } from './jobText';

export interface JobPickerOptions {
  store: Pick<JobStore, 'get' | 'jobs'>;
  pulls: Pick<PullRequestStates, 'of' | 'load'>;
  /** The key of the job whose page or changes are the active editor. */
  activeJob: () => string | undefined;
}

/** Resolves the job that a command applies to: the named job, the one in the active editor, or the user's pick. */
export class JobPicker {
  private readonly store: JobPickerOptions['store'];

  constructor(private readonly options: JobPickerOptions) {
    this.store = options.store;
  }

  /** Like `choose`, for all of the named jobs that the command applies to. Empty if there is none. */
  async chooseSome(
    names: readonly string[],
    question: JobQuestionName,
    fits: (job: TrackedJob) => boolean,
    among: 'listed' | 'removed' = 'listed',
  ): Promise<TrackedJob[]> {
    if (names.length > 1) {
      const named = names.map((name) => this.byName(name));
      return named.filter((job) => job !== undefined).filter(fits);
    }
    const job = await this.choose(names[0], question, fits, among);
    return job === undefined ? [] : [job];
  }

  /**
   * Finds a job by its key or by the service's ID. IDs come from services, so two services may use the same one: an ID
   * of several jobs names none, because a follow-up must not go to the wrong service.
   */
  byName(name: string): TrackedJob | undefined {
    const [job, other] = this.store.jobs.filter((listed) => listed.snapshot?.id === name && isListed(listed));
    return this.store.get(name) ?? (other === undefined ? job : undefined);
  }

  /**
   * Returns the named job, otherwise one that the command applies to: that in the active editor, the only one, or the
   * user's pick. Undefined if there is none (the user is notified), or if the user cancelled.
   */
  async choose(
    name: string | undefined,
    question: JobQuestionName,
    fits: (job: TrackedJob) => boolean,
    among: 'listed' | 'removed' = 'listed',
  ): Promise<TrackedJob | undefined> {
    if (name !== undefined) {
      const job = this.byName(name);
      if (job === undefined || !fits(job)) {
        void vscode.window.showWarningMessage(
          vscode.l10n.t('This command isn’t available for this job. Select another job.'),
        );
        return undefined;
      }
      return job;
    }
    const { title, none, asks } = JOB_QUESTIONS[question]();
    const active = this.options.activeJob();
    // The active one comes first, because the first one is selected.
    const fitting = this.store.jobs
      .filter((job) => (among === 'removed' || isListed(job)) && fits(job))
      .toSorted((a, b) => Number(b.key === active) - Number(a.key === active) || b.updatedAt - a.updatedAt);
    // Merged work needs no review, even if its page is still open.
    const [ready, merged] = question === 'reviewChanges' ? this.splitMerged(fitting) : [fitting, []];
    const jobs = [...ready, ...merged];
    const [first] = jobs;
    if (first === undefined) {
      void offerJob(none);
      return undefined;
    }
    const isClear = first.key === active || (asks === 'several' && (ready.length || merged.length) === 1);
    return asks !== 'always' && isClear ? first : this.ask(title, jobs);
  }

  private splitMerged(jobs: readonly TrackedJob[]): [ready: TrackedJob[], merged: TrackedJob[]] {
    const isMerged = (job: TrackedJob): boolean => workState(job, this.options.pulls) === 'merged';
    return [jobs.filter((job) => !isMerged(job)), jobs.filter(isMerged)];
  }

  private async ask(title: string, jobs: readonly TrackedJob[]): Promise<TrackedJob | undefined> {
    const { pulls } = this.options;
    await pulls.load();
    const items = jobs.map((job) => ({
      label: toPickLabel(jobTitle(job)),
      description: toPickLabel(`${projectLabel(job)} · ${statusText(job, workState(job, pulls))}`),
      job,
    }));
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.job;
  }
}

async function offerJob(text: string): Promise<void> {
  const create = vscode.l10n.t('New Job');
  if ((await vscode.window.showInformationMessage(text, create)) === create) {
    await vscode.commands.executeCommand(COMMANDS.createJob);
  }
}
