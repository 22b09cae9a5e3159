/** The states after which polling ends (service specification: "poll until completed, archived, or failed"). */
const TERMINAL_STATUSES = ['completed', 'failed', 'archived'] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** True when a job in this state changes only through a follow-up. A status that is not known is not terminal. */
export function isTerminal(status: string | undefined): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly (string | undefined)[]).includes(status);
}
