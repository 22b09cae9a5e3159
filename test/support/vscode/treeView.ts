import type { Locator, Page } from 'playwright-core';
import { hasMenuEntry, menuLabels, tryToPickMenuEntry } from './menu';

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
