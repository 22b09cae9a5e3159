import { fillIn } from '../base/text';
import { coded, type CodedText, renderText } from '../protocol/codedText';
import type { ActivityEntry } from '../protocol/activity';

/** Renders a text in English, for logs and for clients that don't know the codes. */
export function toEnglish(text: CodedText): string {
  return renderText(text, fillIn) ?? text.code;
}

/** The texts as one; undefined if there are none. */
export function joinTexts(...texts: (CodedText | null | undefined)[]): CodedText | undefined {
  const all = texts.filter((text) => text != null);
  return all.length === 0 ? undefined : all.reduce((first, second) => coded('both', { first, second }));
}

/** An error that is shown to the user, as a code with parameters. */
export class CodedError extends Error {
  constructor(readonly coded: CodedText) {
    super(toEnglish(coded));
  }
}

/** A note from the service in a job's activity log. */
export function noteEntry(coded: CodedText): ActivityEntry {
  return { kind: 'note', text: toEnglish(coded), coded };
}
