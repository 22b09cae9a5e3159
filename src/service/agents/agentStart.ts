import type { AgentTask } from './agentDriver';
import { agentEnvironment } from './agentEnvironment';
import type { AgentStart } from './agentProcess';
import { confined } from './confinement';
import { findProgram } from '../../git/findProgram';
import { isBatchFile } from '../../git/programPaths';
import { knownByProgram } from './knownAgents';
import { withoutBatchFile } from './npmShim';

/**
 * What to start for a task: the agent's command, confined where that is wanted, and all that it sees of the environment.
 * Throws TurnFailure when it can't be started.
 */
export async function agentStart(
  supervisor: readonly string[],
  environment: NodeJS.ProcessEnv,
  task: AgentTask,
): Promise<AgentStart> {
  const seen = agentEnvironment(environment, task.variables, task.jobId);
  const plain = await withoutBatchFile(task.command, environment);
  const { command, note } = task.confine
    ? await confined(plain, task, environment)
    : { command: plain, note: undefined };
  if (note !== undefined) {
    task.onEntry({ kind: 'note', text: note });
  }
  const own = await drivenProgram(task, environment, seen);
  return { supervisor, environment, command, agentEnvironment: { ...own, ...seen } };
}

/** An adapter starts the program that the user has installed, and not one that it brings along. */
async function drivenProgram(
  task: AgentTask,
  environment: NodeJS.ProcessEnv,
  seen: Record<string, string>,
): Promise<Record<string, string>> {
  const drives = knownByProgram(task.command[0] ?? '')?.drives;
  if (drives === undefined || drives.variable in seen) {
    return {};
  }
  const path = await findProgram(drives.program, environment);
  // A batch file is nothing that an adapter could start.
  return path === undefined || isBatchFile(path) ? {} : { [drives.variable]: path };
}
