import { type CodedText, fillIn, renderText } from '../../protocol/codedText';
import { toEnglish } from '../codedText';

/** A language of the review page. */
export interface Language {
  /** The value of the page’s `lang` attribute. */
  tag: string;
  /** Translates a text of the page and fills in the values for `{0}`, `{1}` … The text itself contains no markup. */
  t: (text: string, ...values: (string | number)[]) => string;
  sentence: (text: CodedText) => string;
}

export const ENGLISH: Language = {
  tag: 'en',
  t: (text, ...values) => fillIn(text, Object.fromEntries(values.entries())),
  sentence: toEnglish,
};

/** Returns the language that a browser prefers (RFC 9110, 12.5.4), if the page supports it; else English. */
export async function languageFor(acceptLanguage: string): Promise<Language> {
  const wanted = acceptLanguage
    .split(',')
    .map((each) => /^\s*([a-z]+)[^;]*(?:;\s*q=([\d.]+))?\s*$/i.exec(each))
    .map((found) => ({ tag: found?.[1]?.toLowerCase() ?? '', weight: Number(found?.[2] ?? 1) }))
    .filter(({ tag, weight }) => weight > 0 && (tag === 'de' || tag === 'en'))
    .toSorted((one, other) => other.weight - one.weight);
  return wanted[0]?.tag === 'de' ? german() : ENGLISH;
}

/** The texts of the service are those of the extension whose keys end in `/service`. */
async function german(): Promise<Language> {
  const [{ default: words }, { default: texts }] = await Promise.all([
    import('./pageWords.de.json'),
    import('#l10n/bundle.l10n.de.json', { with: { type: 'json' } }),
  ]);
  const [page, service]: Readonly<Record<string, string>>[] = [words, texts];
  const translate: typeof fillIn = (text, values) => fillIn(service?.[`${text}/service`] ?? text, values);
  return {
    tag: 'de',
    t: (text, ...values) => fillIn(page?.[text] ?? text, Object.fromEntries(values.entries())),
    sentence: (text) => renderText(text, translate) ?? toEnglish(text),
  };
}
