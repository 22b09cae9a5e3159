import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedServer } from '../../support/scriptedServer';
import { menuLabels } from '../../support/vscode/menu';
import { focusCodeAction } from '../focusCodeAction';
import { useWindow } from '../window';

const DOCS = { navigation: { pages: ['retries', 'limits'] } };
const PAGE = ['# Retries', '', 'Requests are retried three times.', '', '## Backoff', '', 'It doubles.', ''].join('\n');
const SOURCE = ['// TODO say how often', 'export const attempts = 3;', ''].join('\n');

/** How long a prompt may take to be made on a busy machine, in milliseconds. */
const COMPOSE_LIMIT = 45_000;

async function fill(workspace: string): Promise<void> {
  await mkdir(join(workspace, 'docs'));
  await writeFile(join(workspace, 'docs', 'docs.json'), JSON.stringify(DOCS));
  await writeFile(join(workspace, 'docs', 'retries.md'), PAGE);
  await writeFile(join(workspace, 'notes.md'), '# Notes\n');
  await writeFile(join(workspace, 'retry.ts'), SOURCE);
  await writeFile(join(workspace, 'logo.png'), Buffer.from('89504e47', 'hex'));
}

describe('the ways to the agent', () => {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start();
    servers.push(server);
    return { fill, settings: { 'docsAgent.baseUrl': server.url, 'docsAgent.projectId': 'docs-project' } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const page = (): ReturnType<typeof window>['workbench']['page'] => window().workbench.page;
  /** Waits until the prompt that is open holds this. */
  async function composed(...texts: RegExp[]): Promise<void> {
    await page()
      .getByText(/Send to docs-project/)
      .waitFor();
    const deadline = Date.now() + COMPOSE_LIMIT;
    for (let missing = texts; missing.length > 0;) {
      const text = await window().workbench.editor.text();
      missing = texts.filter((each) => !each.test(text));
      ok(missing.length === 0 || Date.now() < deadline, `${String(missing)} in ${text}`);
    }
  }

  /** Leaves the prompt that is open, whose text the next one would stand below. */
  async function discard(): Promise<void> {
    await page()
      .getByText(/Send to docs-project/)
      .waitFor();
    await page().keyboard.press('Control+A');
    await page().keyboard.press('Delete');
    await page()
      .locator('.editor-instance')
      .getByText(/\b0 characters/)
      .waitFor();
    await window().workbench.palette('View: Close All Editors');
    await page().locator('.tab', { hasText: 'New job for docs-project' }).waitFor({ state: 'detached' });
  }

  it('show a button on a documentation page, and none on other pages', async () => {
    const { workbench } = window();
    const button = page().locator('.editor-actions .action-label[aria-label^="Update This Page"]');
    await workbench.activityBar('Docs Agent');
    await workbench.editor.open('docs/retries.md');
    await button.waitFor();
    await workbench.editor.open('notes.md');
    await button.waitFor({ state: 'detached' });
    await workbench.editor.open('docs/retries.md');
    await button.waitFor();
    await workbench.screenshot('entry points 1 page');
    await button.click();
    await composed(
      /^Bring the documentation page `docs\/retries\.md` up/,
      /Documentation folder: `docs` \(Mintlify, `docs\/docs.json`\)/,
    );
    await button.waitFor({ state: 'detached' });
    await workbench.screenshot('entry points 2 page composed');
    await discard();
  });

  it('are a light bulb on a comment that asks for documentation, by keyboard alone', async () => {
    const { workbench } = window();
    await workbench.editor.open('retry.ts');
    await workbench.palette('View: Focus Active Editor Group');
    await page().keyboard.press('Control+Home');
    await focusCodeAction(workbench, 'Have this documented');
    await workbench.screenshot('entry points 3 light bulb');
    await focusCodeAction(workbench, 'Have this documented');
    await page().keyboard.press('Enter');
    await composed(/^Have documented what the comment in/);
    await discard();
  });

  it('are one submenu on a selection, opened by keyboard', async () => {
    const { workbench } = window();
    await workbench.editor.open('retry.ts');
    await workbench.editor.select('export const attempts');
    await page()
      .locator('.editor-instance .monaco-editor textarea, .editor-instance .native-edit-context')
      .first()
      .focus();
    await page().keyboard.press('Shift+F10');
    const labels = await menuLabels(page());
    strictEqual(labels.filter((label) => label === 'Docs Agent').length, 1);
    deepStrictEqual(
      labels.filter((label) => label.includes('Docs Job')),
      [],
      'not beside the submenu',
    );
    await page().keyboard.press('Escape');
    await workbench.editor.contextMenu('Docs Agent', 'Update the Docs for This…');
    await composed(/^Bring the documentation up to date with the code below/, /export const attempts/);
    await discard();
  });

  it('are one submenu on a file, and none on a picture', async () => {
    const { workbench } = window();
    const rows = page().locator('.explorer-folders-view .monaco-list-row');
    await workbench.palette('View: Show Explorer');
    await rows.filter({ hasText: 'logo.png' }).click({ button: 'right' });
    ok(!(await menuLabels(page())).includes('Docs Agent'));
    await page().keyboard.press('Escape');
    await rows.filter({ hasText: 'retry.ts' }).click({ button: 'right' });
    await workbench.pickFromMenu('Docs Agent', 'Update the Docs for This File…');
    await composed(/^Bring the documentation up to date with the code below/, /say how often/);
    await discard();
  });

  it('are one submenu on a tab', async () => {
    const { workbench } = window();
    await workbench.editor.open('docs/retries.md');
    await page().locator('.tab', { hasText: 'retries.md' }).click({ button: 'right' });
    await workbench.pickFromMenu('Docs Agent', 'Add Documentation Page to Prompt');
    await composed(/^The documentation page/);
    await discard();
  });

  it('have keys of one family, of which no default of the editor is the beginning', async () => {
    const { workbench } = window();
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
      contributes: { keybindings: { key: string }[] };
    };
    const ours = manifest.contributes.keybindings.map(({ key }) => key).filter((key) => key.startsWith('ctrl+k '));
    ok(ours.length > 4);
    const text = await workbench.host.run(async (vscode) => {
      await vscode.commands.executeCommand('workbench.action.openDefaultKeybindingsFile');
      return vscode.window.activeTextEditor?.document.getText() ?? '';
    });
    const defaults = [...text.matchAll(/"key": "([^"]+)",\s*"command": "(?!docsAgent\.)/g)].map(([, key = '']) => key);
    ok(defaults.length > 500, 'the editor tells its defaults');
    const begins = (key: string, other: string): boolean => key === other || other.startsWith(`${key} `);
    deepStrictEqual(
      // The custom editor for Markdown takes Ctrl+K, and with it every key of the editor that begins so.
      defaults.filter((key) => key !== 'ctrl+k' && ours.some((own) => begins(key, own) || begins(own, key))),
      [],
    );
    await workbench.palette('View: Close All Editors');
    await page().keyboard.press('Control+K');
    await page().keyboard.press('Control+G');
    await page().keyboard.press('Control+C');
    await page()
      .getByText(/Send to docs-project/)
      .waitFor();
    match(await workbench.editor.text(), /^$/);
  });
});
