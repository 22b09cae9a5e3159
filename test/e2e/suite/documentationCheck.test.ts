import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OUTDATED_PAGE, outdateDocs } from '../../support/checkedRepositories';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { type Workbench } from '../../support/vscode/workbench';
import { enterKey, useHostedWindow } from '../hostedWindow';

async function fill(workspace: string): Promise<void> {
  await createSampleRepository(workspace);
  await outdateDocs(workspace);
}

/** A workspace file for the repository and a second one, whose only page mentions what is renamed in the first. */
async function fillSeveral(workspace: string): Promise<void> {
  await fill(workspace);
  const guides = join(dirname(workspace), 'guides');
  await mkdir(guides);
  await writeFile(join(guides, 'guide.md'), '# Guide\n\nSet `defaultPolicy` and `maxAttempts`.\n');
  await git(guides, 'init', '--quiet');
  await commitAll(guides, 'Write a guide');
  // Git counts in seconds.
  await delay(1_100);
  const code = join(workspace, 'src', 'retry.ts');
  await writeFile(code, (await readFile(code, 'utf8')).replaceAll('defaultPolicy', 'usualPolicy'));
  await commitAll(workspace, 'Say that it can be changed');
  const folders = [{ path: 'guides' }, { path: 'handbook' }];
  await writeFile(join(dirname(workspace), 'all.code-workspace'), JSON.stringify({ folders }));
}

async function commitAll(folder: string, subject: string): Promise<void> {
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', subject);
}

/** Waits until the editor's Git extension has found the repository, on which the command depends. */
async function untilRepositoryIsKnown(workbench: Workbench): Promise<void> {
  await workbench.statusBarItem('main').waitFor();
}

describe('the documentation check', () => {
  const { window, prompts, server } = useHostedWindow({ fill: fillSeveral });

  it('looks names up in all folders of a workspace, and shows each problem in its own folder', async () => {
    const several = await window().openAnother(join(dirname(window().workspace), 'all.code-workspace'));
    await untilRepositoryIsKnown(several);
    await several.host.run(async (vscode) => {
      const git = vscode.extensions.getExtension<{ getAPI(version: 1): { repositories: unknown[] } }>('vscode.git');
      const api = (await git?.activate())?.getAPI(1);
      while (api !== undefined && api.repositories.length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    await several.palette('Docs Agent: Check Documentation Against Code');
    const found = '3 problems on 2 pages.';
    await several.toast(found).expect();
    const problems = await several.host.run((vscode) =>
      vscode.languages
        .getDiagnostics()
        .flatMap(([page, all]) => all.map(({ message }) => [vscode.workspace.asRelativePath(page, true), message])),
    );
    deepStrictEqual(
      problems.map(([page, message = '']) => [page, message.replace(/ Removed in .*”\)\./, '')]),
      [
        ['guides/guide.md', '“defaultPolicy” is no longer in the code. Probably replaced by “usualPolicy”.'],
        ['handbook/docs/retries.md', '“attempts” is no longer in the code. Probably replaced by “maxAttempts”.'],
        ['handbook/docs/retries.md', '“attempts” is no longer in the code. Probably replaced by “maxAttempts”.'],
      ],
    );
    await several.page.keyboard.press('Control+Shift+M');
    await several.page.locator('.markers-panel').getByText('guide.md').first().waitFor();
    await several.screenshot('documentation check 10 folders');
    await (await several.notification(found)).click('Choose What to Fix…');
    await several.quickInput.expectTitle('Select a repository');
    strictEqual((await several.quickInput.rows()).length, 2);
    await several.quickInput.pick('guides');
    await several.quickInput.expectTitle('Select what to fix');
    strictEqual((await several.quickInput.rows()).length, 1);
    await several.page.close();
  });

  it('starts from the empty list, and shows outdated names there and as problems', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await untilRepositoryIsKnown(workbench);
    await workbench.activityBar('Docs Agent');
    const start = workbench.page.getByRole('button', { name: 'Check This Repository' });
    await start.waitFor();
    await workbench.screenshot('documentation check 0 empty list');
    await start.click();
    const toast = workbench.toast('2 problems on 1 page.');
    await toast.expect();
    deepStrictEqual(await toast.buttons(), ['Choose What to Fix…', 'Show Problems']);
    await tree.expectRow('docs/retries.md, line 5');
    // The button that had the focus is gone.
    await workbench.page
      .locator('.monaco-list:focus .monaco-list-row.focused')
      .getByText('Problems in the docs')
      .waitFor();
    deepStrictEqual(await tree.rows(), [
      'Problems in the docs 2',
      'attempts retries.md:3 · now maxAttempts',
      'attempts retries.md:5 · now maxAttempts',
    ]);
    await workbench.screenshot('documentation check 1 result');
    await workbench.page.keyboard.press('Control+Shift+M');
    const problems = workbench.page.locator('.markers-panel .monaco-list-row');
    await problems
      .getByText(/“attempts” is no longer in the code\. Probably replaced by “maxAttempts”\. Removed in/)
      .first()
      .waitFor();
    await workbench.screenshot('documentation check 2 problems');
  });

  it('turns all of them into a prompt that is sent only after the user has seen it', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await enterKey(workbench);
    const { choose } = server();
    const polled = { id: 'job1', status: 'active' };
    server().choose = (seen) => (seen.method === 'POST' ? choose?.(seen) : undefined) ?? { body: polled };
    await workbench.tree('Jobs').inlineAction('Problems in the docs', 'Fix All');
    await page.getByText('Send to docs-project').waitFor();
    await page.locator('.editor-instance').getByText('Correct 2 outdated names').first().waitFor();
    await workbench.screenshot('documentation check 4 prompt');
    deepStrictEqual(prompts(), []);
    await page.keyboard.press('Control+Enter');
    while (prompts().length === 0) {
      await page.waitForTimeout(50);
    }
    const [sent = ''] = prompts();
    match(sent, /^Correct 2 outdated names in docs\/retries\.md\n/);
    match(
      sent,
      /^- Line 3: `attempts` is no longer in the code\. Probably replaced by `maxAttempts`\. Removed in `[0-9a-f]{10}` \(`Say that it is a limit`\)\./m,
    );
    await page.getByText('Send to docs-project').waitFor({ state: 'detached' });
    await workbench.tree('Jobs').expectRow(/Correct 2 outdated names.*in progress/);
    await workbench.tree('Jobs').expectNoRow('Problems in the docs');
    polled.status = 'completed';
    // Until the job has ended, its row moves.
    await workbench.tree('Jobs').expectRow(/Correct 2 outdated names.*no pull request/);
    await workbench.tree('Jobs').expectRow('Problems in the docs');
  });

  it('opens the page of a name, and no longer shows what was dismissed', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await tree.click('docs/retries.md, line 5');
    await workbench.page.locator('.editor-instance .squiggly-warning').first().waitFor({ state: 'attached' });
    await workbench.statusBarItem('Ln 5, Col').waitFor();
    await workbench.screenshot('documentation check 3 list');
    await tree.inlineAction('docs/retries.md, line 5', 'Dismiss');
    await tree.expectNoRow('docs/retries.md, line 5');
    await tree.expectRow('docs/retries.md, line 3');
  });

  it('offers fixes at each name', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.host.run(async (vscode, path: string) => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const uri = folder && vscode.Uri.joinPath(folder, path);
      const editor = uri && (await vscode.window.showTextDocument(uri));
      if (editor !== undefined) {
        editor.selection = new vscode.Selection(2, 7, 2, 7);
      }
    }, OUTDATED_PAGE);
    await page.locator('.editor-instance .squiggly-warning').first().waitFor({ state: 'attached' });
    // The light bulb shows that the editor has found the fixes at the cursor.
    await page.locator('.editor-instance :is(.lightBulbWidget, [class*="gutter-lightbulb"])').first().waitFor();
    const actions = page.locator('.action-widget');
    const fix = actions.getByText('Fix with a Docs Job…');
    // The menu closes on its own when the editor gets new problems or loses the focus to a notification.
    while (!(await fix.isVisible())) {
      await page.keyboard.press('Control+Period');
      await fix.waitFor({ timeout: 5_000 }).catch(() => undefined);
    }
    await workbench.screenshot('documentation check 5 fixes');
    await actions.getByText('Ignore “attempts”…').click();
    await workbench.quickInput.expectTitle('Ignore “attempts”');
    await workbench.screenshot('documentation check 6 reason');
    await workbench.quickInput.answer('It is in an older API');
    await page.locator('.markers-panel').getByText('No problems have been detected').waitFor();
    await workbench.tree('Jobs').expectNoRow('Problems in the docs');
  });
});
