import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import { toPickLabel } from '../../platform/sanitize';
import type { JobDescriber } from '../../presentation/describeJob';
import {
  type ActionContext,
  type ActionName,
  getDetail,
  getLabel,
  getPageActions,
  getPromptActions,
  isAction,
  type PageButton,
  runAction,
} from '../../presentation/jobActions';
import { copyPrompt } from '../../sending/copyPrompt';
import type { Action, PageModel } from './model';

/** Actions of the page itself, which are not commands. */
export const PAGE_ACTIONS = { copyPrompt: 'copyPrompt', more: 'more', fetchAndCheck: 'fetchAndCheck' } as const;

/** The actions available for the job now: those shown on the page, and the others. */
export function pageActions(job: TrackedJob, context: ActionContext): Pick<PageModel, 'actions' | 'moreActions'> {
  const { buttons, further } = getPageActions(job, context);
  const more = { id: PAGE_ACTIONS.more, label: vscode.l10n.t('More…') };
  return {
    actions: [...buttons.map((button) => toAction(job, button)), ...(further.length === 0 ? [] : [more])],
    moreActions: further.map((name) => toAction(job, { name })),
  };
}

/** The actions for a prompt that was not accepted. */
export function sendActions(job: TrackedJob, prompt: OutgoingPrompt): Action[] {
  return getPromptActions(prompt).map((name) => ({ id: name, label: getLabel(name, job) }));
}

function toAction(job: TrackedJob, { name, isPrimary, prompt }: Partial<PageButton> & { name: ActionName }): Action {
  return {
    id: name,
    label: getLabel(name, job),
    ...(isPrimary === true ? { isPrimary } : {}),
    ...(prompt === undefined ? {} : { entry: prompt.id }),
  };
}

/**
 * Runs an action requested by a page: only one that it was offered, and only on its own job.
 *
 * @param entry the id of the history's entry that the action is for
 */
export async function runPageAction(
  { describer, log }: { describer: Pick<JobDescriber, 'contextOf'>; log: Logger },
  { job, model }: { job: TrackedJob | undefined; model: PageModel | undefined },
  { id, entry }: { id: string; entry?: string | undefined },
): Promise<void> {
  const { history = [], actions = [], moreActions = [], facts = [] } = model ?? {};
  const ofFacts = facts.flatMap(({ action }) => (action === undefined ? [] : [{ id: action }]));
  const ofEntry = history.find((each) => each.id === entry)?.actions ?? [];
  const offered = entry === undefined ? [...actions, ...moreActions, ...ofFacts] : ofEntry;
  if (!offered.some((action) => action.id === id)) {
    log.warn('ignored a request of a job page for an action that it doesn’t offer');
    return;
  }
  const prompt = job?.prompts.find((each) => each.id === entry);
  if (id === PAGE_ACTIONS.copyPrompt && prompt !== undefined) {
    return copyPrompt(prompt.text);
  }
  if (id !== PAGE_ACTIONS.more) {
    return isAction(id) ? runAction(id, job, prompt) : undefined;
  }
  const items = moreActions.map((action) => ({
    label: toPickLabel(action.label),
    detail: job && isAction(action.id) ? getDetail(action.id, job, describer.contextOf(job)) : '',
    action,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: toPickLabel(model?.title ?? '') });
  if (picked !== undefined) {
    await runPageAction({ describer, log }, { job, model }, picked.action);
  }
}
