import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { OUTDATED_PAGE, outdateDocs } from '../../support/outdatedDocs';
import { createSampleRepository } from '../../support/temporaryRepository';
import { type Workbench } from '../../support/vscode/workbench';
import { enterKey, useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

async function fill(workspace: string): Promise<void> {
  await createSampleRepository(workspace);
  await outdateDocs(workspace);
}

/** The window stays usable when it is as narrow as this, in pixels. */
const NARROW = { width: 520, height: 800 };

/** Waits until the editor's Git extension has found the repository, on which the command depends. */
async function untilRepositoryIsKnown(workbench: Workbench): Promise<void> {
  await workbench.statusBarItem('main').waitFor({ timeout: JOB_LIMIT });
}

describe('the check of the documentation', () => {
  const { window, prompts } = useHostedWindow({ fill });

  it('lists outdated names as problems and says how many there are', async () => {
    const { workbench } = window();
    await untilRepositoryIsKnown(workbench);
    await workbench.palette('Docs Agent: Check Documentation Against Code');
    const toast = workbench.toast('2 names on 1 page are no longer in the code.');
    await toast.expect(JOB_LIMIT);
    deepStrictEqual(await toast.buttons(), ['Choose…', 'Show Problems']);
    await workbench.screenshot('documentation check 1 result');
    await workbench.page.keyboard.press('Control+Shift+M');
    const problems = workbench.page.locator('.markers-panel .monaco-list-row');
    await problems
      .getByText(/“attempts” is no longer in the code\. Removed in/)
      .first()
      .waitFor();
    await workbench.screenshot('documentation check 2 problems');
  });

  it('turns the chosen names into a prompt that is sent only after the user has seen it', async () => {
    const { workbench } = window();
    const { page, quickInput } = workbench;
    await enterKey(workbench);
    await workbench.toast('2 names on 1 page').click('Choose…');
    await quickInput.expectTitle('Select the names that a job should correct');
    await workbench.screenshot('documentation check 3 pick');
    strictEqual((await quickInput.rows()).length, 2);
    await quickInput.accept();
    await page.getByText('Send to docs-project').waitFor();
    await page.locator('.editor-instance').getByText('Correct 2 outdated names').first().waitFor();
    await workbench.screenshot('documentation check 4 prompt');
    deepStrictEqual(prompts(), []);
    await page.keyboard.press('Control+Enter');
    while (prompts().length === 0) {
      await page.waitForTimeout(50);
    }
    const [sent = ''] = prompts();
    match(sent, /^Correct 2 outdated names in `docs\/retries\.md`\.\n/);
    match(sent, /^- Line 3: `attempts`, removed in [0-9a-f]{12} \(`Say that it is a limit`\)/m);
  });

  it('offers its fixes at the name', async () => {
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
    await page.locator('.editor-instance .view-line').getByText('attempts').first().click();
    await page.keyboard.press('Control+Period');
    const actions = page.locator('.action-widget');
    await actions.getByText('Fix with a Docs Job…').waitFor();
    await workbench.screenshot('documentation check 5 fixes');
    await actions.getByText('Ignore “attempts”…').click();
    await workbench.quickInput.expectTitle('Ignore “attempts”');
    await workbench.screenshot('documentation check 6 reason');
    await workbench.quickInput.answer('It is in an older API');
    await page.locator('.markers-panel').getByText('No problems have been detected').waitFor();
  });
});

describe('the check of the documentation, in German and in a narrow window', () => {
  const { window } = useHostedWindow({ fill, language: 'de' });

  it('shows result, problems and choice', async () => {
    const { workbench } = window();
    await untilRepositoryIsKnown(workbench);
    await workbench.palette('Docs Agent: Dokumentation mit dem Code abgleichen');
    const toast = workbench.toast('2 Namen auf 1 Seite sind nicht mehr im Code.');
    await toast.expect(JOB_LIMIT);
    await workbench.page.keyboard.press('Control+Shift+M');
    await workbench.page
      .locator('.markers-panel')
      .getByText('„attempts“ gibt es im Code nicht mehr.')
      .first()
      .waitFor();
    await workbench.page.setViewportSize(NARROW);
    await workbench.screenshot('documentation check 7 german');
    await toast.click('Auswählen…');
    await workbench.quickInput.expectTitle('Namen auswählen, die ein Auftrag berichtigen soll');
    await workbench.screenshot('documentation check 8 german pick');
    const [first = ''] = await workbench.quickInput.rows();
    match(first, /attempts.*Zeile 3 · vermutlich maxAttempts · Say that it is a limit/);
  });
});
