import type { Page } from 'playwright-core';
import { translations } from '../support/words/translations';

/** Where a window shows texts of this extension, and few of the editor. */
const PLACES = [
  '.pane',
  '.quick-input-widget',
  '.notifications-toasts',
  '.statusbar-item[id^="docs-agent"]',
  '.codelens-decoration',
  '.context-view .monaco-menu',
  '.workbench-hover',
];

/** The English texts of ours that can be seen or heard in the window as it is now, though it is to speak `language`. */
export async function englishLeft(page: Page, language: string): Promise<string[]> {
  const seen = await page.evaluate<string[]>(`[...document.querySelectorAll('${PLACES.join(', ')}')]
    .filter((each) => each.offsetParent !== null)
    .flatMap((place) => [
      ...place.innerText.split('\\n'),
      ...[...place.querySelectorAll('[aria-label]')].map((each) => each.getAttribute('aria-label')),
      ...[...place.querySelectorAll('input')].map((each) => each.placeholder),
    ])`);
  const english = translations(language)
    .filter(({ english: text, translated }) => text !== translated && /[a-z]{3}/.test(text.replaceAll(/\{\d\}/g, '')))
    .flatMap(({ english: text }) => text.split('\n').map(asPattern));
  const lines = [...new Set(seen.map((line) => line.trim()).filter((line) => line !== ''))];
  return lines.filter((line) => english.some((pattern) => pattern.test(line)));
}

/** Anything stands for a placeholder; the address of a link isn’t shown. */
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
