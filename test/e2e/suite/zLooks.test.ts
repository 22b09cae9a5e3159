import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { useHostedWindow } from '../hostedWindow';

async function fill(folder: string): Promise<void> {
  await createSampleRepository(folder);
  const commit = async (subject: string): Promise<void> => {
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', subject);
    await delay(1_100);
  };
  await rm(join(folder, 'docs/getting-started.md'));
  await mkdir(join(folder, 'docs/img'));
  await writeFile(
    join(folder, 'docs/retries.md'),
    '# Retries\n\nSet `attempts` in the options.\n\n| Option | Default |\n| --- | --- |\n| `timeoutSeconds` | `30` |\n\nSee [the limits](limits.md) and [the code](../src/helpers.ts).\n\n![A chart](img/chart.png)\n',
  );
  await writeFile(join(folder, 'docs/limits.md'), '# Limits\n\nText.\n\nMore text.\n');
  await writeFile(join(folder, 'docs/img/chart.png'), 'x');
  await writeFile(join(folder, 'src/helpers.ts'), 'export function helper(): number {\n  return 1;\n}\n');
  await writeFile(join(folder, 'src/options.ts'), 'export const defaults = {\n  timeoutSeconds: 30,\n};\n');
  await commit('Describe retries');
  const source = join(folder, 'src/retry.ts');
  await writeFile(source, (await readFile(source, 'utf8')).replaceAll('attempts', 'maxAttempts'));
  await writeFile(join(folder, 'src/options.ts'), 'export const defaults = {\n  timeoutSeconds: 10,\n};\n');
  await commit('Say that it is a limit, and wait less');
  await git(folder, 'mv', 'src/helpers.ts', 'src/tools.ts');
  await git(folder, 'mv', 'docs/limits.md', 'docs/quotas.md');
  await git(folder, 'rm', '--quiet', 'docs/img/chart.png');
  await commit('Tidy up');
}

for (const [language, theme] of [
  ['en', 'Default Dark Modern'],
  ['de', 'Default Light Modern'],
] as const) {
  describe(`looks ${language}`, () => {
    const { window } = useHostedWindow({
      fill,
      ...(language === 'de' ? { language } : {}),
      settings: (url) => ({
        'docsAgent.baseUrl': url,
        'docsAgent.projectId': 'docs-project',
        'workbench.colorTheme': theme,
      }),
    });
    it('shows everything', async () => {
      const { workbench } = window();
      const { page } = workbench;
      await workbench.statusBarItem('main').waitFor();
      await workbench
        .palette(
          language === 'de'
            ? 'Docs Agent: Dokumentation mit dem Code abgleichen'
            : 'Docs Agent: Check Documentation Against Code',
        )
        .catch(() => undefined);
      await page.waitForTimeout(4_000);
      await workbench.screenshot(`looks ${language} 1 toast`);
      await page.keyboard.press('Control+Shift+M');
      await page.waitForTimeout(1_000);
      for (const [at, text] of ['attempts', '30', 'limits.md', 'img/chart.png'].entries()) {
        await workbench.host.run(async (vscode, wanted: string) => {
          const folder = vscode.workspace.workspaceFolders![0]!.uri;
          const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'docs/retries.md'));
          const editor = await vscode.window.showTextDocument(document, { preview: false });
          const position = document.positionAt(document.getText().indexOf(wanted) + 1);
          editor.selection = new vscode.Selection(position, position);
        }, text);
        await page.waitForTimeout(800);
        const actions = page.locator('.action-widget .monaco-list-row');
        for (let tries = 0; tries < 3 && !(await actions.first().isVisible()); tries++) {
          await page.keyboard.press('Control+Period');
          await actions
            .first()
            .waitFor({ timeout: 2_000 })
            .catch(() => undefined);
        }
        await workbench.screenshot(`looks ${language} 2 fixes ${at} ${text}`);
        const show = actions.getByText(/Commit/);
        if (await show.isVisible()) {
          await show.click();
          await page.waitForTimeout(2_500);
          await workbench.screenshot(`looks ${language} 3 diff ${at} ${text}`);
        } else {
          await page.keyboard.press('Escape');
        }
      }
    });
  });
}
