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

/** How much of a header is read, in characters. Browsers send fewer, but anyone can send more. */
const MAX_HEADER = 200;

type Texts = Readonly<Record<string, string>>;

/** The translations of the page's own texts, and those of the extension, which include the service's. By language tag. */
const TRANSLATIONS: Readonly<Record<string, () => Promise<[page: { default: Texts }, bundle: { default: Texts }]>>> = {
  de: () =>
    Promise.all([import('./pageWords.de.json'), import('#l10n/bundle.l10n.de.json', { with: { type: 'json' } })]),
};

/** The tags of all languages of the review page. */
export const LANGUAGES: readonly string[] = ['en', ...Object.keys(TRANSLATIONS)];

/** Returns the language that a browser prefers (RFC 9110, 12.5.4), if the page supports it; else English. */
export async function languageFor(acceptLanguage: string): Promise<Language> {
  const wanted = acceptLanguage
    .slice(0, MAX_HEADER)
    .split(',')
    .map((each) => {
      const [written = '', weight = 'q=1'] = each.split(';', 2);
      const range = written.trim().toLowerCase();
      // A browser set to Austrian German asks for `de-at`.
      const tag = LANGUAGES.find((language) => range === language || range.startsWith(`${language}-`));
      return { tag, weight: Number(/^q=([\d.]+)$/i.exec(weight.trim())?.[1]) };
    })
    .filter(({ tag, weight }) => weight > 0 && tag !== undefined)
    .toSorted((one, other) => other.weight - one.weight);
  const tag = wanted[0]?.tag ?? 'en';
  const load = TRANSLATIONS[tag];
  if (load === undefined) {
    return ENGLISH;
  }
  const [page, service] = (await load()).map((each) => each.default);
  // The keys of the service's texts end in `/service`.
  const translate: typeof fillIn = (text, values) => fillIn(service?.[`${text}/service`] ?? text, values);
  return {
    tag,
    t: (text, ...values) => fillIn(page?.[text] ?? text, Object.fromEntries(values.entries())),
    sentence: (text) => renderText(text, translate) ?? toEnglish(text),
  };
}
