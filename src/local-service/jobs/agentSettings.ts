import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Git } from '../../git/git';
import { coded } from '../../protocol/codedText';
import type { ProjectSettings } from '../../protocol/localService';
import type { AgentSelector, AgentDrivers, ChosenAgent } from '../agents/agentSelector';
import type { AgentDriver } from '../agents/agentDriver';
import { renamePackageFields, restorePackageFields } from '../agents/packagePrograms';
import { findAgentSettings, restoreAgentSettings, namesOf, withholdAgentSettings } from '../agents/repositorySettings';
import type { JobFolders } from '../git/jobClone';
import type { TurnActivityLog } from './turnActivityLog';

/**
 * Runs an agent without the coding-agent settings that the repository contains, unless the user allows them, and notes
 * them in the activity log. Such settings could run programs of the repository, or send the user's key elsewhere,
 * without asking anyone. They are restored before this returns, so that the commit does not include their removal.
 *
 * @param run called with the paths that are left out
 */
export async function withoutRepositorySettings<T>(
  git: Git,
  { work, hostGit }: JobFolders,
  isAllowed: boolean,
  activity: Pick<TurnActivityLog, 'note'>,
  run: (leftOut: readonly string[]) => Promise<T>,
): Promise<T> {
  const aside = join(dirname(work), 'agent-settings');
  const tracked = () => trackedFolders(git, hostGit);
  // A run of the service that was killed may have left them there.
  await restoreSettings(work, aside);
  if (isAllowed) {
    const found = await findAgentSettings(work, tracked);
    if (found.length > 0) {
      activity.note(coded('settingsInForce', { names: namesOf(found) }));
    }
    return run([]);
  }
  const areRenamed = await renamePackageFields(work);
  const { settings, links } = await withholdAgentSettings(work, aside, tracked);
  if (settings.length > 0) {
    activity.note(coded('settingsLeftOut', { names: namesOf(settings) }));
  }
  if (areRenamed) {
    activity.note(coded('packageFieldsRenamed'));
  }
  if (links.length > 0) {
    activity.note(coded('linksLeftOut', { names: namesOf(links) }));
  }
  try {
    return await run([...settings, ...links]);
  } finally {
    try {
      const written = await findAgentSettings(work, tracked);
      if (written.length > 0) {
        activity.note(coded('settingsWritten', { names: namesOf(written) }));
      }
    } finally {
      await restoreSettings(work, aside);
    }
  }
}

async function restoreSettings(work: string, aside: string): Promise<void> {
  await restoreAgentSettings(work, aside);
  await restorePackageFields(work);
}

/** Lists the folders in the newest commit of the job's branch, which is what the agent finds. */
async function trackedFolders(git: Git, hostGit: string): Promise<string[]> {
  const place = { folder: hostGit, gitDir: hostGit };
  const printed = await git.run(place, ['ls-tree', '-r', '-d', '-z', '--name-only', 'HEAD']);
  return printed.split('\0').filter((path) => path !== '');
}

/** Provides the agent that a project's settings ask for, and its driver. */
export interface AgentSource {
  /** Throws TurnFailure, with a message for the user, when the agent is not installed. */
  choose(settings: ProjectSettings): Promise<ChosenAgent & { driver: AgentDriver }>;
  /** Starts a process that an agent of the job needs, which takes as long as the clones. */
  startSupervisor?: (jobId: string) => ChildProcess;
}

/** Chooses among the installed agents. */
export function agentSource(choice: AgentSelector, agents: AgentDrivers): AgentSource {
  return {
    async choose(settings) {
      const chosen = await choice.choose(settings);
      return { ...chosen, driver: agents.driver(chosen.protocol) };
    },
    startSupervisor: (jobId) => agents.startSupervisor(jobId),
  };
}

/**
 * Identifies the agent that a session belongs to. Includes the command of a custom agent, since two custom agents may
 * be different programs.
 */
export function sessionOwner({ name, command }: Pick<ChosenAgent, 'name' | 'command'>): string {
  return name === 'custom' ? `custom ${JSON.stringify(command)}` : name;
}
