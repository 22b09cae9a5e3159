import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { draftTexts } from '../draftTexts';
import { JOB_LIMIT } from '../localWindow';
import { useHostedWindow } from '../hostedWindow';

const TEXT = ['Explain the retry policy.', '', '- in the guide', 'and in `README.md`'].join('\n');

describe('the composer', () => {
  const { window, prompts } = useHostedWindow();

  it('takes the text of the box, holds lines, says where it goes, and sends with the keyboard', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.activityBar('Docs Agent');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for docs-project/);
    await workbench.quickInput.fill('Explain the retry policy.');
    await page.locator('.quick-input-widget .action-label[aria-label^="Go on in the editor"]').click();
    await workbench.quickInput.expectClosed();
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('Explain the retry policy.').waitFor();
    await page.getByText(/Send to docs-project/).waitFor();
    await page
      .locator('.editor-instance')
      .getByText(/100 of 100 left this hour/)
      .waitFor();
    await page.keyboard.type('\n\n- in the guide\nand in `README.md`');
    await page
      .locator('.editor-instance')
      .getByText(/\d\d characters/)
      .waitFor();
    await workbench.screenshot('composer 1 text');
    await page.keyboard.press('Control+Enter');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.tree('Jobs').expectRow(/Explain the retry policy/, JOB_LIMIT);
    await page.locator('.tab', { hasText: 'New job for docs-project' }).waitFor({ state: 'detached' });
    await workbench.tree('Jobs').expectRow(/Explain the retry policy.*finished/, JOB_LIMIT);
    deepStrictEqual(prompts(), [TEXT]);
  });

  it('has a text again after its tab was closed and the window was reloaded', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText(/Send to docs-project/).waitFor();
    await page.keyboard.type('Not yet whole');
    await page
      .locator('.editor-instance')
      .getByText(/13 characters/)
      .waitFor();
    await workbench.reload();
    // Whether the editor opens the tab again by itself depends on how much of its state it could save.
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText('Not yet whole').waitFor({ timeout: JOB_LIMIT });
    await page.getByText(/Send to docs-project/).waitFor({ timeout: JOB_LIMIT });
    await workbench.palette('View: Close All Editors');
    await page.locator('.tab', { hasText: 'New job for docs-project' }).waitFor({ state: 'detached' });
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText('Not yet whole').waitFor();
    ok(prompts().length === 1, 'nothing was sent');
  });

  it('takes selected text over, with its place, into a prompt of its own', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.editor.open('readme.md');
    await workbench.editor.select('Requests are retried');
    await workbench.editor.contextMenu('Docs Agent', 'New Docs Job from Selection…');
    await workbench.quickInput.expectTitle(/^New job for docs-project/);
    await workbench.quickInput.fill('Say how often');
    await page.locator('.quick-input-widget .action-label[aria-label^="Go on in the editor"]').click();
    await workbench.quickInput.expectClosed();
    await page.getByText('Say how often').waitFor();
    await page.getByText('From `readme.md`, line 3:').waitFor();
    await page.locator('.tab', { hasText: 'New job for docs-project (2)' }).waitFor();
    await workbench.palette('Docs Agent: Open Draft…');
    await workbench.quickInput.expectTitle('Prompts that were not sent yet');
    await workbench.quickInput.pick('Not yet whole');
    await workbench.editor.expectText('Not yet whole');
    await workbench.screenshot('composer 2 selection');
  });

  it('opens what was copied whole, beside what was typed, because the box would flatten it', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.host.run(
      async (vscode, text: string) => vscode.env.clipboard.writeText(text),
      'First copied line\n\n- and its list',
    );
    await workbench.palette('View: Close All Editors');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.fill('Typed before');
    await page.locator('.quick-input-widget .action-label[aria-label^="Open the clipboard"]').click();
    await workbench.quickInput.expectClosed();
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('- and its list').waitFor();
    match(await workbench.editor.text(), /Typed before\n\nFirst copied line\n\n- and its list$/);
  });

  it('has a text on the disk as soon as it was handed over, for where it came from is emptied then', async () => {
    const { workbench, server } = window();
    const text = 'Explain what was handed over';
    await workbench.host.command('docsAgent.composePrompt', { text });
    const drafts = await draftTexts(server.globalStorage(EXTENSION_ID));
    ok(
      drafts.some((draft) => draft.endsWith(text)),
      drafts.join('\n---\n'),
    );
  });
});
