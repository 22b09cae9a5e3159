import type { Writable } from 'node:stream';
import type { Logger } from '../base/logger';
import { describeError, type Redactor } from '../base/redact';

/** Logs to a stream, one line per message, and redacts the secrets that the redactor knows. */
export function streamLogger(stream: Writable, redactor: Redactor): Logger {
  const write = (level: string, message: string, error?: unknown): void => {
    const text = error === undefined ? message : `${message}: ${describeError(error)}`;
    stream.write(`${new Date().toISOString()} ${level} ${redactor.redact(text)}\n`);
  };
  return {
    info: (message) => write('info', message),
    warn: (message, error) => write('warning', message, error),
    error: (message, error) => write('error', message, error),
  };
}
