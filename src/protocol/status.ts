import { MAX_ID } from '../base/limits';

/** The states after which polling ends (service specification: "poll until completed, archived, or failed"). */
export const TERMINAL_STATUSES = ['completed', 'failed', 'archived'] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** True if a job in this state changes only through a follow-up. An unknown status is not terminal. */
export function isTerminal(status: string | undefined): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly (string | undefined)[]).includes(status);
}

/** The body of the two POSTs of the agent job API, exactly as it is sent. */
export function promptBody(prompt: string): string {
  return JSON.stringify({ prompt });
}

/** Returns the size of the body on the wire, in bytes. */
export function promptBodyBytes(prompt: string): number {
  return Buffer.byteLength(promptBody(prompt));
}

/**
 * True for a job or project id that may be used in a path. `encodeURIComponent` leaves `.` and `..` as they are, and a
 * path with these would name another resource; a lone surrogate has no encoding at all.
 */
export function isPathSafeId(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.length <= MAX_ID && !/[\p{Cc}\p{Cs}]/u.test(id);
}
