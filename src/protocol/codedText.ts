import { boundText, MAX_FIELD } from '../base/text';
import { AGENT_TEXTS } from './serviceTexts/agentTexts';
import { REVIEW_TEXTS } from './serviceTexts/reviewTexts';
import { TURN_TEXTS } from './serviceTexts/turnTexts';

/**
 * What the local service can say to a user, by codes. Only codes and parameters are kept and sent; the sentence is made
 * where it is shown. The English is what clients get that know no codes, and the key of the translations. A code or a
 * parameter that was shipped is never renamed: databases and records hold it.
 */
export const SERVICE_TEXTS = {
  ...AGENT_TEXTS,
  ...TURN_TEXTS,
  ...REVIEW_TEXTS,
  /** Words of somebody else, or of an older version, as they are. */
  plain: '{text}',
  both: '{first} {second}',
} as const;

export type TextCode = keyof typeof SERVICE_TEXTS;

/** A text of the local service. A parameter may be a text itself. */
export interface CodedText {
  readonly code: string;
  readonly params?: Readonly<Record<string, Parameter>> | undefined;
}
export type Parameter = string | number | CodedText;

type ParameterNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
type NamesOf<Code extends TextCode> = ParameterNames<(typeof SERVICE_TEXTS)[Code]>;

/** Makes a text; the type tells which parameters the code has. */
export function coded<Code extends TextCode>(
  code: Code,
  ...[params]: [NamesOf<Code>] extends [never] ? [] : [params: Readonly<Record<NamesOf<Code>, Parameter>>]
): CodedText {
  return params === undefined ? { code } : { code, params: bounded(params) };
}

function bounded(params: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
  const entries = Object.entries(params).map(([name, value]): [string, Parameter] => [
    name,
    // Others decide how long their words are.
    typeof value === 'string' ? boundText(value, MAX_FIELD) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The texts of a job; its own fields of these names hold the English. */
export interface CodedFields {
  error?: CodedText | undefined;
  note?: CodedText | undefined;
}

/**
 * A text as a sentence; undefined for a code or parameters that this version does not know.
 *
 * @param translate puts the values into the text of a code, in the language of who reads it
 */
export function renderText(
  { code, params = {} }: CodedText,
  translate: (text: string, values: Readonly<Record<string, string>>) => string,
): string | undefined {
  const text = Object.hasOwn(SERVICE_TEXTS, code) ? SERVICE_TEXTS[code as TextCode] : undefined;
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const words = typeof value === 'object' ? renderText(value, translate) : String(value);
    if (words === undefined) {
      return undefined;
    }
    values[name] = words;
  }
  const isWhole = text?.match(PLACE)?.every((place) => Object.hasOwn(values, place.slice(1, -1))) ?? true;
  return text === undefined || !isWhole ? undefined : translate(text, values);
}

const PLACE = /\{\w+\}/g;

/** Puts values into a text, in which their names stand in braces. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(PLACE, (place) => String(values[place.slice(1, -1)] ?? place));
}
