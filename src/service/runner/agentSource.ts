import type { ProjectSettings } from '../../shared/protocol/localService';
import type { AgentChoice, ChosenAgent } from '../agents/agentChoice';
import type { AgentDriver } from '../agents/agentDriver';
import type { Agents } from '../agents/agents';

/** The agent that a project's settings ask for, and how it is spoken to. */
export interface AgentSource {
  /** Throws TurnFailure, in words for the user, when it is not installed. */
  choose(settings: ProjectSettings): Promise<ChosenAgent & { driver: AgentDriver }>;
}

/** Chooses by what is installed. */
export function agentSource(choice: AgentChoice, agents: Agents): AgentSource {
  return {
    async choose(settings) {
      const chosen = await choice.choose(settings);
      return { ...chosen, driver: agents.driver(chosen.protocol) };
    },
  };
}

/** By what a session is told from those of other agents: two that are the user's own may be different programs. */
export function sessionOwner({ name, command }: Pick<ChosenAgent, 'name' | 'command'>): string {
  return name === 'custom' ? `custom ${JSON.stringify(command)}` : name;
}
