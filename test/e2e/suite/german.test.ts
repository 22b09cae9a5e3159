import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { findUntranslatedTexts } from '../findUntranslatedTexts';
import { useHostedWindow } from '../hostedWindow';

describe('an editor whose display language is German', () => {
  const { window, prompts } = useHostedWindow({ language: 'de' });

  const expectGerman = async (name: string): Promise<void> => {
    const { page } = window().workbench;
    await window().workbench.screenshot(`german ${name}`);
    deepStrictEqual(await findUntranslatedTexts(page), []);
  };

  it('shows the first steps in German', async () => {
    const { workbench } = window();
    strictEqual(await workbench.host.run(async (vscode) => vscode.env.language), 'de');
    await workbench.activityBar('Docs Agent');
    await workbench.page.locator('.welcome-view-content', { hasText: 'Legen Sie einen API-Schlüssel fest' }).waitFor();
    await expectGerman('1 welcome');
  });

  it('creates a job in German, from the box to the pull request', async () => {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Neuer Auftrag…');
    await workbench.quickInput.expectTitle(/^Neuer Auftrag für docs-project/);
    await expectGerman('2 box');
    await workbench.quickInput.answer('Wiederholungen beschreiben');
    await workbench.quickInput.expectTitle(/^API-Schlüssel für/);
    await workbench.quickInput.fill('zwei Wörter');
    await workbench.quickInput.expectMessage('keine Leerzeichen');
    await expectGerman('3 key');
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.tree('Aufträge').expectRow(/Wiederholungen beschreiben.*beendet, kein Pull Request/);
    await workbench.toast('Ohne Pull Request beendet: Wiederholungen beschreiben').expect();
    await expectGerman('4 list');
    deepStrictEqual(prompts(), ['Wiederholungen beschreiben']);
  });

  it('shows German text in menus, the filter and the composer', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const menu = await workbench.tree('Aufträge').contextMenuLabels(/Wiederholungen beschreiben/);
    strictEqual(menu.includes('Folge-Prompt senden…') && menu.includes('Aus der Liste entfernen'), true, menu.join());
    await workbench.palette('Docs Agent: Filter und Ansichtsoptionen…');
    await workbench.quickInput.expectTitle('Filter und Ansichtsoptionen');
    await expectGerman('5 view options');
    await workbench.quickInput.pick('Nach Text filtern…');
    await workbench.quickInput.expectTitle('Aufträge filtern');
    await workbench.quickInput.fill('nichts dergleichen');
    await page.locator('.welcome-view-content', { hasText: 'Kein Auftrag entspricht dem Filter' }).waitFor();
    await expectGerman('5 filter');
    await workbench.quickInput.cancel();
    await workbench.palette('Docs Agent: Prompt verfassen…');
    await page.getByText('An docs-project senden').waitFor();
    await page.keyboard.type('Noch etwas');
    await page
      .locator('.editor-instance')
      .getByText(/10 Zeichen/)
      .waitFor();
    await expectGerman('6 composer');
  });

  it('names the built-in templates in German and inserts them in English with the first placeholder selected', async () => {
    const { workbench } = window();
    const { page, quickInput } = workbench;
    await workbench.palette('View: Close All Editors');
    await workbench.palette('Docs Agent: Kontext oder Vorlage hinzufügen…');
    await quickInput.expectTitle('Kontext zum Prompt hinzufügen');
    await expectGerman('8 context');
    await quickInput.pick('Vorlage…');
    await quickInput.expectTitle('Prompt-Vorlage einfügen');
    await workbench.screenshot('german 8 templates');
    await quickInput.pick('Eine Anleitung schreiben');
    // The previous test left an unsent prompt.
    await quickInput.pick('Neuen Prompt beginnen');
    await page.getByText('Write a how-to guide: Was sollen Leser danach können?').waitFor();
    await page.keyboard.type('set up retries');
    await page.getByText('Write a how-to guide: set up retries').waitFor();
  });

  it('shows the job page and a narrow side bar in German', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('View: Close All Editors');
    await page.setViewportSize({ width: 520, height: 800 });
    await workbench.tree('Aufträge').click(/Wiederholungen beschreiben/);
    await page.locator('.tab', { hasText: 'Wiederholungen beschreiben' }).waitFor();
    const job = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await job.getByText('Verlauf').first().waitFor();
    await expectGerman('7 narrow');
    const left = await job.locator('body').innerText();
    deepStrictEqual(left.match(/\b(History|Follow-up|Finished|Copy|Rename|Remove|Send)\b/g), null);
  });
});
