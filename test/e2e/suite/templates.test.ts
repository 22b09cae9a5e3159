import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Workbench } from '../../support/vscode/workbench';
import { JOB_LIMIT } from '../localWindow';
import { useHostedWindow } from '../hostedWindow';
import { useWindow } from '../window';

/** A shipped template as the manifest has it. */
function shipped(name: string): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    contributes: { configuration: { properties: Record<string, { default: Record<string, string[]> }> }[] };
  };
  const groups = manifest.contributes.configuration.map(({ properties }) => properties['docsAgent.promptTemplates']);
  return groups.find((setting) => setting !== undefined)?.default[name]?.join('\n') ?? '';
}

/** Runs a command of the palette with keys alone. */
async function command({ page, quickInput }: Workbench, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget:visible').waitFor();
  await quickInput.fill(`>Docs Agent: ${title}`);
  await page.locator('.quick-input-widget:visible .monaco-list-row.focused', { hasText: title }).waitFor();
  await page.keyboard.press('Enter');
}

/** Types into the pick that is open, waits until a row is the one that Enter takes, and takes it. */
async function choose({ page, quickInput }: Workbench, typed: string, row: string): Promise<void> {
  await quickInput.fill(typed);
  await page.locator('.quick-input-widget:visible .monaco-list-row.focused', { hasText: row }).waitFor();
  await page.keyboard.press('Enter');
}

const TEAM = '---\nname: Our guide\ndescription: for a page of this handbook\n---\nWrite the page.\n';

async function fill(workspace: string): Promise<void> {
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
  await mkdir(join(workspace, '.docs-agent', 'prompts'), { recursive: true });
  await writeFile(join(workspace, '.docs-agent', 'prompts', 'guide.md'), TEAM);
}

describe('prompt templates, by keyboard', () => {
  const { window, prompts } = useHostedWindow({ fill });
  /** The prompt is kept, and its document closed, before it is sent. */
  const untilPosted = async (): Promise<void> => {
    while (prompts().length === 0) {
      await window().workbench.page.waitForTimeout(50);
    }
  };

  const prompt = shipped('Write a how-to')
    .replace(/\$\{input:[^}]*\}/, 'bring back ${file} after a crash')
    .replace(/\$\{pick:[^}]*\}/, 'people who use it every day');

  it('one that is shipped leaves placeholders to fill in, and the service gets exactly what the editor shows', async () => {
    const { workbench } = window();
    const { page, quickInput } = workbench;
    // The first keys after the window came up can get lost.
    await workbench.palette('Docs Agent: Insert Template…');
    await quickInput.expectTitle('Insert template');
    await workbench.screenshot('templates 1 pick');
    await choose(workbench, 'how-to', 'Write a how-to');
    await quickInput.expectClosed();
    await page.getByText(/Send to docs-project/).waitFor();
    await page.locator('.editor-instance').getByText('What should the reader be able to do in the end?').waitFor();
    await page.keyboard.insertText('bring back ${file} after a crash');
    await page.keyboard.press('Tab');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'people who use it every day' }).waitFor();
    await workbench.screenshot('templates 2 choice');
    await page.keyboard.press('ArrowDown');
    await page
      .locator('.suggest-widget .monaco-list-row.focused', { hasText: 'people who use it every day' })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('people who use it every day').first().waitFor();
    await workbench.screenshot('templates 3 prompt');
    await page.keyboard.press('Control+Enter');
    await quickInput.expectTitle(/^API key for/);
    await quickInput.answer('secret-of-this-test');
    await page
      .locator('.tab', { hasText: 'New job for docs-project' })
      .waitFor({ state: 'detached', timeout: JOB_LIMIT });
    await untilPosted();
    deepStrictEqual(prompts(), [prompt]);
  });

  it('one of the team is in the list, from its file', async () => {
    const { workbench } = window();
    await command(workbench, 'Insert Template…');
    await choose(workbench, 'this handbook', 'Our guide');
    await workbench.quickInput.expectClosed();
    // The list shows the same words.
    const line = workbench.page.locator('.editor-instance').getByText('Write the page.');
    await line.waitFor();
    await workbench.page
      .locator('.editor-instance')
      .getByText(/15 characters/)
      .waitFor();
    await workbench.page.keyboard.press('Control+A');
    await workbench.page.keyboard.press('Delete');
    await line.waitFor({ state: 'detached' });
  });
});

describe('a team’s templates in a workspace that is not trusted', () => {
  const window = useWindow({ fill, workspaceTrust: true });

  it('wait, and the list says so and leads to where trust is given', async () => {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Insert Template…');
    const rows = await workbench.quickInput.rows();
    ok(
      rows.some((row) => row.includes('1 team template waits')),
      rows.join('\n'),
    );
    ok(!rows.some((row) => row.includes('Our guide')));
    await workbench.screenshot('templates 7 untrusted');
    await choose(workbench, '', '1 team template waits');
    await workbench.page.locator('.workspace-trust-editor').waitFor();
  });
});

const SOURCE = 'export const attempts = 4;\n';
const PROMPT = ['Document ', 'File `src/retry.ts`:', '```ts\nexport const attempts = 4;\n```', 'in one sentence.'];

async function fillWithSources(workspace: string): Promise<void> {
  await mkdir(join(workspace, 'src'));
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
  await writeFile(join(workspace, 'src', 'retry.ts'), SOURCE);
  await writeFile(join(workspace, '.gitignore'), 'retry.env\n');
  await writeFile(join(workspace, 'retry.env'), 'KEY=1\n');
}

describe('context by the keyboard', () => {
  const { window, prompts } = useHostedWindow({ fill: fillWithSources });

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
});
