import { ok, strictEqual } from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

describe('the whole way of a job by keyboard alone', () => {
  const window = useWindow(localWindow());

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await window().workbench.page.keyboard.press(key);
    }
  };
  const type = (text: string): Promise<void> => window().workbench.page.keyboard.type(text);
  /** The box at the top of the window, once keys go into it. */
  const box = (): Locator =>
    window().workbench.page.locator('.quick-input-widget:visible .quick-input-box input:focus');
  const list = (): Locator => window().workbench.page.locator('.sidebar .monaco-list:focus-within').first();
  const view = (): Locator => {
    const { page } = window().workbench;
    return page.locator('.sidebar .pane', { has: page.locator('.pane-header[aria-label^="Jobs"]') });
  };
  /** Presses the chord with this last key until what it brings is there: while a window comes up, keys can get lost. */
  const chord = async (last: string, brings: Locator): Promise<void> => {
    for (let attempt = 0; attempt < 10 && (attempt === 0 || !(await brings.isVisible())); attempt += 1) {
      await press('Control+K', 'Control+G', last);
      await brings.waitFor({ timeout: 4_000 }).catch(() => undefined);
    }
    await brings.waitFor();
  };
  /** The accessible name of the row that has the focus in the list. */
  const focusedRow = (): Promise<string> =>
    window().workbench.page.evaluate<string>(`(() => {
      const row = document.querySelector('.sidebar .monaco-list:focus-within .monaco-list-row.focused, .sidebar .monaco-list:focus .monaco-list-row.focused');
      return row?.getAttribute('aria-label') ?? '';
    })()`);
  /** Presses the key until the row with this name has the focus. */
  const goTo = async (row: RegExp, key: string): Promise<void> => {
    await list().waitFor();
    for (let step = 0; step < 20 && !row.test(await focusedRow()); step += 1) {
      await press(key);
      await window().workbench.page.waitForTimeout(50);
    }
    ok(row.test(await focusedRow()), `the focus is at ${await focusedRow()}`);
  };

  const openList = (): Promise<void> => chord('Control+L', list());
  /** Presses the entry of the focused row's menu. */
  const pickFromMenu = async (label: string): Promise<void> => {
    const { page } = window().workbench;
    const menu = page.locator('.context-view .monaco-menu');
    await press('Shift+F10');
    await menu.waitFor();
    const entry = menu.locator('.action-item.focused', { has: page.getByText(label, { exact: true }) });
    for (let step = 0; step < 30 && !(await entry.isVisible()); step += 1) {
      await press('ArrowDown');
    }
    ok(await entry.isVisible(), `${label} is not in the menu`);
    await press('Enter');
  };

  before(async () => {
    // From here on a click would be counted.
    await window().workbench.page.evaluate(`(() => {
      window.clicks = 0;
      window.addEventListener('pointerdown', () => { window.clicks += 1; }, true);
    })()`);
  });

  afterEach(async () => strictEqual(await window().workbench.page.evaluate('window.clicks'), 0));

  it('begins with a prompt, and its row is reached and read', async () => {
    const { workbench } = window();
    await chord('Control+J', box());
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await type('Document the retry policy');
    await press('Enter');
    await workbench.quickInput.expectClosed();
    await chord('Control+L', view());
    await workbench.tree('Jobs').expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
    // A list that was never shown takes the focus only when it has its rows.
    await openList();
    await goTo(/^Document the retry policy, pull request ready/, 'ArrowDown');
  });

  it('leads to its pull request through the menu of the row', async () => {
    const { workbench } = window();
    const opened = await workbench.openedPage(() => pickFromMenu('Open Pull Request'));
    await opened.getByText('retry-policy.md').first().waitFor();
    await opened.close();
  });

  it('has a page that is opened from the row, and a box there that takes a follow-up', async () => {
    const { workbench } = window();
    const page = new JobPageFrame(workbench);
    await openList();
    await goTo(/^Document the retry policy/, 'ArrowDown');
    await press('Enter');
    await page.expectState('Pull request ready');
    // The keyboard stays in the list, so that one can look at one job after the other; Enter once more goes to the page.
    await press('Enter');
    const area = page.frame.locator('textarea:focus');
    for (let step = 0; step < 60 && !(await area.isVisible()); step += 1) {
      await press('Tab');
    }
    await area.waitFor();
    await type('Mention the limits [scripted: wait 1000]');
    await workbench.screenshot('keyboard page');
    await press('Control+Enter');
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
    await page.expectText('Mention the limits');
  });

  it('goes on with a follow-up to the job that is picked', async () => {
    const { workbench } = window();
    await chord('Control+F', box());
    await workbench.quickInput.expectTitle('Follow up on which job?');
    await press('Enter');
    await workbench.quickInput.expectTitle(/^Follow-up to “Document the retry policy”/);
    await box().waitFor();
    await type('Add an example [scripted: wait 1000]');
    await press('Enter');
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
  });

  it('is renamed and removed from its row, and comes back', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await openList();
    await goTo(/^Document the retry policy/, 'ArrowDown');
    await pickFromMenu('Rename…');
    await workbench.quickInput.expectTitle(/name/i);
    await box().waitFor();
    await press('Control+A');
    await type('Retries');
    await press('Enter');
    await tree.expectRow(/^Retries, pull request ready/, JOB_LIMIT);
    await openList();
    await goTo(/^Retries/, 'ArrowDown');
    await pickFromMenu('Remove from List');
    await tree.expectNoRow(/^Retries/);
    await workbench.screenshot('keyboard removed');
  });
});
