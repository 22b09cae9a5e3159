import type { Workbench } from '../support/vscode/workbench';

/** How often a key is pressed on the way to an action, in all. */
const STEPS = 60;

/** How long the list of actions may take after its key, in milliseconds, before the key is pressed again. */
const LIST_LIMIT = 5_000;

/** A look at an entry that stands there; when the list has closed meanwhile, there is none to wait for. */
const LOOK_LIMIT = 500;

/** Goes by keyboard alone, from the cursor in the editor, to the code action with this title: Enter runs it then. */
export async function focusCodeAction({ page }: Workbench, title: string): Promise<void> {
  const action = page.locator('.action-widget .monaco-list-row', { hasText: title }).first();
  const isFocused = async (): Promise<boolean> => {
    const classes = await action.getAttribute('class', { timeout: LOOK_LIMIT }).catch(() => null);
    return /\bfocused\b/.test(classes ?? '');
  };
  // The list closes when the editor learns something new of the document meanwhile.
  for (let step = 0; step < STEPS; step++) {
    if (!(await action.isVisible())) {
      await page.keyboard.press('Control+.');
      await action.waitFor({ timeout: LIST_LIMIT }).catch(() => page.keyboard.press('Escape'));
    } else if (await isFocused()) {
      return;
    } else {
      await page.keyboard.press('ArrowDown');
    }
  }
  throw new Error(`the action “${title}” did not get the focus`);
}
