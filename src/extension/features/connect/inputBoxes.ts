import * as vscode from 'vscode';
import { toBoxLine } from '../../platform/sanitize';
import type { Draft, Problem } from './flow';

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

/** The maximum length of the line below an input box, in characters. */
const MAX_LINE = 1_000;

/** Asks for a line of text. Undefined when the user pressed Escape. */
export async function askText(box: TextBox): Promise<InputResult<string> | undefined> {
  const input = vscode.window.createInputBox();
  const { value, prompt, placeholder, password = false, problem, validate, button } = box;
  const told = problem === undefined ? undefined : warning(problem);
  // A link in either text would run any command, and both may quote a service.
  Object.assign(input, {
    value,
    prompt: toBoxLine(prompt, MAX_LINE),
    placeholder,
    password,
    validationMessage: told,
  });
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
  return { message: toBoxLine(message, MAX_LINE), severity: vscode.InputBoxValidationSeverity.Error };
}

/** How the user left a step, and the resulting change of the draft. */
export type StepResult =
  /** `keep`: continue as with `next`, but without a check at the end. */
  | { way: 'next' | 'back' | 'keep' | 'retry'; change: Partial<Draft> }
  /** Leave the flow for something that has to be done first. */
  | { way: 'leave'; command: string; argument?: unknown }
  /** The step could not be shown. */
  | { way: 'failed'; problem: Problem }
  /** Escape: nothing is changed. */
  | { way: 'cancel' };

export const CANCEL: StepResult = { way: 'cancel' };

/** Converts a box's result into a move; the box's button keeps the input without a check. */
export function toStepResult<T>(left: InputResult<T> | undefined, change: (value: T) => Partial<Draft>): StepResult {
  if (left === undefined) {
    return CANCEL;
  }
  return { way: left.way === 'button' ? 'keep' : left.way, change: change(left.value) };
}
