import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillWithTemplate } from '../window';
import { useHostedWindow } from '../hostedWindow';
import { git } from '../../support/temporaryRepository';
import { expectNone, type Workbench } from '../../support/vscode/workbench';

const TEXT = ['Explain the retry policy.', '', '- in the guide', 'and in `README.md`'].join('\n');

/** Returns a built-in template as it is packaged. */
function shipped(name: string): string {
  return readFileSync(new URL(`../../../media/templates/${name}.md`, import.meta.url), 'utf8').trim();
}

/** Types into the open pick, waits until this row is the focused one, and accepts it. */
async function choose({ page, quickInput }: Workbench, typed: string, row: string): Promise<void> {
  await quickInput.fill(typed);
  await page.locator('.quick-input-widget:visible .monaco-list-row.focused', { hasText: row }).waitFor();
  await page.keyboard.press('Enter');
}

const SOURCE = 'export const attempts = 4;\n';
const WITH_FILE = [
  'Document `src/retry.ts` in one sentence.',
  'File `src/retry.ts`:',
  '```ts\nexport const attempts = 4;\n```',
];

async function fill(workspace: string): Promise<void> {
  await fillWithTemplate(workspace);
  await git(workspace, 'init', '--quiet');
  await mkdir(join(workspace, 'src'));
  await writeFile(join(workspace, 'src', 'retry.ts'), SOURCE);
  await writeFile(join(workspace, '.gitignore'), 'retry.env\n');
  await writeFile(join(workspace, 'retry.env'), 'KEY=1\n');
}

describe('the composer', () => {
  const { window, prompts } = useHostedWindow({ fill });
  /** The prompt is saved and its document closed before it is sent. */
  const untilSent = async (prompt: string): Promise<void> => {
    while (prompts().at(-1) !== prompt) {
      await window().workbench.page.waitForTimeout(50);
    }
  };

  it('takes over the text of the box, accepts several lines, shows the target and sends by keyboard', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.activityBar('Docs Agent');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for docs-project/);
    await workbench.quickInput.fill('Explain the retry policy.');
    await page.locator('.quick-input-widget .action-label[aria-label^="Continue in Editor"]').click();
    await workbench.quickInput.expectClosed();
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('Explain the retry policy.').waitFor();
    await page.getByText(/Send to docs-project/).waitFor();
    await page.locator('.editor-instance').getByText('Draft, not sent yet').waitFor();
    await page.keyboard.type('\n\n- in the guide\nand in `README.md`');
    await page
      .locator('.editor-instance')
      .getByText(/\d\d characters/)
      .waitFor();
    await workbench.screenshot('composer 1 text');
    await page.keyboard.press('Control+Enter');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.tree('Jobs').expectRow(/Explain the retry policy/);
    await expectNone(page.locator('.tab', { hasText: 'New job for docs-project' }));
    await workbench.tree('Jobs').expectRow(/Explain the retry policy.*finished/);
    deepStrictEqual(prompts(), [TEXT]);
  });

  const prompt = shipped('Write a how-to').replace(/\$ask\{[^}]*\}/, 'bring back $file after a crash');

  it('inserts a built-in template with a placeholder and sends exactly what the editor shows', async () => {
    const { workbench } = window();
    const { page, quickInput } = workbench;
    await workbench.palette('Docs Agent: Add Context or Template…');
    await workbench.screenshot('templates 0 context');
    await quickInput.pick('Template…');
    await quickInput.expectTitle('Insert prompt template');
    await workbench.screenshot('templates 1 pick');
    await choose(workbench, 'how-to', 'Write a how-to');
    await quickInput.expectClosed();
    await page.getByText(/Send to docs-project/).waitFor();
    await page.locator('.editor-instance').getByText('What should readers be able to do afterward?').waitFor();
    await page.keyboard.insertText('bring back $file after a crash');
    await page.keyboard.press('Escape');
    await workbench.screenshot('templates 2 prompt');
    await page.keyboard.press('Control+Enter');
    await expectNone(page.locator('.tab', { hasText: 'New job for docs-project' }));
    await untilSent(prompt);
  });
  it('offers context after a #, leaves its path there, and sends exactly what the editor shows', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const offered = page.locator('.suggest-widget.visible .monaco-list-row');
    await workbench.editor.open('readme.md');
    await workbench.editor.select('Requests are retried');
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText(/Send to docs-project/).waitFor();
    await workbench.screenshot('context 0 empty');
    await page.keyboard.type('Document #');
    await offered.filter({ hasText: '#selection' }).filter({ hasText: 'line 3 of readme.md' }).waitFor();
    await workbench.screenshot('context 1 kinds');
    await page.keyboard.type('retry');
    await offered.filter({ hasText: '#retry.ts' }).waitFor();
    await workbench.screenshot('context 2 files');
    deepStrictEqual(await offered.filter({ hasText: 'retry.env' }).count(), 0);
    await page.locator('.suggest-widget.visible .monaco-list-row.focused', { hasText: '#retry.ts' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('File `src/retry.ts`:').waitFor();
    await page.keyboard.type(' in one sentence.');
    await page.getByText('in one sentence.').waitFor();
    await workbench.screenshot('context 3 block');
    await page.keyboard.press('Control+Enter');
    await expectNone(page.locator('.tab', { hasText: 'New job for docs-project' }));
    await untilSent(WITH_FILE.join('\n\n'));
  });
  it('offers a draft again after its tab was closed and the window was reloaded', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const { length } = prompts();
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText(/Send to docs-project/).waitFor();
    await page.keyboard.type('Not yet whole');
    await page
      .locator('.editor-instance')
      .getByText(/13 characters/)
      .waitFor();
    await workbench.reload();
    // Whether the editor reopens the tab depends on how much of its state it managed to save.
    await workbench.host.command('workbench.action.closeAllEditors');
    await expectNone(page.locator('.tab', { hasText: 'New job for docs-project' }));
    await workbench.palette('Docs Agent: Compose Prompt…');
    await workbench.quickInput.expectTitle('You have an unsent prompt for docs-project');
    await workbench.screenshot('composer 2 drafts');
    await workbench.quickInput.pick('Not yet whole');
    await page.locator('.editor-instance').getByText('Not yet whole').waitFor();
    ok(prompts().length === length, 'nothing was sent');
  });

  it('opens multi-line clipboard text in the editor together with the typed text, because the box is single-line', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.host.run(
      async (vscode, text: string) => vscode.env.clipboard.writeText(text),
      'First copied line\n\n- and its list',
    );
    await workbench.palette('View: Close All Editors');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.fill('Typed before');
    await page.locator('.quick-input-widget .action-label[aria-label^="Paste Clipboard into Editor"]').click();
    await workbench.quickInput.expectClosed();
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('- and its list').waitFor();
    match(await workbench.editor.text(), /Typed before\n\nFirst copied line\n\n- and its list$/);
  });
});
