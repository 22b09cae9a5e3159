import { strictEqual } from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { WAIT_LIMIT } from '../scale';
import type { ExtensionHost } from './extensionHosts';

const TRIES = 20;

/** How long a click may take, in milliseconds. A slow click that is given up may still have taken effect. */
const CLICK_MS = 5_000;

/** Picks an entry of the open context menu. Several labels lead through submenus. */
export async function pickMenuEntry(page: Page, labels: readonly string[]): Promise<void> {
  if (!(await tryToPickMenuEntry(page, labels))) {
    throw new Error(`the menu closed before “${labels.join(' › ')}” was picked`);
  }
}

/**
 * Picks an entry of the open context menu. Several labels lead through submenus. A menu ignores clicks in its first 100
 * milliseconds, so a click is repeated until it takes effect. Returns false if the menu closed before it was clicked, as
 * it does when something else takes the focus.
 */
export async function tryToPickMenuEntry(page: Page, labels: readonly string[]): Promise<boolean> {
  const last = labels.at(-1);
  for (const label of labels) {
    const entry = menuEntry(page, label);
    await entry.waitFor();
    if (!(await repeatClick(page, entry, label === last ? 'closes' : 'opens'))) {
      return false;
    }
  }
  return true;
}

/** Whether the context menu that opens has this entry. */
export async function hasMenuEntry(page: Page, label: string): Promise<boolean> {
  return menuEntry(page, label)
    .waitFor({ timeout: 5_000 })
    .then(
      () => true,
      () => false,
    );
}

/** The labels that the open context menu shows, including those of open submenus. */
export async function menuLabels(page: Page): Promise<string[]> {
  const labels = page.locator('.context-view .monaco-menu .action-item:visible .action-label:not(.separator)');
  await labels.first().waitFor();
  return (await labels.allInnerTexts()).map((label) => label.trim()).filter((label) => label !== '');
}

function menuEntry(page: Page, label: string): Locator {
  return page
    .locator('.context-view .monaco-menu .action-item', { has: page.getByText(label, { exact: true }) })
    .last();
}

/**
 * Clicks an entry until the menu closes or a submenu opens. Returns false if the menu closed without a click. Submenus
 * also open when the pointer is over them.
 */
async function repeatClick(page: Page, entry: Locator, effect: 'closes' | 'opens'): Promise<boolean> {
  let isClicked = false;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await page.waitForTimeout(150);
    const clicking = entry.click({ timeout: CLICK_MS }).then(
      () => true,
      () => false,
    );
    isClicked = (await clicking) || isClicked;
    const happened =
      effect === 'closes'
        ? entry.waitFor({ state: 'hidden', timeout: 500 })
        : page.locator('.context-view .monaco-submenu').last().waitFor({ timeout: 500 });
    if (await happened.then(() => true).catch(() => false)) {
      return isClicked || effect === 'opens';
    }
  }
  throw new Error('the menu did not react to clicks');
}

/** The text editor of a window. */
export class Editor {
  constructor(
    private readonly page: Page,
    private readonly host: () => ExtensionHost,
  ) {}

  /** Opens a file of the workspace and waits until its text is rendered. */
  async open(path: string): Promise<void> {
    await this.host().run(async (vscode, file: string) => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const uri = folder === undefined ? vscode.Uri.file(file) : vscode.Uri.joinPath(folder, file);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }, path);
    await this.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor();
  }

  /** Selects the first occurrence of a text, which must be on one line. */
  async select(text: string): Promise<void> {
    await this.host().run((vscode, wanted: string) => {
      const editor = vscode.window.activeTextEditor;
      const at = editor?.document.getText().indexOf(wanted) ?? -1;
      if (editor === undefined || at === -1) {
        throw new Error('no such text in the active editor');
      }
      const { document } = editor;
      editor.selection = new vscode.Selection(document.positionAt(at), document.positionAt(at + wanted.length));
    }, text);
    await this.page.locator('.editor-instance .selected-text').first().waitFor();
  }

  /** Picks an entry of the selection's context menu. Several labels lead through submenus. */
  async contextMenu(...labels: string[]): Promise<void> {
    await this.openMenu();
    await pickMenuEntry(this.page, labels);
  }

  /** The labels in the selection's context menu; closes the menu afterward. */
  async contextMenuLabels(): Promise<string[]> {
    await this.openMenu();
    const labels = await menuLabels(this.page);
    await this.page.keyboard.press('Escape');
    return labels;
  }

  /** The text of the active editor. */
  async text(): Promise<string> {
    return this.host().run((vscode) => vscode.window.activeTextEditor?.document.getText() ?? '');
  }

  /** Waits until the active editor has this text: the extension host receives it a moment after it is shown. */
  async expectText(text: string): Promise<void> {
    for (let tries = 0; tries < 200 && (await this.text()) !== text; tries++) {
      await this.page.waitForTimeout(100);
    }
    strictEqual(await this.text(), text);
  }

  /** Right-clicks in the middle of the selection, where a click does not change it. */
  private async openMenu(): Promise<void> {
    const box = await this.page.locator('.editor-instance .selected-text').first().boundingBox();
    if (box === null) {
      throw new Error('nothing is selected');
    }
    await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: 'right' });
  }
}

/** The input at the top of the window: input boxes, quick picks and the command palette. */
export class QuickInput {
  private readonly widget: Locator;
  private readonly input: Locator;
  private readonly progress: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.quick-input-widget:visible');
    this.input = this.widget.locator('.quick-input-box input');
    this.progress = this.widget.locator('.monaco-progress-container.active');
  }

  /** Waits until an input with this title is shown. */
  async expectTitle(title: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-title', { hasText: title }).waitFor();
  }

  /** Waits until the line below the box (prompt or validation message) contains this text. */
  async expectMessage(text: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-message', { hasText: text }).waitFor();
  }

  /** Waits until the box shows that it is busy. */
  async expectBusy(): Promise<void> {
    await this.progress.waitFor({ state: 'attached' });
  }

  /** Waits until the box is no longer busy and accepts Enter again. */
  async expectIdle(): Promise<void> {
    await this.progress.waitFor({ state: 'detached' });
  }

  /** The placeholder of the box. */
  async placeholder(): Promise<string> {
    return (await this.input.getAttribute('placeholder')) ?? '';
  }

  /** True if the box masks its input. */
  async isPassword(): Promise<boolean> {
    return (await this.input.getAttribute('type')) === 'password';
  }

  /** Waits until the box contains this text. */
  async expectValue(text: string): Promise<void> {
    const limit = Date.now() + WAIT_LIMIT;
    let value = await this.input.inputValue();
    while (value !== text) {
      if (Date.now() > limit) {
        throw new Error(`the box contains ${JSON.stringify(value)} instead of ${JSON.stringify(text)}`);
      }
      await this.page.waitForTimeout(50);
      value = await this.input.inputValue();
    }
  }

  /** Replaces the text in the box; waits at most this many milliseconds for the box. */
  async fill(text: string, limit?: number): Promise<void> {
    const options = limit === undefined ? {} : { timeout: limit };
    await this.input.waitFor(options);
    await this.input.fill(text, options);
    // The box processes its value a moment later; Enter before that would submit the old one.
    await this.page.waitForTimeout(150);
  }

  /** Presses Enter. */
  async accept(): Promise<void> {
    await this.input.press('Enter');
  }

  /** Presses Escape. */
  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
  }

  /** Presses a button next to the title. */
  async press(button: string): Promise<void> {
    await this.widget.locator(`.action-label[aria-label="${button}"]`).click();
  }

  /** Fills the box and presses Enter. */
  async answer(text: string): Promise<void> {
    await this.fill(text);
    await this.accept();
  }

  /** The labels of the visible rows. */
  async rows(): Promise<string[]> {
    const rows = this.widget.locator('.monaco-list-row');
    await rows.first().waitFor();
    const labels = (await rows.all()).map((row) => row.getAttribute('aria-label'));
    return (await Promise.all(labels)).map((label) => label ?? '');
  }

  /** Clicks the row that contains this text. */
  async pick(text: string | RegExp): Promise<void> {
    // A pointer that rests on the list opens a hover, which may cover the row.
    await this.page.mouse.move(1, 1);
    await this.widget.locator('.monaco-list-row', { hasText: text }).first().click();
  }

  /** Waits until no input is shown. */
  async expectClosed(): Promise<void> {
    await this.widget.waitFor({ state: 'hidden' });
  }
}

/** How often a row is hovered or clicked again after it moved away from the pointer. */
const MAX_ATTEMPTS = 8;

/** How long the buttons of a hovered row may take to show, in milliseconds. */
const HOVER_MS = 3_000;

/** How long the rows have to stay the same before one is acted on, in milliseconds; see `settle`. */
const SETTLE_MS = 300;

/**
 * One tree view of a side bar, by the name in its header. Only rows that fit into the window are visible. Rows are
 * identified by a part of their accessible name.
 */
export class TreeView {
  private readonly pane: Locator;

  constructor(
    private readonly page: Page,
    name: string,
  ) {
    this.pane = page.locator('.pane', { has: page.locator(`.pane-header[aria-label^="${name}"]`) });
  }

  /** Waits until a row is shown whose accessible name contains this. */
  async expectRow(text: string | RegExp): Promise<void> {
    await this.row(text).waitFor();
  }

  /** Waits until no row is shown whose accessible name contains this. */
  async expectNoRow(text: string | RegExp): Promise<void> {
    await this.row(text).waitFor({ state: 'detached' });
  }

  /** The label and the description of each visible row, separated by a space. */
  async rows(): Promise<string[]> {
    const rows = await this.pane.locator('.monaco-list-row .monaco-icon-label').all();
    return Promise.all(
      rows.map(async (row) => {
        const parts = row.locator('.label-name, .label-description');
        return (await parts.allInnerTexts()).join(' ').trim();
      }),
    );
  }

  /** What the view shows while it has no rows. */
  async welcome(): Promise<string> {
    return this.pane.locator('.welcome-view-content').innerText();
  }

  /** Clicks a row. */
  async click(text: string | RegExp): Promise<void> {
    await this.settle();
    await this.row(text).click();
  }

  /** Presses the button that a row shows while the pointer is over it. */
  async inlineAction(text: string | RegExp, action: string): Promise<void> {
    const button = this.row(text).locator(`.action-label[aria-label^="${action}"]`);
    await this.settle();
    for (let attempt = 1; ; attempt++) {
      await closeHover(this.page);
      await this.row(text).hover();
      try {
        await button.click({ timeout: HOVER_MS });
        return;
      } catch (error) {
        // The row may have moved away from the pointer, and then shows no buttons.
        if (attempt === MAX_ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  /** Picks an entry of a row's context menu. Several labels lead through submenus. */
  async contextMenu(text: string | RegExp, ...labels: string[]): Promise<void> {
    const [first = ''] = labels;
    await this.settle();
    await closeHover(this.page);
    // The row may move between locating it and the click, so that the click hits another row.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await this.row(text).click({ button: 'right' });
      if ((await hasMenuEntry(this.page, first)) && (await tryToPickMenuEntry(this.page, labels))) {
        return;
      }
      await this.page.keyboard.press('Escape');
    }
    throw new Error(`couldn’t pick “${labels.join(' › ')}” from the menu of the row`);
  }

  /** The labels in a row's context menu; closes the menu afterward. */
  async contextMenuLabels(text: string | RegExp): Promise<string[]> {
    await this.row(text).click({ button: 'right' });
    const labels = await menuLabels(this.page);
    await this.page.keyboard.press('Escape');
    return labels;
  }

  /**
   * Waits until the editor has fetched all rows. It redraws a row up to 200 ms before it fetches the row again for the
   * next change, and passes no row to a command that is chosen in between. Nobody points and clicks that fast.
   */
  private async settle(): Promise<void> {
    for (let before = '', now = await this.pane.innerText(); before !== now; now = await this.pane.innerText()) {
      before = now;
      await this.page.waitForTimeout(SETTLE_MS);
    }
  }

  /** By the accessible name, which also includes what the row shows only visually. */
  private row(text: string | RegExp): Locator {
    return this.pane.getByRole('treeitem', { name: text }).first();
  }
}

/**
 * Moves the pointer away and waits until no hover is left that could cover the next click target. A hover whose row has
 * been rendered again may stay; then the pointer moves into the hover and out again.
 */
export async function closeHover(page: Page): Promise<void> {
  const hover = page.locator('.monaco-hover:visible').first();
  for (let attempt = 0; attempt < 10; attempt++) {
    await page.mouse.move(0, 0);
    const isGone = hover.waitFor({ state: 'detached', timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (await isGone) {
      return;
    }
    const box = await hover.boundingBox({ timeout: 100 }).catch(() => null);
    if (box !== null) {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    }
  }
  throw new Error('a hover stayed');
}

/** One notification toast. */
export class Notification {
  constructor(private readonly toast: Locator) {}

  /** Waits until it is shown. */
  async expect(): Promise<void> {
    await this.toast.waitFor();
  }

  /** Its full text, including buttons. */
  async text(): Promise<string> {
    return this.toast.innerText();
  }

  /** The labels of its buttons. */
  async buttons(): Promise<string[]> {
    await this.toast.waitFor();
    return this.toast.locator('.monaco-button').allInnerTexts();
  }

  /** Presses one of its buttons. */
  async click(button: string): Promise<void> {
    await this.toast.locator('.monaco-button', { hasText: button }).click();
  }
}

/** The toasts whose text contains `text`, newest first. */
export function toastsWith(page: Page, text: string | RegExp): Locator {
  return page.locator('.notifications-toasts .notification-toast', { hasText: text });
}
