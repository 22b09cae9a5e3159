import type { Writable } from 'node:stream';
import type { Logger } from '../base/logger';
import { describeError, type Redactor } from '../base/redact';

const LINE_BREAK = /\r?\n/g;

/** What a terminal may obey or show as a new line. Tabs and line breaks are harmless once lines are indented. */
const CONTROL = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;

/**
 * Logs to a stream and redacts the secrets that the redactor knows. Messages may contain what an agent or a server has
 * said, so only the first line of each starts at the margin, and control characters are escaped.
 */
export function streamLogger(stream: Writable, redactor: Redactor): Logger {
  const write = (level: string, message: string, error?: unknown): void => {
    const text = error === undefined ? message : `${message}: ${describeError(error)}`;
    const shown = redactor.redact(text).replace(LINE_BREAK, '\n  ').replace(CONTROL, toEscape);
    stream.write(`${new Date().toISOString()} ${level} ${shown}\n`);
  };
  return {
    info: (message) => write('info', message),
    warn: (message, error) => write('warning', message, error),
    error: (message, error) => write('error', message, error),
  };
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
