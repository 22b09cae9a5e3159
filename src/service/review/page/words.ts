import { fill } from '../../../shared/words/fill';

const { words } = document.body.dataset;
const translated = (words === undefined ? {} : JSON.parse(words)) as Readonly<Record<string, string>>;

/** A text in the language of the page, with values for `{0}`, `{1}` … */
export const t = (text: string, ...values: (string | number)[]): string => fill(translated[text] ?? text, values);
