import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { Logger } from '../../../shared/util/logger';
import type { PageModel } from './model';
import { PAGE_ACTS } from './pageActions';
import type { StorySource } from './storySource';

/** Does what a page asks for: only what it was offered, with its own job. */
export class PageActs {
  constructor(private readonly options: { store: Pick<JobStore, 'promptOf'>; story: StorySource; log: Logger }) {}

  async run(
    job: TrackedJob | undefined,
    model: PageModel | undefined,
    id: string,
    entry: string | undefined,
  ): Promise<void> {
    const among = model?.timeline.entries.find((each) => each.id === entry);
    const offered = entry === undefined ? [...(model?.actions ?? []), ...factActions(model)] : (among?.actions ?? []);
    if (!offered.some((action) => action.id === id)) {
      this.options.log.warn('a page asked for what it does not offer, which was ignored');
      return;
    }
    const send = job?.sends.find((each) => each.id === entry);
    if (id === PAGE_ACTS.copyPrompt && job !== undefined && send !== undefined) {
      await vscode.env.clipboard.writeText(await this.options.store.promptOf(job.key, send));
      vscode.window.setStatusBarMessage(vscode.l10n.t('Prompt copied'), 3000);
      return;
    }
    const argument = job && { jobKey: job.key, ...(send === undefined ? {} : { sendId: send.id }) };
    await vscode.commands.executeCommand(id, argument);
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
