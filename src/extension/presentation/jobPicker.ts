import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import { COMMANDS } from '../ids';
import { toPickLabel } from '../platform/sanitize';
import { statusText } from './jobState';
import { jobTitle, projectLabel } from './jobText';

/** Resolves the job that a command applies to: the named job, or the user's pick. */
export class JobPicker {
  constructor(private readonly store: Pick<JobStore, 'get' | 'jobs'>) {}

  /**
   * Returns those of the named jobs that the command applies to, or the job that the user picks. Empty if there is
   * none (the user is notified).
   */
  async chooseSome(
    names: readonly string[],
    title: string,
    fits: (job: TrackedJob) => boolean,
    among: 'listed' | 'removed' = 'listed',
  ): Promise<TrackedJob[]> {
    if (names.length > 1) {
      const named = names.map((name) => this.byName(name));
      return named.filter((job) => job !== undefined).filter(fits);
    }
    const job = await this.choose(names[0], title, fits, among);
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
   * Returns the named job, or the user's pick among those that the command applies to. Undefined if there is none
   * (the user is notified), or if the user cancelled.
   */
  async choose(
    name: string | undefined,
    title: string,
    fits: (job: TrackedJob) => boolean,
    among: 'listed' | 'removed' = 'listed',
  ): Promise<TrackedJob | undefined> {
    if (name !== undefined) {
      const job = this.byName(name);
      if (job === undefined || !fits(job)) {
        void vscode.window.showWarningMessage(vscode.l10n.t('That isn’t available for this job. Select another one.'));
        return undefined;
      }
      return job;
    }
    const jobs = this.store.jobs
      .filter((job) => (among === 'removed' || isListed(job)) && fits(job))
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
    if (jobs.length === 0) {
      void offerJob();
      return undefined;
    }
    const items = jobs.map((job) => ({
      label: toPickLabel(jobTitle(job)),
      description: toPickLabel(`${projectLabel(job)} · ${statusText(job)}`),
      job,
    }));
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.job;
  }
}

async function offerJob(): Promise<void> {
  const create = vscode.l10n.t('New Job');
  const text = vscode.l10n.t('There are no jobs to choose from.');
  if ((await vscode.window.showInformationMessage(text, create)) === create) {
    await vscode.commands.executeCommand(COMMANDS.createJob);
  }
}
