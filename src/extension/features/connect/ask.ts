import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { JobStore } from '../../../jobs/jobStore';
import type { ApiKeys } from '../../platform/apiKeys';
import type { LocalAccess } from '../../platform/localAccess';
import type { Milestones } from '../../platform/milestones';
import { toPickLabel } from '../../platform/sanitize';
import type { ServiceAccess } from '../../platform/serviceAccess';
import { settings } from '../../settings';
import { askForAddress, askForFolder, askForKey, askForProjectId, askForScope } from './askHosted';
import { askAtObstacle, askForAgent } from './askLocal';
import { CANCEL, type StepResult, toStepResult } from './connect';
import { type Choice, type Facts, type Flow, stepsOf } from './flow';
import { findAgents } from './localProjects';

export interface ConnectOptions {
  access: ServiceAccess;
  localAccess: LocalAccess;
  localAvailable: boolean;
  keys: ApiKeys;
  store: JobStore;
  milestones: Milestones;
  log: Logger;
}

/** Shows the box of the current step. */
export async function ask({ localAccess }: ConnectOptions, flow: Flow, facts: Facts): Promise<StepResult> {
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

/** The position of a box in the flow. */
export interface StepPosition {
  title: string;
  step: number;
  totalSteps: number;
}

/** How the user left a box: forward, back, or forward by the box's own button. `value` is its content. */
export interface InputResult<T> {
  way: 'next' | 'back' | 'button';
  value: T;
}

export interface TextBox extends StepPosition {
  value: string;
  prompt: string;
  placeholder?: string;
  password?: boolean;
  /** Why this box is shown again; cleared when the user types. */
  problem?: string | undefined;
  /** Returns what is wrong with the value, which is then not accepted. */
  validate: (value: string) => string | undefined;
  button?: vscode.QuickInputButton | undefined;
}

export interface PickBox<T> extends StepPosition {
  placeholder: string;
  items: readonly (vscode.QuickPickItem & { value?: T })[];
  /** The value of the row that is active at first. */
  active?: T | undefined;
}

/** Asks for a line of text. Undefined when the user pressed Escape. */
export async function askText(box: TextBox): Promise<InputResult<string> | undefined> {
  const input = vscode.window.createInputBox();
  const { value, prompt, placeholder, password = false, problem, validate, button } = box;
  const told = problem === undefined ? undefined : warning(problem);
  Object.assign(input, { value, prompt, placeholder, password, validationMessage: told });
  const buttons = [...backOf(box), ...(button === undefined ? [] : [button])];
  return show<string>(input, box, buttons, (leave) => {
    input.onDidChangeValue((text) => (input.validationMessage = text === '' ? undefined : validate(text)));
    const take = (way: 'next' | 'button'): void => {
      const wrong = validate(input.value);
      input.validationMessage = wrong;
      if (wrong === undefined) {
        leave({ way, value: input.value });
      }
    };
    input.onDidAccept(() => take('next'));
    input.onDidTriggerButton((pressed) =>
      pressed === button ? take('button') : leave({ way: 'back', value: input.value }),
    );
  });
}

/**
 * Asks for one of several values. Undefined when the user pressed Escape; `value` is undefined when the user went back.
 */
export async function askPick<T>(box: PickBox<T>): Promise<InputResult<T | undefined> | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { value?: T }>();
  Object.assign(pick, { placeholder: box.placeholder, items: box.items, matchOnDetail: true });
  const present = box.items.find(({ value }) => value !== undefined && value === box.active);
  if (present !== undefined) {
    // Setting an empty list would leave no row active, and Enter would do nothing.
    pick.activeItems = [present];
  }
  return show<T | undefined>(pick, box, backOf(box), (leave) => {
    pick.onDidAccept(() => {
      const value = pick.selectedItems[0]?.value;
      if (value !== undefined) {
        leave({ way: 'next', value });
      }
    });
    pick.onDidTriggerButton(() => leave({ way: 'back', value: undefined }));
  });
}

/** Shows progress in a box that can be closed. Undefined when the user pressed Escape; a later result is ignored. */
export async function showProgressBox<T>(
  place: StepPosition,
  work: Promise<T>,
): Promise<InputResult<T | undefined> | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.placeholder = vscode.l10n.t('Testing the connection. Press Escape to cancel.');
  pick.busy = true;
  return show<T | undefined>(pick, place, backOf(place), (leave, fail) => {
    work.then((value) => leave({ way: 'next', value }), fail);
    pick.onDidTriggerButton(() => leave({ way: 'back', value: undefined }));
  });
}

async function show<T>(
  box: vscode.QuickInput,
  { title, step, totalSteps }: StepPosition,
  buttons: readonly vscode.QuickInputButton[],
  listen: (leave: (left: InputResult<T>) => void, fail: (error: unknown) => void) => void,
): Promise<InputResult<T> | undefined> {
  Object.assign(box, { title, step, totalSteps, buttons, ignoreFocusOut: true });
  try {
    return await new Promise((resolve, reject) => {
      // Disposing the box also hides it, but by then the promise has settled.
      box.onDidHide(() => resolve(undefined));
      listen(resolve, reject);
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function backOf({ step }: StepPosition): vscode.QuickInputButton[] {
  return step > 1 ? [vscode.QuickInputButtons.Back] : [];
}

function warning(message: string): vscode.InputBoxValidationMessage {
  return { message, severity: vscode.InputBoxValidationSeverity.Error };
}
