import { PLACE, truncateWithEllipsis } from '../base/text';
import { MAX_FIELD } from '../base/limits';
import { AGENT_TEXTS } from './serviceTexts/agentTexts';
import { REVIEW_TEXTS } from './serviceTexts/reviewTexts';
import { TURN_TEXTS } from './serviceTexts/turnTexts';

/**
 * Everything the local service can say to a user, as codes. Only codes and parameters are stored and sent; the sentence
 * is rendered where it is shown. The English text is sent to clients that don't know codes, and is the key for
 * translations. A released code or parameter is never renamed: databases and records contain it.
 */
export const SERVICE_TEXTS = {
  ...AGENT_TEXTS,
  ...TURN_TEXTS,
  ...REVIEW_TEXTS,
  /** Text from elsewhere, or from an older version, shown as it is. */
  plain: '{text}',
  both: '{first} {second}',
} as const;

export type TextCode = keyof typeof SERVICE_TEXTS;

/** A text of the local service. A parameter may itself be a text. */
export interface CodedText {
  readonly code: string;
  readonly params?: Readonly<Record<string, Parameter>> | undefined;
}
export type Parameter = string | number | CodedText;

type ParameterNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
type NamesOf<Code extends TextCode> = ParameterNames<(typeof SERVICE_TEXTS)[Code]>;

/** Creates a text; the type requires the parameters of the code. */
export function coded<Code extends TextCode>(
  code: Code,
  ...[params]: [NamesOf<Code>] extends [never] ? [] : [params: Readonly<Record<NamesOf<Code>, Parameter>>]
): CodedText {
  return params === undefined ? { code } : { code, params: bounded(params) };
}

function bounded(params: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
  const entries = Object.entries(params).map(([name, value]): [string, Parameter] => [
    name,
    // The length of text from elsewhere is not under our control.
    typeof value === 'string' ? truncateWithEllipsis(value, MAX_FIELD) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The texts of a job; the job's own fields of the same names hold the English. */
export interface CodedFields {
  error?: CodedText | undefined;
  note?: CodedText | undefined;
}

/**
 * Renders a text as a sentence; returns undefined for a code or parameters that this version does not know.
 *
 * @param translate inserts the values into the text of a code, in the reader's language
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
    // The first of two texts may end with words from elsewhere.
    const isOpen = code === 'both' && name === 'first' && !/[.!?…:][”“’"')]*$/.test(words);
    values[name] = isOpen ? `${words}.` : words;
  }
  const isWhole = text?.match(PLACE)?.every((place) => Object.hasOwn(values, place.slice(1, -1))) ?? true;
  return text === undefined || !isWhole ? undefined : translate(text, values);
}

/** Returns true if a text, or one of the texts in it, has this code. */
export function hasCode({ code, params = {} }: CodedText, wanted: TextCode): boolean {
  return code === wanted || Object.values(params).some((value) => typeof value === 'object' && hasCode(value, wanted));
}
