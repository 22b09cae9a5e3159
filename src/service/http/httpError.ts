import type { CodedText } from '../../shared/protocol/codedText';
import { toEnglish } from '../codedText';

/** An error response: `{"error": message}` and further fields, with this status and these headers. */
export class HttpError extends Error {
  /** What a person is told; undefined for what only who writes a client needs to read. */
  readonly coded: CodedText | undefined;

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429,
    message: string | CodedText,
    readonly headers: Record<string, string> = {},
    readonly more: Record<string, boolean> = {},
  ) {
    super(typeof message === 'string' ? message : toEnglish(message));
    this.coded = typeof message === 'string' ? undefined : message;
  }
}

/** The handler for all other methods on a path: 405 with the allowed ones (RFC 9110, 15.5.6). */
export function methodNotAllowed(allowed: string): () => never {
  return () => {
    throw new HttpError(405, `Only ${allowed} is allowed here.`, { Allow: allowed });
  };
}

const SQLITE_FULL = 13;

/** Whether an error means that the disk or the user's quota is full. The database has been rolled back then. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: unknown; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode % 256 === SQLITE_FULL;
}
