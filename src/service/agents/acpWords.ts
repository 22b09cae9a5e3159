import { TurnFailure } from '../runner/turnFailure';

/** JSON-RPC error codes of the protocol. */
const AUTH_REQUIRED = -32000;

/** A tool call that the agent was refused. */
export interface RefusedCall {
  title: string;
  /** Whether it would have been allowed where commands are. */
  needsCommands: boolean;
}

/** An answer to a request, as far as the words below read it. */
interface ErrorAnswer {
  code: number;
  message: string;
  data?: unknown;
}

/** What went wrong with a request to an agent, in words. What is no answer of the agent is returned as it is. */
export function inWords(error: unknown, program: string): unknown {
  if (!isErrorAnswer(error)) {
    return error;
  }
  if (error.code === AUTH_REQUIRED) {
    return new TurnFailure(
      `The agent “${program}” wants you to sign in. Start it once in a terminal, sign in there, and send the message again.`,
    );
  }
  const details = detailsOf(error.data);
  const said = [error.message, details].filter((part) => part !== '').join(': ');
  return new TurnFailure(`The agent answered with an error: ${oneLine(said)}`);
}

/** Why a turn that the agent ended is no success, in words; undefined when it may be one, which git then tells. */
export function stopProblem(stopReason: string | undefined): string | undefined {
  switch (stopReason) {
    case undefined:
      return 'The agent ended its turn in a form that is not known. Install another version of it.';
    case 'refusal':
      return 'The agent refused to go on with this. Word the message in another way, or choose another agent.';
    case 'max_tokens':
      return 'The agent reached the limit of what its model can hold before it was done. Ask for less at a time.';
    case 'max_turn_requests':
      return 'The agent reached the limit of its steps before it was done. Send a follow-up to let it go on.';
    case 'cancelled':
      return 'The agent stopped by itself before it was done. Send a follow-up to let it go on.';
    default:
      return undefined;
  }
}

/** Why a turn ended early in which the agent gave up when it was refused something, and what to do. */
export function refusedWords({ title, needsCommands }: RefusedCall): string {
  const next = needsCommands
    ? 'Allow commands (setting docsAgent.local.permissions, or --allow-commands), or ask for less'
    : 'Ask for work inside the repository only';
  return `The agent ended when it was refused “${title}”. ${next}, and send a follow-up.`;
}

function isErrorAnswer(error: unknown): error is ErrorAnswer {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}

function detailsOf(data: unknown): string {
  const { details, message } = (data ?? {}) as { details?: unknown; message?: unknown };
  const text = details ?? message ?? data;
  return typeof text === 'string' ? text : '';
}

export function oneLine(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
