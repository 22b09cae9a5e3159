import { type CodedText, fillIn, renderText } from '../protocol/codedText';
import type { StoryEntry } from '../protocol/story';

/** A text for logs, and for clients that know no codes. */
export function toEnglish(text: CodedText): string {
  return renderText(text, fillIn) ?? text.code;
}

/** An error that the user is told, by its code and parameters. */
export class CodedError extends Error {
  constructor(readonly coded: CodedText) {
    super(toEnglish(coded));
  }
}

/** A remark of the service in the story of a job. */
export function noteEntry(coded: CodedText): StoryEntry {
  return { kind: 'note', text: toEnglish(coded), coded };
}
