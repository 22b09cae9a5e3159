import { coded } from '../../protocol/codedText';
import { noteEntry } from '../codedText';
import { TurnFailure } from '../turnFailure';
import { cutText } from '../text';
import type { AgentDriver, AgentOutcome, AgentTask } from './agentDriver';
import { FINISH_MS, SupervisedAgent, withinLimits } from './agentProcess';
import { isDemoAgent } from './demoAgent';
import { withAgentStart } from './prepareAgentStart';
import { fullPrompt } from './turnPrompt';
import { isLimitMessage, unlessLimit } from './usageLimit';

/** How many of an agent's last lines count as its message to the user, and how many characters of them. */
const LAST_LINES = 20;
const LAST_CHARACTERS = 4_000;

/** An agent that is a plain program: prompt on standard input, work in the folder, exit code 0 on success. */
export class CommandAgent implements AgentDriver {
  /** @param supervisor program and arguments that start the service as a supervisor */
  constructor(
    private readonly supervisor: readonly string[],
    private readonly environment: NodeJS.ProcessEnv,
    private readonly finishMs = FINISH_MS,
  ) {}

  async run(task: AgentTask): Promise<AgentOutcome> {
    task.signal.throwIfAborted();
    if (!task.mayRunCommands && !isDemoAgent(task.command)) {
      task.onEntry(noteEntry(coded('mayNotAsk')));
    }
    return withAgentStart(this.supervisor, this.environment, task, (start) =>
      this.runAgent(task, new SupervisedAgent({ ...start, finishMs: this.finishMs }, task)),
    );
  }

  private async runAgent(task: AgentTask, agent: SupervisedAgent): Promise<AgentOutcome> {
    await withinLimits(task, agent, async (limits) => {
      limits.addEventListener('abort', () => agent.stop());
      if (limits.aborted) {
        agent.stop();
      }
      await agent.started;
      agent.stdin?.end(fullPrompt(task));
      await agent.end();
      const text = cutText(agent.secrets.redactSecrets(agent.said.lastLines(LAST_LINES)), LAST_CHARACTERS);
      if (text !== '') {
        task.onEntry({ kind: 'message', text });
      }
      limits.throwIfAborted();
      const problem = agent.problem();
      const lastLine = agent.secrets.redactSecrets(agent.said.lastLine());
      if (problem !== undefined || isLimitMessage(lastLine)) {
        const failure = problem ?? coded('agentError', { words: lastLine });
        throw unlessLimit(new TurnFailure(failure), `${lastLine}\n${agent.problemLine()}`);
      }
    });
    const endedEarly = agent.left === undefined ? {} : { endedEarly: agent.endedEarly(agent.left) };
    const blocked = agent.blocked?.text;
    return { summary: '', ...endedEarly, ...(blocked && { blocked }) };
  }
}
