import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '../vscode/paths';
import { codeTexts } from './codeTexts';
import { serviceTexts } from './serviceTexts';
import { codeTranslations, manifestTexts } from './translations';

/** A text that people read, and where it stands. */
export interface PlacedText {
  place: string;
  text: string;
}

/** All English texts: of the manifest, the code, the walkthrough and the local service. Each once. */
export function englishTexts(): PlacedText[] {
  const manifest = Object.entries(manifestTexts()).map(([key, text]) => ({ place: `package.nls.json ${key}`, text }));
  const code = codeTexts().texts;
  const all = [...manifest, ...code, ...serviceTexts(), ...pages((name) => !name.includes('.nls.'))];
  return [...new Map(all.map(({ text, place }) => [text, { place, text }])).values()];
}

/** All texts in German. */
export function germanTexts(): PlacedText[] {
  const manifest = Object.entries(manifestTexts('de')).map(([key, text]) => ({
    place: `package.nls.de.json ${key}`,
    text,
  }));
  const code = Object.entries(codeTranslations('de')).map(([key, text]) => ({ place: key, text }));
  return [...manifest, ...code, ...pages((name) => name.includes('.nls.de.'))];
}

/** The paragraphs of the Markdown files that the package brings under `media`. */
function pages(wanted: (name: string) => boolean): PlacedText[] {
  const folder = join(checkoutRoot, 'media');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names
    .filter((name) => name.endsWith('.md') && wanted(name))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split(/\n\s*\n/)
        .filter((text) => text.trim() !== '' && !/^\s*(```|<)/.test(text))
        .map((text) => ({ place: `media/${name}`, text: text.trim() })),
    );
}

/** The words of a text alone: without code, addresses, links’ targets and icons. */
export function wordsOf(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, '`x`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\$\([\w~-]+\)/g, '')
    .replaceAll(/\$\{[^}]*\}/g, '');
}
