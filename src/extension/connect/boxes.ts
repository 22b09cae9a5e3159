import * as vscode from 'vscode';

/** Where a box stands in the flow. */
export interface Place {
  title: string;
  step: number;
  totalSteps: number;
}

/** How a box was left: onwards, back, or onwards by a button of its own. `value` is what it held. */
export interface Left<T> {
  way: 'next' | 'back' | 'button';
  value: T;
}

export interface TextBox extends Place {
  value: string;
  prompt: string;
  placeholder?: string;
  password?: boolean;
  /** Why this box is shown again; gone with the first letter that is typed. */
  problem?: string | undefined;
  /** What is wrong with the value; it is not taken then. */
  validate: (value: string) => string | undefined;
  button?: vscode.QuickInputButton | undefined;
}

export interface PickBox<T> extends Place {
  placeholder: string;
  items: readonly (vscode.QuickPickItem & { value?: T })[];
  /** The value of the row that the keyboard is on. */
  active?: T | undefined;
}

/** Asks for a line of text. Undefined when the user pressed Escape. */
export async function askText(box: TextBox): Promise<Left<string> | undefined> {
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

/** Asks for one of several. Undefined when the user pressed Escape; `value` is undefined when the user went back. */
export async function askPick<T>(box: PickBox<T>): Promise<Left<T | undefined> | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { value?: T }>();
  Object.assign(pick, { placeholder: box.placeholder, items: box.items, matchOnDetail: true });
  const present = box.items.find(({ value }) => value !== undefined && value === box.active);
  if (present !== undefined) {
    // With an empty list no row would be active, and Enter would do nothing.
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

/** Waits for something in a box that can be left. Undefined when the user pressed Escape; what comes later is not heard. */
export async function askToWait<T>(place: Place, work: Promise<T>): Promise<Left<T | undefined> | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.placeholder = vscode.l10n.t('One moment. Escape leaves everything as it was.');
  pick.busy = true;
  return show<T | undefined>(pick, place, backOf(place), (leave, fail) => {
    work.then((value) => leave({ way: 'next', value }), fail);
    pick.onDidTriggerButton(() => leave({ way: 'back', value: undefined }));
  });
}

async function show<T>(
  box: vscode.QuickInput,
  { title, step, totalSteps }: Place,
  buttons: readonly vscode.QuickInputButton[],
  listen: (leave: (left: Left<T>) => void, fail: (error: unknown) => void) => void,
): Promise<Left<T> | undefined> {
  Object.assign(box, { title, step, totalSteps, buttons, ignoreFocusOut: true });
  try {
    return await new Promise((resolve, reject) => {
      // Disposing of the box hides it, too: by then the promise has settled.
      box.onDidHide(() => resolve(undefined));
      listen(resolve, reject);
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function backOf({ step }: Place): vscode.QuickInputButton[] {
  return step > 1 ? [vscode.QuickInputButtons.Back] : [];
}

function warning(message: string): vscode.InputBoxValidationMessage {
  return { message, severity: vscode.InputBoxValidationSeverity.Error };
}
