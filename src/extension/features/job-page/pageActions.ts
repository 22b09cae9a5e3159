import * as vscode from 'vscode';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import {
  type ActionContext,
  type ActionName,
  getLabel,
  getPageActions,
  getPromptActions,
  type PageButton,
} from '../../presentation/jobActions';
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
  return getPromptActions(prompt).map((name) => ({ id: name, label: getLabel(name, job, prompt) }));
}

function toAction(job: TrackedJob, { name, isPrimary, prompt }: Partial<PageButton> & { name: ActionName }): Action {
  return {
    id: name,
    label: getLabel(name, job, prompt),
    ...(isPrimary === true ? { isPrimary } : {}),
    ...(prompt === undefined ? {} : { entry: prompt.id }),
    ...(name === 'sendFollowUp' ? { leadsTo: 'followUp' } : {}),
  };
}
