import { backslashesBefore } from './parseTemplate';
import { type Variable, writeVariable } from './readVariable';

/** A template that means this text and these variables. */
export function formatTemplate(parts: readonly (string | Variable)[]): string {
  return parts
    .map((part, index) => (typeof part === 'string' ? escapeText(part, index + 1 < parts.length) : writeVariable(part)))
    .join('');
}

/** Backslashes count only where a `${` follows: in the text itself, or right behind it. */
function escapeText(text: string, beforeVariable: boolean): string {
  const parts = text.split('${');
  return parts.map((part, at) => (beforeVariable || at + 1 < parts.length ? doubled(part) : part)).join('\\${');
}

/** The text with each backslash at its end twice. */
function doubled(text: string): string {
  return text + '\\'.repeat(backslashesBefore(text, text.length));
}
