import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { coded } from '../../protocol/codedText';
import type { ProjectSettings } from '../../protocol/localService';
import { AcpAgent } from '../agents/acpAgent';
import type { AgentDriver } from '../agents/agentDriver';
import { startSupervisor } from '../agents/agentProcess';
import type { AgentSelector, ChosenAgent } from '../agents/agentSelector';
import { CommandAgent } from '../agents/commandAgent';
import { KNOWN_AGENTS } from '../agents/knownAgents';
import { findAgentSettings, restoreAgentSettings, withholdAgentSettings } from '../agents/repositorySettings';
import { shownPaths } from '../text';
import type { TurnActivityLog } from './turnActivityLog';

/**
 * Runs an agent without the coding-agent settings that the repository contains, unless the user allows them, and notes
 * them in the activity log. Such settings could run programs of the repository, or send the user's key elsewhere,
 * without asking anyone. They are restored before this returns, so that the commit does not include their removal.
 *
 * @param run called with the paths that are left out
 */
export async function withoutRepositorySettings<T>(
  work: string,
  isAllowed: boolean,
  activity: Pick<TurnActivityLog, 'note'>,
  run: (leftOut: readonly string[]) => Promise<T>,
): Promise<T> {
  const aside = join(dirname(work), 'agent-settings');
  const noteNames = (
    code: 'settingsInForce' | 'settingsLeftOut' | 'linksLeftOut' | 'settingsWritten',
    paths: string[],
  ) => {
    const names = shownPaths(paths);
    if (names !== undefined) {
      activity.note(coded(code, { names }));
    }
  };
  // A run of the service that was killed may have left them there.
  await restoreAgentSettings(work, aside);
  if (isAllowed) {
    noteNames('settingsInForce', await findAgentSettings(work));
    return runTidily(work, () => run([]));
  }
  const { settings, links } = await withholdAgentSettings(work, aside);
  noteNames('settingsLeftOut', settings);
  noteNames('linksLeftOut', links);
  try {
    return await runTidily(work, () => run([...settings, ...links]));
  } finally {
    try {
      noteNames('settingsWritten', await findAgentSettings(work));
    } finally {
      await restoreAgentSettings(work, aside);
    }
  }
}

/** What agents leave in their work folder for themselves. */
const LEAVES = KNOWN_AGENTS.flatMap(({ leaves = [] }) => leaves);

/** Removes afterwards what an agent has left for itself, and not what was there before. */
async function runTidily<T>(work: string, run: () => Promise<T>): Promise<T> {
  const leavesIn = () => LEAVES.filter((path) => existsSync(join(work, path)));
  const before = leavesIn();
  try {
    return await run();
  } finally {
    const left = leavesIn().filter((path) => !before.includes(path));
    await Promise.all(left.map((path) => rm(join(work, path), { force: true })));
    // If it is empty.
    await Promise.all(LEAVES.map((path) => rmdir(join(work, dirname(path))).catch(() => undefined)));
  }
}

/** Provides the agent that a project's settings ask for, and its driver. */
export interface AgentSource {
  /** Throws TurnFailure, with a message for the user, when the agent is not installed. */
  choose(settings: ProjectSettings): Promise<ChosenAgent & { driver: AgentDriver }>;
  /** Starts a process that an agent of the job needs, which takes as long as the clones. */
  startSupervisor?: (jobId: string) => ChildProcess;
}

/**
 * Chooses among the installed agents.
 *
 * @param supervisor program and arguments that start the service as a supervisor
 * @param environment the service's own
 */
export function agentSource(
  choice: AgentSelector,
  supervisor: readonly string[],
  environment: NodeJS.ProcessEnv,
): AgentSource {
  const drivers = { acp: new AcpAgent(supervisor, environment), stdin: new CommandAgent(supervisor, environment) };
  return {
    async choose(settings) {
      const chosen = await choice.choose(settings);
      return { ...chosen, driver: drivers[chosen.protocol] };
    },
    startSupervisor: (jobId) => startSupervisor(supervisor, environment, jobId),
  };
}

/**
 * Identifies the agent that a session belongs to. Includes the command of a custom agent, since two custom agents may
 * be different programs.
 */
export function sessionOwner({ name, command }: Pick<ChosenAgent, 'name' | 'command'>): string {
  return name === 'custom' ? `custom ${JSON.stringify(command)}` : name;
}
