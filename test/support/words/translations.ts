import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '../vscode/paths';
import { codeTexts } from './codeTexts';

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>;

/** The text of the manifest and of the code in English, and what a language makes of each. */
export interface Translation {
  /** Where the text stands: the key of package.nls.json, or file and line. */
  place: string;
  key: string;
  english: string;
  /** `undefined` where the language has no text. */
  translated: string | undefined;
}

/** The English texts of package.nls.json, or those of a language, as `de`. */
export function manifestTexts(language?: string): Texts {
  return readTexts(language === undefined ? 'package.nls.json' : `package.nls.${language}.json`);
}

/** What the code’s English texts are in a language, as `de`. */
export function codeTranslations(language: string): Texts {
  return readTexts(join('l10n', `bundle.l10n.${language}.json`));
}

/** Every text that has to be translated, once. */
export function translations(language: string): Translation[] {
  const [manifest, code] = [manifestTexts(language), codeTranslations(language)];
  const ofManifest = Object.entries(manifestTexts()).map(([key, english]) => ({
    place: `package.nls.json ${key}`,
    key,
    english,
    translated: manifest[key],
  }));
  const ofCode = codeTexts().texts.map(({ key, text, place }) => [key, { place, key, english: text }] as const);
  const once = [...new Map(ofCode).values()];
  return [...ofManifest, ...once.map((each) => ({ ...each, translated: code[each.key] }))];
}

/** What a translator must leave as it is: placeholders, icons, links, names and marks of Markdown; sorted. */
export function marksOf(text: string): string[] {
  const patterns = [
    /\{\d+\}/g,
    /\$\([\w~-]+\)/g,
    /\$\{[^}]*\}/g,
    /\(command:[^)]*\)/g,
    /`[^`]*`/g,
    /\*\*/g,
    /\n/g,
    /\b[a-z]\w*(?:\.[a-z]\w*)+\b/gi,
    /https?:\/\//g,
    /…$/g,
  ];
  return patterns.flatMap((pattern) => text.match(pattern) ?? []).toSorted();
}

function readTexts(name: string): Texts {
  return JSON.parse(readFileSync(join(checkoutRoot, name), 'utf8')) as Texts;
}
