import * as vscode from 'vscode';
import type { App } from '../../app';
import type { LocalAccess } from '../../platform/localAccess';
import { toPickLabel } from '../../platform/sanitize';
import { settings } from '../../settings';
import { askForAddress, askForFolder, askForKey, askForProjectId, askForScope } from './askHosted';
import { askAtObstacle, askForAgent } from './askLocal';
import { type Choice, type Facts, type Flow, stepsOf } from './flow';
import { askPick, CANCEL, showProgressBox, type StepPosition, type StepResult, toStepResult } from './inputBoxes';
import { findAgents } from './localProjects';

/** Shows the box of the current step. */
export async function ask({ localAccess }: App, flow: Flow, facts: Facts): Promise<StepResult> {
  const place = getStepPosition(flow, facts);
  switch (flow.step) {
    case 'service':
      return askForService(flow, facts, settings.usesLocalService() ? 'local' : 'hosted', place);
    case 'address':
      return askForAddress(flow, place);
    case 'folder':
      return askForFolder(flow, facts, place);
    case 'project':
      return askForProjectId(flow, facts, place);
    case 'scope':
      return askForScope(flow, facts, place);
    case 'key':
      return askForKey(flow, facts, place);
    case 'agent':
      return askAmongAgents(localAccess, flow, place);
    case 'obstacle': {
      const problem = flow.problem ?? facts.blocked;
      return problem === undefined ? { way: 'retry', change: {} } : askAtObstacle(flow, facts, problem, place);
    }
  }
}

/** The connection check counts as the last step. */
export function getStepPosition(flow: Flow, facts: Facts, isCheck = false): StepPosition {
  const steps = stepsOf(flow, facts);
  const totalSteps = steps.length + 1;
  return { title: '', step: isCheck ? totalSteps : steps.indexOf(flow.step) + 1, totalSteps };
}

/** Only the local service knows its agents; it is started if needed. */
async function askAmongAgents(localAccess: LocalAccess, flow: Flow, place: StepPosition): Promise<StepResult> {
  const { title, work } = findAgents(localAccess);
  const left = await showProgressBox({ ...place, title }, work);
  if (left?.value === undefined) {
    return left === undefined ? CANCEL : { way: 'back', change: {} };
  }
  return 'problem' in left.value
    ? { way: 'failed', problem: left.value.problem }
    : askForAgent(flow, left.value.answer, place);
}

/** The first question: which service runs the jobs. */
async function askForService({ draft }: Flow, facts: Facts, present: Choice, place: StepPosition): Promise<StepResult> {
  const items: (vscode.QuickPickItem & { value: Choice })[] = [
    {
      label: `$(cloud) ${vscode.l10n.t('Hosted service')}`,
      description: toPickLabel(new URL(facts.address).host),
      detail: vscode.l10n.t('Requires a project ID and an API key. Opens pull requests in the project’s repository.'),
      value: 'hosted',
    },
    {
      label: `$(device-desktop) ${vscode.l10n.t('Local service')}`,
      description:
        facts.blocked === undefined
          ? vscode.l10n.t('no account needed')
          : vscode.l10n.t('not available in this window yet'),
      detail: vscode.l10n.t(
        'Uses a coding agent installed on this machine, in a private clone of the open repository.',
      ),
      value: 'local',
    },
    {
      label: `$(server) ${vscode.l10n.t('Other hosted service…')}`,
      detail: vscode.l10n.t('A compatible service at another URL.'),
      value: 'other',
    },
  ];
  const placeholder = vscode.l10n.t('Nothing is saved until the last step. Press Escape to cancel.');
  const active = draft.service ?? present;
  const left = await askPick({
    ...place,
    title: vscode.l10n.t('Connect: choose where jobs run'),
    placeholder,
    items,
    active,
  });
  return toStepResult(left, (service) => (service === undefined ? {} : { service }));
}
