import { coded, type CodedText } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';
import { agentSecrets } from './agentSecrets';
import { findKnownAgent } from './knownAgents';
import { isLimitMessage, unlessLimit } from './usageLimit';

/** The JSON-RPC error code of the protocol, and its words, which say nothing. */
const AUTH_REQUIRED = -32000;
const PLAIN_WORDS = /^Authentication required\.?$/i;

/** A tool call that the agent was refused. */
export interface RefusedCall {
  title: string;
  /** Whether it would be allowed if the settings allowed commands. */
  needsCommands: boolean;
}

/** The parts of an error response that are read below. */
interface ErrorAnswer {
  code: number;
  message: string;
  data?: unknown;
}

/** The agent responded with an error before it was prompted. */
export class SessionNotOpenedError extends TurnFailure {}

/** The agent that responded with an error, and what is known about it. */
interface RespondingAgent {
  program: string;
  /** Its whole environment. */
  environment: Readonly<Record<string, string>>;
  /** Its last message; undefined before it was prompted. */
  said: string | undefined;
}

/** Converts an error response into an explanation for the user. Returns any other error unchanged. */
export function toUserError(error: unknown, agent: RespondingAgent): unknown {
  if (!isErrorAnswer(error)) {
    return error;
  }
  const plain = redactor(agent);
  const { said = '' } = agent;
  const details = detailsOf(error.data);
  const answer = isLimitMessage(said) ? said : [error.message, details].filter((part) => part !== '').join(': ');
  const text = coded('agentError', { words: oneLine(plain(answer)) });
  const failure = isSignInRequired(error)
    ? new TurnFailure(signInWords(agent, oneLine(plain(said || answer)).replace(PLAIN_WORDS, '')))
    : agent.said === undefined
      ? new SessionNotOpenedError(text)
      : new TurnFailure(text);
  return unlessLimit(failure, `${answer} ${JSON.stringify(error.data)}`);
}

export function isSignInRequired(error: unknown): boolean {
  return isErrorAnswer(error) && error.code === AUTH_REQUIRED;
}

/** The turn failed although the agent reported success. Its last message says why. */
export function toReportedFailure(agent: RespondingAgent): TurnFailure {
  const said = oneLine(redactor(agent)(agent.said ?? ''));
  const isKey = /\b(401|403|authenticat\w*|unauthori[sz]ed|api[ _-]?key|\w+_(KEY|TOKEN))\b/i.test(said);
  return unlessLimit(new TurnFailure(isKey ? signInWords(agent, said) : coded('agentError', { words: said })), said);
}

/** What to do when the agent is not signed in or its key was rejected. */
function signInWords(agent: RespondingAgent, said: string): CodedText {
  const text = notSignedIn(agent);
  return said === '' ? text : coded('saying', { text, words: said });
}

function notSignedIn({ program, environment }: RespondingAgent): CodedText {
  const known = findKnownAgent(program);
  if (known === undefined) {
    return coded('unknownAgentNotSignedIn', { program });
  }
  const { title, signIn, keys } = known;
  const given = keys.find((name) => environment[name] !== undefined);
  return given === undefined
    ? coded('notSignedIn', { title, signIn, variable: keys[0] ?? '' })
    : coded('keyNotAccepted', { title, variable: given });
}

/** Returns a function that redacts the secrets in the agent's environment from what it says. */
function redactor({ environment }: RespondingAgent): (text: string) => string {
  const secrets = agentSecrets(environment);
  return (text) => secrets.redact(text.slice(0, 16_000));
}

const STOP_PROBLEMS: ReadonlyMap<string | undefined, CodedText> = new Map([
  [undefined, coded('unknownEnd')],
  ['refusal', coded('agentRefused')],
  ['max_tokens', coded('modelFull')],
  ['max_turn_requests', coded('stepsUsedUp')],
  ['cancelled', coded('agentStoppedItself')],
]);

/** Why a turn that the agent ended counts as failed; undefined if it may have succeeded, which git determines. */
export function stopProblem(stopReason: string | undefined): CodedText | undefined {
  return STOP_PROBLEMS.get(stopReason);
}

/** Why a turn ended early in which the agent gave up after a refusal, and what the user can do. */
export function refusalText({ title, needsCommands }: RefusedCall): CodedText {
  return coded(needsCommands ? 'commandRefused' : 'callRefused', { title });
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
