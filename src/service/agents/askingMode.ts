import { coded } from '../../shared/protocol/codedText';
import type { AgentTask } from './agentDriver';
import type { AcpStory } from './acpStory';
import type { OpenSession, Request } from './acpSession';
import type { KnownAgent } from './knownAgents';

/**
 * Puts a session into the mode in which the agent asks before it acts. An agent may start in another one, such as
 * Claude Code in `auto`, and a session that is resumed keeps the mode it had. What can’t be switched is told in the story.
 */
export async function setAskingMode(
  request: Request,
  agent: KnownAgent | undefined,
  task: Pick<AgentTask, 'mayRunCommands'>,
  { id, modes }: OpenSession,
  story: AcpStory,
): Promise<void> {
  const { mode, gap } = agent?.asking ?? {};
  const wanted = mode?.[task.mayRunCommands ? 'commands' : 'edits'];
  if (!task.mayRunCommands && gap !== undefined) {
    story.note(gap);
  }
  if (agent === undefined || wanted === undefined || modes?.currentModeId === wanted) {
    return;
  }
  const isListed = modes?.availableModes.some((each) => each.id === wanted) === true;
  const isSet = isListed && (await request('session/set_mode', { sessionId: id, modeId: wanted }).then(yes, no));
  if (!isSet) {
    story.note(coded('modeNotSet', { title: agent.title, mode: wanted }));
  }
}

const yes = (): boolean => true;

/** An answer that is an error; an agent that has gone fails the turn. */
function no(error: unknown): boolean {
  if (typeof (error as { code?: unknown }).code === 'number') {
    return false;
  }
  throw error;
}
