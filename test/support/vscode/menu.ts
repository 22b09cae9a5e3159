import type { Locator, Page } from 'playwright-core';

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
