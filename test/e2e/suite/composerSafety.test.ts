import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Workbench } from '../../support/vscode/workbench';
import { untilDrafts as untilDraftTexts } from '../draftTexts';
import { JOB_LIMIT } from '../localWindow';
import { useHostedWindow } from '../hostedWindow';

/** How long the hour's limit lasts on in this test, in milliseconds. */
const WAIT_MS = 60_000;

/** The code of a key that an input method has taken (UI Events, appendix on `keyCode`). */
const IN_COMPOSITION = 229;

/** The bit of the Control key in an event of the DevTools protocol. */
const CONTROL = 2;

describe('a prompt in the composer', () => {
  const { window, prompts, server } = useHostedWindow({}, 'active');

  const storage = (): string => window().server.globalStorage('docs-agent.docs-agent-jobs');

  async function compose(workbench: Workbench): Promise<void> {
    await workbench.palette('Docs Agent: Compose Prompt…');
    await workbench.page
      .getByText(/Send (when allowed .*)?to docs-project/)
      .first()
      .waitFor();
    await workbench.page.locator('.editor-instance .monaco-editor .view-line').first().click();
  }

  const untilDrafts = (...wanted: string[]): Promise<void> => untilDraftTexts(storage(), ...wanted);

  async function untilPrompts(wanted: number): Promise<void> {
    for (let tries = 0; tries < 1200 && prompts().length < wanted; tries++) {
      await delay(50);
    }
    strictEqual(prompts().length, wanted);
  }

  it('is not sent by an Enter that ends the composition of a character', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.activityBar('Docs Agent');
    await compose(workbench);
    await page.keyboard.type('Explain ');
    const input = await page.context().newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await page.getByText('Explain にほん').waitFor();
    // An input method that takes a key for itself leaves the window one without a name.
    for (const modifiers of [CONTROL, 0]) {
      const key = { modifiers, key: 'Process', code: 'Enter', windowsVirtualKeyCode: IN_COMPOSITION };
      await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
      await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
    }
    await input.send('Input.imeSetComposition', { text: '日本', selectionStart: 2, selectionEnd: 2 });
    await input.send('Input.insertText', { text: '日本' });
    await page.getByText(/日本/).waitFor();
    await workbench.screenshot('safety 1 composition');
    deepStrictEqual(prompts(), []);
    await page.keyboard.press('Control+Enter');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await untilPrompts(1);
    match(prompts()[0] ?? '', /日本/);
  });

  it('stays, with its draft, when it can’t be kept', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await compose(workbench);
    await page.keyboard.type('Explain the full disk');
    await untilDrafts('Explain the full disk');
    const jobs = join(storage(), 'jobs');
    await rename(jobs, `${jobs}.away`);
    await writeFile(jobs, 'no folder');
    try {
      await page.keyboard.press('Control+Enter');
      await workbench.toast(/The prompt could not be saved: /).expect();
      await page.locator('.editor-instance').getByText('Explain the full disk').waitFor();
      await untilDrafts('Explain the full disk');
      strictEqual(prompts().length, 1);
    } finally {
      await rm(jobs);
      await rename(`${jobs}.away`, jobs);
    }
    await page.locator('.editor-instance .monaco-editor .view-line').first().click();
    await page.keyboard.press('Control+Enter');
    await untilPrompts(2);
    await untilDrafts();
  });

  it('is not lost to the prompt of another window, whoever writes or sends first', async () => {
    const { workbench } = window();
    const other = await window().openAnother();
    await compose(workbench);
    await compose(other);
    await workbench.page.keyboard.type('Of the first window');
    await untilDrafts('Of the first window');
    await other.page.keyboard.type('Of the other window');
    await untilDrafts('Of the first window', 'Of the other window');
    // The editor asks for a file's state when it likes: the text of this window stays that of this window.
    await workbench.host.run(async (vscode) => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      await (uri && vscode.workspace.fs.stat(uri));
    });
    await workbench.page.keyboard.type(', and more');
    await untilDrafts('Of the first window, and more', 'Of the other window');
    await workbench.page.keyboard.press('Control+Enter');
    await untilPrompts(3);
    strictEqual(prompts().at(-1), 'Of the first window, and more');
    await untilDrafts('Of the other window');
    await other.page.close();
    await compose(workbench);
    await workbench.page.locator('.editor-instance').getByText('Of the other window').waitFor();
  });

  it('says that it waits when nothing is left of the hour, and goes by itself', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const line = `${server().url} docs-project create`;
    const folder = join(storage(), 'budget', createHash('sha256').update(line).digest('hex').slice(0, 32));
    await mkdir(folder, { recursive: true });
    const at = new Date(Date.now() - 3_600_000 + WAIT_MS);
    for (let place = 0; place < 100; place++) {
      await writeFile(join(folder, `${place}-9`), '');
      await utimes(join(folder, `${place}-9`), at, at);
    }
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' of the hour');
    await page
      .locator('.editor-instance')
      .getByText(/Send when allowed \(at .*\d\d.*\) to docs-project/)
      .first()
      .waitFor();
    await page
      .locator('.statusbar')
      .getByText(/Send when allowed/)
      .waitFor();
    await workbench.screenshot('safety 2 waits');
    await page.keyboard.press('Control+Enter');
    await workbench.tree('Jobs').expectRow(/Of the other window of the hour, sends at \d/, JOB_LIMIT);
    strictEqual(prompts().length, 3);
    await workbench.tree('Jobs').expectRow(/Of the other window of the hour, in progress/, WAIT_MS + JOB_LIMIT);
    strictEqual(prompts().at(-1), 'Of the other window of the hour');
  });

  it('comes back after the extension host was killed', async () => {
    const { workbench } = window();
    await compose(workbench);
    await workbench.page.keyboard.type('Explain what a crash leaves');
    await untilDrafts('Explain what a crash leaves');
    process.kill(workbench.host.facts.pid, 'SIGKILL');
    const other = await window().openAnother();
    await compose(other);
    await other.page.locator('.editor-instance').getByText('Explain what a crash leaves').waitFor();
    await other.screenshot('safety 3 after a crash');
    await other.page.close();
  });
});
