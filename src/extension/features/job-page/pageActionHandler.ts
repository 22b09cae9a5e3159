import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { toPickLabel } from '../../platform/sanitize';
import type { JobDescriber } from '../../presentation/describeJob';
import { getDetail, isAction, runAction } from '../../presentation/jobActions';
import { copyPrompt } from '../../sending/copyPrompt';
import type { PageModel } from './model';
import { PAGE_ACTIONS } from './pageActions';
import type { ActivitySource } from './pageContent';

export interface PageActionOptions {
  story: ActivitySource;
  describer: Pick<JobDescriber, 'contextOf'>;
  log: Logger;
}

/** Runs actions requested by a page: only those that it was offered, and only on its own job. */
export class PageActionHandler {
  constructor(private readonly options: PageActionOptions) {}

  async run(
    job: TrackedJob | undefined,
    model: PageModel | undefined,
    id: string,
    entry: string | undefined,
  ): Promise<void> {
    const among = model?.history.find((each) => each.id === entry);
    const ofJob = [...(model?.actions ?? []), ...(model?.moreActions ?? [])];
    const offered = entry === undefined ? [...ofJob, ...factActions(model)] : (among?.actions ?? []);
    if (!offered.some((action) => action.id === id)) {
      this.options.log.warn('ignored a request of a job page for an action that it doesn’t offer');
      return;
    }
    if (id === PAGE_ACTIONS.more) {
      return this.choose(job, model);
    }
    const prompt = job?.prompts.find((each) => each.id === entry);
    if (id === PAGE_ACTIONS.copyPrompt && prompt !== undefined) {
      return copyPrompt(prompt.text);
    }
    if (isAction(id)) {
      await runAction(id, job, prompt);
    }
  }

  /** Lets the user choose among the actions that the page doesn't show. */
  private async choose(job: TrackedJob | undefined, model: PageModel | undefined): Promise<void> {
    const items = (model?.moreActions ?? []).map((action) => ({
      label: toPickLabel(action.label),
      detail: job && isAction(action.id) ? getDetail(action.id, job, this.options.describer.contextOf(job)) : '',
      action,
    }));
    const picked = await vscode.window.showQuickPick(items, { title: toPickLabel(model?.title ?? '') });
    if (picked !== undefined) {
      await this.run(job, model, picked.action.id, picked.action.entry);
    }
  }

  async openFile(job: TrackedJob | undefined, model: PageModel | undefined, path: string): Promise<void> {
    if (job !== undefined && model?.changes?.files.some((file) => file.path === path) === true) {
      await this.options.story.openFile(job, path);
    }
  }
}

function factActions(model: PageModel | undefined): { id: string }[] {
  return (model?.facts ?? []).flatMap(({ action }) => (action === undefined ? [] : [{ id: action }]));
}
