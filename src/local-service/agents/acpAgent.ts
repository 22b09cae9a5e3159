import { coded } from '../../protocol/codedText';
import { noteEntry } from '../codedText';
import { LOST_NOTE, SessionLost } from './acpSession';
import type { AcpLimits } from './acpTurn';
import { SessionNotOpenedError } from './acpErrors';
import type { AgentDriver, AgentOutcome, AgentTask } from './agentDriver';
import { SupervisedAgent, withinLimits } from './agentProcess';
import { type Prepared, withAgentStart } from './prepareAgentStart';

const LIMITS: AcpLimits = {
  // Measured on a busy machine: up to 54 s and 44 s.
  startMs: 90_000,
  sessionMs: 60_000,
  cancelMs: 3_000,
  endMs: 200,
  messageBytes: 64 * 1024 * 1024,
};

/**
 * An agent that speaks the Agent Client Protocol (version 1): one process per turn, one session per job.
 *
 * Uses the protocol's own library instead of acpx, which takes about a second to finish each turn and cannot remove a
 * variable from an agent's environment. The supervisor manages the processes either way.
 */
export class AcpAgent implements AgentDriver {
  /** @param supervisor program and arguments that start the service as a supervisor */
  constructor(
    private readonly supervisor: readonly string[],
    private readonly environment: NodeJS.ProcessEnv,
    private readonly limits: AcpLimits = LIMITS,
  ) {}

  async run(task: AgentTask): Promise<AgentOutcome> {
    // Loaded lazily by the first turn that needs the library, before an agent runs that would have to wait for it.
    const { acpTurn } = await import('./acpTurn');
    task.signal.throwIfAborted();
    return withAgentStart(this.supervisor, this.environment, task, (start) => this.runAgent(acpTurn, task, start));
  }

  private async runAgent(
    acpTurn: typeof import('./acpTurn').acpTurn,
    task: AgentTask,
    prepared: Prepared,
  ): Promise<AgentOutcome> {
    let start = { ...prepared, finishMs: this.limits.finishMs };
    const begun = Date.now();
    const attempt = async (each: AgentTask): Promise<AgentOutcome> => {
      const agent = new SupervisedAgent(start, each);
      const outcome = await withinLimits(each, agent, (stopping) => acpTurn(each, agent, stopping, this.limits));
      const blocked = agent.blocked?.text;
      return { ...outcome, ...(blocked && { blocked }) };
    };
    const again = (more: Partial<AgentTask>): Promise<AgentOutcome> =>
      attempt({ ...task, ...more, timeoutMs: Math.max(1, task.timeoutMs - (Date.now() - begun)) });
    try {
      return await attempt(task);
    } catch (error) {
      const { driven } = start;
      if (error instanceof SessionNotOpenedError && driven !== undefined) {
        // The installed program may be older than the adapter expects. Retry with the one that most adapters bundle.
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
