import { setTimeout as delay } from 'node:timers/promises';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import { withTimeout } from '../text';
import {
  type Initialized,
  initializedSchema,
  newSessionSchema,
  type SessionModes,
  sessionModesSchema,
} from './acpMessages';
import type { AcpStory } from './acpStory';
import type { AgentTask } from './agentDriver';
import { toldAnew, turnPrompt } from './turnPrompt';

/** The version of the protocol that is spoken here. */
const PROTOCOL_VERSION = 1;

/** How long a session that was loaded must have been quiet before its past is taken as told, and at most, in milliseconds. */
const QUIET_MS = 200;
const MAX_REPLAY_MS = 5_000;

/** What the story says of a session that is gone. */
export const LOST_NOTE = coded('conversationLost');

/**
 * The agent ended, or was silent, when it was to open the session of the turn before again. So it would at each turn to
 * come: another process of it is to begin anew.
 */
export class SessionLost extends Error {}

/** Sends a request to the agent and resolves with its answer. */
export type Request = (method: string, params: unknown) => Promise<unknown>;

/** A session that is open, and what the agent is to be told in it. */
export interface OpenSession {
  id: string;
  prompt: string;
  /** Undefined for an agent that lists none. */
  modes: SessionModes | undefined;
}

/**
 * Greets the agent and opens the session of the turn before: resumed where it can, else loaded, else, and when that
 * fails, a new one that is told everything anew. `use` is called with the id of a session before it is opened again.
 * Throws TurnFailure, SessionLost, and what a request rejects with.
 */
export async function openSession(
  request: Request,
  task: AgentTask,
  story: AcpStory,
  reopenMs: number,
  use: (session: string) => void,
): Promise<OpenSession> {
  const initialized = await initialize(request);
  if (task.session !== undefined) {
    use(task.session);
    const opening = openAgain(request, task, task.session, initialized, story);
    const again = await withTimeout(opening, reopenMs, () => new Error('silent')).catch((cause: unknown) => {
      throw new SessionLost('the session could not be opened again', { cause });
    });
    if (again.state === 'open') {
      return { id: task.session, prompt: toldOn(task), modes: again.modes };
    }
    story.note(LOST_NOTE);
    if (again.state === 'empty') {
      return { id: task.session, prompt: toldAnew(task), modes: again.modes };
    }
  }
  const answer = await request('session/new', { cwd: task.folder, mcpServers: [] });
  const opened = newSessionSchema.safeParse(answer);
  if (!opened.success) {
    throw new TurnFailure(coded('noSessionName'));
  }
  use(opened.data.sessionId);
  return { id: opened.data.sessionId, prompt: toldAnew(task), modes: modesOf(answer) };
}

function modesOf(answer: unknown): SessionModes | undefined {
  return sessionModesSchema.safeParse(answer).data?.modes;
}

/** What the session has not heard: also messages of turns that ended before theirs was sent. */
function toldOn({ earlier, prompt, notice }: AgentTask): string {
  const unheard = earlier.filter(({ told }) => !told);
  return turnPrompt(unheard, prompt, notice);
}

async function initialize(request: Request): Promise<Initialized> {
  const answer = await request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'docs-agent-jobs', title: 'Docs Agent Jobs', version: '1' },
    // Agents read and write files themselves, in their folder.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const initialized = initializedSchema.safeParse(answer);
  if (!initialized.success || initialized.data.protocolVersion !== PROTOCOL_VERSION) {
    throw new TurnFailure(coded('otherProtocolVersion', { version: PROTOCOL_VERSION }));
  }
  return initialized.data;
}

interface Reopened {
  /** `empty` is a session that opens and has forgotten what was said in it. */
  state: 'open' | 'empty' | 'closed';
  modes?: SessionModes | undefined;
}

async function openAgain(
  request: Request,
  task: AgentTask,
  sessionId: string,
  { agentCapabilities }: Initialized,
  story: AcpStory,
): Promise<Reopened> {
  const params = { sessionId, cwd: task.folder, mcpServers: [] };
  const resume = agentCapabilities?.sessionCapabilities?.resume ?? undefined;
  const resumed = resume === undefined ? undefined : await answered(request('session/resume', params));
  if (resumed !== undefined) {
    return { state: 'open', modes: modesOf(resumed.answer) };
  }
  if (agentCapabilities?.loadSession !== true) {
    return { state: 'closed' };
  }
  const replay = story.startReplay();
  try {
    const loaded = await answered(request('session/load', params));
    await untilQuiet(story);
    // Seen with Gemini CLI 0.61, which writes down a session anew that it loads within the minute of its start.
    const hasForgotten = replay.messages === 0;
    return loaded === undefined
      ? { state: 'closed' }
      : { state: hasForgotten ? 'empty' : 'open', modes: modesOf(loaded.answer) };
  } finally {
    story.endReplay();
  }
}

/** Undefined for an answer that is an error; an agent that has gone answers nothing, which is another matter. */
async function answered(answer: Promise<unknown>): Promise<{ answer: unknown } | undefined> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') {
      return undefined;
    }
    throw error;
  }
}

/** Some agents answer first and tell the session's past then. */
async function untilQuiet(story: AcpStory): Promise<void> {
  const start = Date.now();
  for (let now = start; now - Math.max(start, story.lastUpdate) < QUIET_MS && now - start < MAX_REPLAY_MS;) {
    await delay(QUIET_MS / 4);
    now = Date.now();
  }
}
