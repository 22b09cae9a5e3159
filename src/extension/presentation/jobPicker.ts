import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import { toPickLabel } from '../platform/sanitize';
import type { JobDescriber } from './describeJob';
import { type AskingAction, getQuestion, isAvailable } from './jobActions';
import { projectLabel } from './jobText';

export interface JobPickerOptions {
  store: Pick<JobStore, 'get' | 'jobs'>;
  describer: Pick<JobDescriber, 'describe' | 'contextOf' | 'ready'>;
  /** The key of the job whose page or changes are the active editor. */
  activeJob: () => string | undefined;
  /** Its row in the list is offered first while no job is in the active editor. */
  view?: { focusedJob(): Promise<string | undefined> };
}

interface Choice {
  /** The jobs that the command applies to, if these aren't the ones for which its action is available. */
  fits?: (job: TrackedJob) => boolean;
  /** A prompt from a program or a key binding must not go to whichever job is open. */
  isForeign?: boolean;
}

/** Resolves the job that a command applies to: the named job, the one in the active editor, or the user's pick. */
export class JobPicker {
  private readonly store: JobPickerOptions['store'];

  constructor(private readonly options: JobPickerOptions) {
    this.store = options.store;
  }

  /** The key of the job whose page or changes are the active editor. */
  get activeJob(): string | undefined {
    return this.options.activeJob();
  }

  /** Like `choose`, for all of the named jobs that the command applies to. Empty if there is none. */
  async chooseSome(names: readonly string[], action: AskingAction, choice: Choice = {}): Promise<TrackedJob[]> {
    if (names.length > 1) {
      const named = names.map((name) => this.byName(name));
      return named.filter((job) => job !== undefined).filter(this.fitsFor(action, choice));
    }
    const job = await this.choose(names[0], action, choice);
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
  async choose(name: string | undefined, action: AskingAction, choice: Choice = {}): Promise<TrackedJob | undefined> {
    const fits = this.fitsFor(action, choice);
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
    const { title, none, asksAlways } = getQuestion(action);
    const active = this.activeJob;
    const preferred = active ?? (await this.options.view?.focusedJob());
    // The preferred one comes first, because the first one is selected.
    const fitting = this.store.jobs
      .filter((job) => (isListed(job) || action === 'restoreJob') && fits(job))
      .toSorted((a, b) => Number(b.key === preferred) - Number(a.key === preferred) || b.updatedAt - a.updatedAt);
    // Merged work needs no review; its page may still be open.
    const isLast = (job: TrackedJob): boolean =>
      action === 'reviewChanges' && this.options.describer.describe(job).state === 'merged';
    const jobs = fitting.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
    const meant = fitting.filter((job) => !isLast(job) || job.key === preferred);
    const [first] = jobs;
    if (first === undefined) {
      void offerJob(none);
      return undefined;
    }
    const isOnly = !asksAlways && (meant.length || jobs.length) === 1;
    return choice.isForeign !== true && (first.key === active || isOnly) ? first : this.ask(title, jobs);
  }

  private fitsFor(action: AskingAction, { fits }: Choice): (job: TrackedJob) => boolean {
    return fits ?? ((job) => isAvailable(action, job, this.options.describer.contextOf(job)));
  }

  /** Lets the user pick one of these jobs. */
  async ask(title: string, jobs: readonly TrackedJob[]): Promise<TrackedJob | undefined> {
    const { describer } = this.options;
    await describer.ready();
    const items = jobs.map((job) => {
      const view = describer.describe(job);
      const description = toPickLabel(`${projectLabel(job)} · ${view.label}`);
      return { label: toPickLabel(view.title), description, job };
    });
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.job;
  }
}

export async function offerJob(text: string): Promise<void> {
  const create = vscode.l10n.t('New Job');
  if ((await vscode.window.showInformationMessage(text, create)) === create) {
    await vscode.commands.executeCommand('docsAgent.createJob');
  }
}
