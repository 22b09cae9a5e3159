import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_LIMIT } from '../localWindow';
import { useHostedWindow } from '../hostedWindow';

const SOURCE = 'export const attempts = 4;\n';
const PROMPT = ['Document ', 'File `src/retry.ts`:', '```ts\nexport const attempts = 4;\n```', 'in one sentence.'];

async function fill(workspace: string): Promise<void> {
  await mkdir(join(workspace, 'src'));
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
  await writeFile(join(workspace, 'src', 'retry.ts'), SOURCE);
  await writeFile(join(workspace, '.gitignore'), 'retry.env\n');
  await writeFile(join(workspace, 'retry.env'), 'KEY=1\n');
}

describe('context by the keyboard', () => {
  const { window, prompts } = useHostedWindow({ fill });

  it('offers what there is after a #, puts it where the word was, and sends exactly what stands there', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const offered = page.locator('.suggest-widget.visible .monaco-list-row');
    await workbench.editor.open('readme.md');
    await workbench.editor.select('Requests are retried');
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText(/Send to docs-project/).waitFor();
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
    await page.keyboard.type('\nin one sentence.');
    await page.getByText('in one sentence.').waitFor();
    await workbench.screenshot('context 3 block');
    await page.keyboard.press('Control+Enter');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await page.locator('.tab', { hasText: 'New job for docs-project' }).waitFor({ state: 'detached' });
    await workbench.activityBar('Docs Agent');
    await workbench.tree('Jobs').expectRow(/finished/, JOB_LIMIT);
    deepStrictEqual(prompts(), [PROMPT.join('\n\n')]);
  });

  it('leaves a heading as it is typed, also where Enter follows the mark', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('Docs Agent: Compose Prompt…');
    await page.getByText(/Send to docs-project/).waitFor();
    await page.keyboard.type('# Goal\n\n## Steps\n#');
    await page.locator('.suggest-widget.visible .monaco-list-row.focused', { hasText: 'heading' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Last');
    await workbench.editor.expectText('# Goal\n\n## Steps\n# Last');
  });

  it('lists the kinds that there is something of, and adds the selection of the editor before', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('Docs Agent: Add Context to Prompt…');
    await workbench.quickInput.expectTitle('Add context to the prompt');
    await workbench.screenshot('context 4 list');
    await workbench.quickInput.pick('Selection');
    await page.getByText('From `readme.md`, line 3:').waitFor();
    await workbench.palette('Docs Agent: Add Files to Prompt…');
    await workbench.quickInput.expectTitle('Add a file to the prompt');
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'src/retry.ts' }).waitFor();
    await workbench.screenshot('context 5 files');
    await page.keyboard.press('Escape');
  });
});
