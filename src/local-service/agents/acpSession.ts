import { setTimeout as delay } from 'node:timers/promises';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';
import {
  type Initialized,
  initializedSchema,
  newSessionSchema,
  type SessionModes,
  sessionModesSchema,
} from './acpMessages';
import type { AcpActivityLog } from './acpActivityLog';
import type { AgentTask } from './agentDriver';
import { fullPrompt, turnPrompt } from './turnPrompt';

/** The protocol version that the service speaks. */
const PROTOCOL_VERSION = 1;

/** How long a loaded session must be quiet until its replay counts as complete, and the limit, in milliseconds. */
const QUIET_MS = 200;
const MAX_REPLAY_MS = 5_000;

/** The note in the activity log when a session is gone. */
export const LOST_NOTE = coded('conversationLost');

/**
 * The agent exited or did not respond when it was asked to reopen the previous turn's session, or it reopened one that
 * it does not have. Every later turn would fail in the same way, so the caller starts over with a new process and a new
 * session.
 */
export class SessionLost extends Error {}

/** What the error response to a prompt says if the agent does not have the session. */
const NOT_FOUND = -32002;
const NO_SESSION =
  /\b(session|conversation|thread)\b.{0,80}\b(not found|unknown|expired|(does not|doesn['’]t|no longer) exist)|\b(no|unknown|invalid|expired) (such )?(session|conversation|thread)\b|not found.{0,20}\bsession\b/i;

/** Whether an error response says that the agent doesn't have the session. */
export function isSessionGone(error: unknown): boolean {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  return code === NOT_FOUND || (typeof code === 'number' && NO_SESSION.test(JSON.stringify([message, data])));
}

/** Sends a request to the agent and resolves with its answer. */
export type Request = (method: string, params: unknown) => Promise<unknown>;

/** An open session and the prompt to send in it. */
export interface OpenSession {
  id: string;
  /** Whether it is the previous turn's, as the agent says: only its response to the prompt shows that. */
  isReopened: boolean;
  prompt: string;
  /** Undefined for an agent that lists none. */
  modes: SessionModes | undefined;
}

/**
 * Initializes the agent and reopens the previous turn's session: resumes it if the agent can, else loads it. Otherwise,
 * or if that fails, starts a new session whose prompt contains the full history. Calls `use` with the id of a session
 * before it is reopened, and with the id of a new one. Throws TurnFailure, SessionLost, or the error of a rejected
 * request.
 */
export async function openSession(
  request: Request,
  task: AgentTask,
  activity: AcpActivityLog,
  use: (session: string) => void,
): Promise<OpenSession> {
  const initialized = await initialize(request);
  if (task.session !== undefined) {
    use(task.session);
    const again = await openAgain(request, task, task.session, initialized, activity).catch((cause: unknown) => {
      throw new SessionLost('couldn’t reopen the session', { cause });
    });
    if (again.state === 'open') {
      return { id: task.session, isReopened: true, prompt: continuationPrompt(task), modes: again.modes };
    }
    activity.note(LOST_NOTE);
    if (again.state === 'empty') {
      return { id: task.session, isReopened: true, prompt: fullPrompt(task), modes: again.modes };
    }
  }
  const answer = await request('session/new', { cwd: task.folder, mcpServers: [] });
  const opened = newSessionSchema.safeParse(answer);
  if (!opened.success) {
    throw new TurnFailure(coded('noSessionName'));
  }
  use(opened.data.sessionId);
  return { id: opened.data.sessionId, isReopened: false, prompt: fullPrompt(task), modes: modesOf(answer) };
}

function modesOf(answer: unknown): SessionModes | undefined {
  const { modes, configOptions } = sessionModesSchema.safeParse(answer).data ?? {};
  const current = configOptions?.find(({ id }) => id === 'mode')?.currentValue;
  return modes ?? (current === undefined ? undefined : { currentModeId: current, availableModes: [] });
}

/** The prompt for a session that remembers. Includes messages of earlier turns that ended before they were sent. */
function continuationPrompt({ earlier, prompt, notice }: AgentTask): string {
  const missing = earlier.filter(({ isInSession }) => !isInSession);
  return turnPrompt(missing, prompt, notice);
}

async function initialize(request: Request): Promise<Initialized> {
  const answer = await request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'docs-agent-jobs', title: 'Docs Agent Jobs', version: '1' },
    // Agents read and write the files in their folder themselves.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const initialized = initializedSchema.safeParse(answer);
  if (!initialized.success || initialized.data.protocolVersion !== PROTOCOL_VERSION) {
    throw new TurnFailure(coded('otherProtocolVersion', { version: PROTOCOL_VERSION }));
  }
  return initialized.data;
}

interface Reopened {
  /** `empty`: the session opened but no longer knows what was said in it. */
  state: 'open' | 'empty' | 'closed';
  modes?: SessionModes | undefined;
}

async function openAgain(
  request: Request,
  task: AgentTask,
  sessionId: string,
  { agentCapabilities }: Initialized,
  activity: AcpActivityLog,
): Promise<Reopened> {
  const params = { sessionId, cwd: task.folder, mcpServers: [] };
  const resume = agentCapabilities?.sessionCapabilities?.resume ?? undefined;
  const resumed = resume === undefined ? undefined : await unlessErrorResponse(request('session/resume', params));
  if (resumed !== undefined) {
    return { state: 'open', modes: modesOf(resumed.answer) };
  }
  if (agentCapabilities?.loadSession !== true) {
    return { state: 'closed' };
  }
  const replay = activity.startReplay();
  try {
    const loaded = await unlessErrorResponse(request('session/load', params));
    await untilQuiet(activity);
    // Seen with Gemini CLI 0.61, which rewrites a session from scratch if it loads it within the minute of its start.
    const hasForgotten = replay.messages === 0;
    return loaded === undefined
      ? { state: 'closed' }
      : { state: hasForgotten ? 'empty' : 'open', modes: modesOf(loaded.answer) };
  } finally {
    activity.endReplay();
  }
}

/** Undefined for an error response. Rethrows any other error, such as that of an agent that has exited. */
export async function unlessErrorResponse(answer: Promise<unknown>): Promise<{ answer: unknown } | undefined> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') {
      return undefined;
    }
    throw error;
  }
}

/** Waits for the replay: some agents respond first and replay the session's history afterwards. */
async function untilQuiet(activity: AcpActivityLog): Promise<void> {
  const start = Date.now();
  for (let now = start; now - Math.max(start, activity.lastUpdate) < QUIET_MS && now - start < MAX_REPLAY_MS;) {
    await delay(QUIET_MS / 4);
    now = Date.now();
  }
}
