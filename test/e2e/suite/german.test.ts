import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkoutRoot } from '../../support/vscode/paths';
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

/** Parts of a window that show this extension's texts and few of the editor's. */
const PLACES = [
  '.pane',
  '.quick-input-widget',
  '.notifications-toasts',
  '.statusbar-item[id^="docs-agent"]',
  '.codelens-decoration',
  '.context-view .monaco-menu',
  '.workbench-hover',
];

type Texts = Readonly<Record<string, string>>;

/** Returns the English texts of this extension that a German window currently shows or exposes to screen readers. */
export async function findUntranslatedTexts(page: Page): Promise<string[]> {
  const seen = await page.evaluate<string[]>(`[...document.querySelectorAll('${PLACES.join(', ')}')]
    .filter((each) => each.offsetParent !== null)
    .flatMap((place) => [
      ...place.innerText.split('\\n'),
      ...[...place.querySelectorAll('[aria-label]')].map((each) => each.getAttribute('aria-label')),
      ...[...place.querySelectorAll('input')].map((each) => each.placeholder),
    ])`);
  const [manifest, german] = [texts('package.nls.json'), texts('package.nls.de.json')];
  const pairs = [
    ...Object.entries(texts('l10n/bundle.l10n.de.json')),
    ...Object.entries(manifest).map(([key, text]) => [text, german[key]] as const),
  ];
  const english = pairs
    .filter(([text, translated]) => text !== translated && /[a-z]{3}/.test(text.replaceAll(/\{\d\}/g, '')))
    .flatMap(([text]) => text.split('\n').map(asPattern));
  const lines = [...new Set(seen.map((line) => line.trim()).filter((line) => line !== ''))];
  return lines.filter((line) => english.some((pattern) => pattern.test(line)));
}

function texts(name: string): Texts {
  return JSON.parse(readFileSync(join(checkoutRoot, name), 'utf8')) as Texts;
}

/** A placeholder matches any text. The address of a link is not shown. */
function asPattern(text: string): RegExp {
  const shown = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\$\([\w-]+\) ?/g, '');
  return new RegExp(
    `^${shown
      .split(/\{\d\}/)
      .map(literally)
      .join('.+')}$`,
  );
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
