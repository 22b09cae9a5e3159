import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { isListed } from '../../jobs/trackedJob';
import type { Composer } from '../prompt/composer/composer';
import { targetOf } from '../prompt/composer/composerTarget';
import { itemsToOpen } from '../prompt/composer/draftItems';
import type { TargetFacts } from '../prompt/composer/targetFacts';
import type { Projects } from '../services/projects';

export interface OpenDraftOptions {
  composer: Composer;
  facts: TargetFacts;
  projects: Projects;
  store: JobStore;
}

/** Offers the prompts that were begun and not sent, for the project at hand and for the jobs of the list. */
export async function openDraft({ composer, facts, projects, store }: OpenDraftOptions): Promise<void> {
  const home = await projects.choose();
  if (home === undefined) {
    return;
  }
  const jobs = store.jobs.filter(isListed).map(({ key }) => ({ kind: 'followUp' as const, jobKey: key }));
  const items = composer.begun
    .list([targetOf(home), ...jobs])
    .then((drafts) => itemsToOpen(drafts, ({ target }) => facts.nameOf(target)));
  const options = {
    title: vscode.l10n.t('Prompts that were not sent yet'),
    placeHolder: vscode.l10n.t('Open a draft, or start a new one'),
  };
  const picked = await vscode.window.showQuickPick(items, options);
  if (picked !== undefined) {
    await (picked.draft === undefined ? composer.openEmpty(home) : composer.openDraft(picked.draft));
  }
}
