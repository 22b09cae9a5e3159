import { coded } from '../../protocol/codedText';
import { noteEntry } from '../codedText';
import { LOST_NOTE, type OpenSession, type Request, SessionLost } from './acpSession';
import type { AcpStory } from './acpStory';
import type { AcpLimits } from './acpTurn';
import { NotOpened } from './acpWords';
import type { AgentDriver, AgentOutcome, AgentTask } from './agentDriver';
import { SupervisedAgent, withinLimits } from './agentProcess';
import { agentStart } from './agentStart';
import type { KnownAgent } from './knownAgents';

const LIMITS: AcpLimits = {
  startMs: 60_000,
  reopenMs: 30_000,
  cancelMs: 3_000,
  endMs: 200,
  messageBytes: 16 * 1024 * 1024,
};

/**
 * An agent that speaks the Agent Client Protocol (version 1): a process a turn, a session a job.
 *
 * It stands on the protocol's own library and not on acpx, which waits about a second at the end of each turn and can't
 * take a variable out of an agent's environment; the processes are the supervisor's matter either way.
 */
export class AcpAgent implements AgentDriver {
  /** @param supervisor program and arguments by which the service starts itself as a supervisor */
  constructor(
    private readonly supervisor: readonly string[],
    private readonly environment: NodeJS.ProcessEnv,
    private readonly limits: AcpLimits = LIMITS,
  ) {}

  async run(task: AgentTask): Promise<AgentOutcome> {
    // Late: the library is loaded by the first turn that needs it, before there is an agent that would wait for it.
    const { acpTurn } = await import('./acpTurn');
    task.signal.throwIfAborted();
    let start = await agentStart(this.supervisor, this.environment, task);
    const begun = Date.now();
    const attempt = (each: AgentTask): Promise<AgentOutcome> => {
      const agent = new SupervisedAgent(start, each);
      return withinLimits(each, agent, (stopping) => acpTurn(each, agent, stopping, this.limits));
    };
    const again = (more: Partial<AgentTask>): Promise<AgentOutcome> =>
      attempt({ ...task, ...more, timeoutMs: Math.max(1, task.timeoutMs - (Date.now() - begun)) });
    try {
      return await attempt(task);
    } catch (error) {
      const { driven } = start;
      if (error instanceof NotOpened && driven !== undefined) {
        // One that is older than the adapter expects; most adapters bring one along.
        const agentEnvironment = { ...start.agentEnvironment };
        Reflect.deleteProperty(agentEnvironment, driven.variable);
        start = { ...start, agentEnvironment, driven: undefined };
        const { program, path } = driven;
        task.onEntry(noteEntry(coded('ownProgramNotUsed', { path, program, why: error.coded })));
        return again({});
      }
      if (!(error instanceof SessionLost)) {
        throw error;
      }
      task.onEntry(noteEntry(LOST_NOTE));
      return again({ session: undefined });
    }
  }
}

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
