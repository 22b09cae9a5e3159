import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkoutRoot } from '../support/vscode/paths';

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
