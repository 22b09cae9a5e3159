import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { focusCodeAction } from '../focusCodeAction';
import { JOB_LIMIT } from '../localWindow';
import { useHostedWindow } from '../hostedWindow';

/** Looks like a token of GitHub, and is none. */
const TOKEN = `ghp_${'aB3dE6'.repeat(6)}`;
const KEY = 'secret-of-this-test';

describe('before a prompt leaves', () => {
  const { window, prompts, bodies, server } = useHostedWindow();

  async function compose(text: string): Promise<void> {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Compose Prompt…');
    await workbench.page.getByText(/Send to docs-project/).waitFor();
    await workbench.host.run(async (vscode, typed: string) => {
      const editor = vscode.window.activeTextEditor;
      await editor?.edit((edit) => edit.replace(new vscode.Range(0, 0, editor.document.lineCount, 0), typed));
    }, text);
  }

  async function send(): Promise<void> {
    await window().workbench.page.locator('.editor-instance .monaco-editor .view-line').first().click();
    await window().workbench.page.keyboard.press('Control+Enter');
  }

  /** The text of the document that shows what is sent, in the form that is asked for. */
  function previewText(extension: string): Promise<string> {
    return window().workbench.host.run(
      (vscode, wanted: string) =>
        vscode.workspace.textDocuments
          .find(({ uri }) => uri.scheme === 'docs-agent-preview' && uri.path.endsWith(wanted))
          ?.getText() ?? '',
      extension,
    );
  }

  async function useTheme(theme: string | undefined): Promise<void> {
    await window().workbench.host.run(async (vscode, name: string | undefined) => {
      await vscode.workspace.getConfiguration('workbench').update('colorTheme', name, true);
    }, theme);
  }

  async function kept(): Promise<string> {
    const folder = join(window().server.globalStorage('docs-agent.docs-agent-jobs'), 'jobs');
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))).join(
      '\n',
    );
  }

  it('what looks like a secret is marked, and nothing of it goes without an answer', async () => {
    const { workbench } = window();
    const { page, quickInput } = workbench;
    await workbench.activityBar('Docs Agent');
    await compose(`Explain the login.\n\ntoken: ${TOKEN}\n`);
    await page.locator('.squiggly-warning').first().waitFor();
    await workbench.screenshot('guard 1 marked');
    await send();
    await quickInput.expectTitle('This prompt holds what looks like a secret');
    const rows = await quickInput.rows();
    match(rows[0] ?? '', /Send with it blotted out/);
    match(rows[1] ?? '', /Look at it/);
    match(rows[2] ?? '', /Send as it is.*GitHub token \(line 3\)/);
    await workbench.screenshot('guard 2 question');
    await quickInput.cancel();
    await quickInput.expectClosed();
    await page.getByText('Explain the login.').waitFor();
    await send();
    await quickInput.expectTitle('This prompt holds what looks like a secret');
    await quickInput.pick('Look at it');
    await page.locator('.editor-instance .selected-text').first().waitFor();
    deepStrictEqual(bodies(), []);
  });

  it('it is blotted out in what is sent and in what is kept', async () => {
    const { workbench } = window();
    await send();
    await workbench.quickInput.expectTitle('This prompt holds what looks like a secret');
    // With the keyboard only: the first answer has the focus.
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer(KEY);
    await workbench.tree('Jobs').expectRow(/Explain the login/, JOB_LIMIT);
    await workbench.tree('Jobs').expectRow(/Explain the login.*finished/, JOB_LIMIT);
    deepStrictEqual(prompts(), ['Explain the login.\n\ntoken: [blotted out: GitHub token]']);
    ok(!(await kept()).includes(TOKEN));
  });

  it('the key in use counts, and a quick fix blots it out', async () => {
    const { workbench } = window();
    await compose(`Use ${KEY} here`);
    await workbench.page.locator('.squiggly-warning').first().waitFor();
    await workbench.host.run(async (vscode) => {
      const editor = vscode.window.activeTextEditor;
      const [diagnostic] = editor === undefined ? [] : vscode.languages.getDiagnostics(editor.document.uri);
      if (editor !== undefined && diagnostic !== undefined) {
        editor.selection = new vscode.Selection(diagnostic.range.start, diagnostic.range.start);
      }
    });
    await focusCodeAction(workbench, 'Blot out: key kept by Docs Agent');
    await workbench.screenshot('guard 3 quick fix');
    await focusCodeAction(workbench, 'Blot out: key kept by Docs Agent');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByText('Use [blotted out: key kept by Docs Agent] here').waitFor();
    await workbench.page.locator('.squiggly-warning').first().waitFor({ state: 'detached' });
  });

  it('a box asks the same: Escape keeps its draft, and the editor takes the text to be looked at', async () => {
    const { workbench } = window();
    const { quickInput } = workbench;
    await compose('');
    await workbench.palette('View: Close All Editors');
    const before = bodies().length;
    await workbench.palette('Docs Agent: New Job…');
    await quickInput.expectTitle(/^New job for docs-project/);
    await quickInput.answer(`Explain ${TOKEN}`);
    await quickInput.expectTitle('This prompt holds what looks like a secret');
    await quickInput.cancel();
    await quickInput.expectClosed();
    await workbench.palette('Docs Agent: New Job…');
    await quickInput.expectTitle(/^New job for docs-project/);
    strictEqual(await quickInput.value(), `Explain ${TOKEN}`);
    await quickInput.accept();
    await quickInput.expectTitle('This prompt holds what looks like a secret');
    await quickInput.pick('Look at it');
    await workbench.page.locator('.editor-instance').getByText(`Explain ${TOKEN}`).waitFor();
    await workbench.page.locator('.squiggly-warning').first().waitFor();
    strictEqual(bodies().length, before);
    await workbench.palette('Docs Agent: New Job…');
    await quickInput.expectTitle(/^New job for docs-project/);
    strictEqual(await quickInput.value(), '');
    await quickInput.cancel();
  });

  it('the preview shows the bytes that the service gets, and nothing else is sent', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await compose('  Explain “naïve” 🙂\n\n```js\nconst tab = "\\t";\n```\n\n\u00a0 end\n\n');
    await workbench.host.run(async (vscode) => {
      await vscode.window.activeTextEditor?.edit((edit) => edit.setEndOfLine(vscode.EndOfLine.CRLF));
    });
    await workbench.palette('Docs Agent: Preview What Is Sent');
    await page.getByText(/POST http:.*\/v2\/agent\/docs-project\/job/).waitFor();
    await page.getByText(/\d+ bytes to docs-project at 127\.0\.0\.1/).waitFor();
    await workbench.screenshot('guard 4 preview');
    await page.setViewportSize({ width: 800, height: 600 });
    await useTheme('Dark Modern');
    await page.locator('.vs-dark').first().waitFor();
    await workbench.screenshot('guard 4 preview dark narrow');
    await useTheme(undefined);
    await page.setViewportSize({ width: 1400, height: 900 });
    const shown = await previewText('.md');
    await page.getByText('Show request body').click();
    await page.locator('.tab', { hasText: 'Body of the request' }).waitFor();
    await workbench.screenshot('guard 5 body');
    const body = await previewText('.json');
    await page.locator('.tab', { hasText: 'New job for docs-project' }).click();
    await page.getByText(/Send to docs-project/).waitFor();
    const before = bodies().length;
    await send();
    await workbench.tree('Jobs').expectRow(/Explain “naïve”/, JOB_LIMIT);
    await workbench.tree('Jobs').expectRow(/Explain “naïve”.*finished/, JOB_LIMIT);
    deepStrictEqual(bodies().slice(before), [body]);
    strictEqual(prompts().at(-1), shown);
    ok(!shown.includes('\r'));
    const sent = server().requests.findLast(({ method }) => method === 'POST');
    strictEqual(sent?.headers['content-length'], String(Buffer.byteLength(body)));
  });
});
