import type { ProjectSettings } from '../../shared/protocol/localService';
import type { AgentDriver } from '../agents/agentDriver';

/** The agent that does a turn. */
export interface ChosenAgent {
  /** By which its sessions are told from those of another agent. */
  name: string;
  /** What a job shows as its model. */
  title: string;
  /** Program and arguments. */
  command: readonly string[];
  driver: AgentDriver;
}

/** Chooses the agent that a project's settings ask for. */
export interface AgentSource {
  /** Throws TurnFailure, in words for the user, when it is not installed. */
  choose(settings: ProjectSettings): Promise<ChosenAgent>;
}
