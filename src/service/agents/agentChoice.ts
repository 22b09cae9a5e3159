import { isAbsolute } from 'node:path';
import type { FoundAgent, ProjectSettings } from '../../shared/protocol/localService';
import { TurnFailure } from '../runner/turnFailure';
import { findProgram } from '../../git/findProgram';
import { KNOWN_AGENTS, type KnownAgent, variablesOf } from './knownAgents';

/** The agent that does a project's jobs. */
export interface ChosenAgent {
  /** As the settings name it; `custom` for the user's own. */
  name: string;
  title: string;
  /** Program and arguments. */
  command: readonly string[];
  protocol: 'acp' | 'stdin';
  /** Names of the variables that it sees beyond those that each program sees. */
  variables: readonly string[];
}

/** Chooses among the agents that are installed. Nothing is run to find out, and nothing is ever installed. */
export class AgentChoice {
  /** @param environment the service's own, with the PATH that programs are looked for on */
  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** The agent that the settings name. Throws TurnFailure, in words that say how to get it. */
  async choose(settings: ProjectSettings): Promise<ChosenAgent> {
    if (settings.agent === 'custom') {
      return this.custom(settings);
    }
    if (settings.agent === 'auto') {
      return this.first(settings);
    }
    const agent = KNOWN_AGENTS.find(({ name }) => name === settings.agent);
    if (agent === undefined) {
      const names = KNOWN_AGENTS.map(({ name }) => name).join(', ');
      throw new TurnFailure(`There is no agent named “${settings.agent}”. Choose auto, custom, or one of ${names}.`);
    }
    const { path, how } = await this.find(agent);
    if (path === null) {
      throw new TurnFailure(`${how} Or choose another agent (docsAgent.local.agent, or --agent).`);
    }
    return this.chosen(agent, path, settings);
  }

  /** The known agents, first choice first, with what was found of each. */
  list(): Promise<FoundAgent[]> {
    return Promise.all(KNOWN_AGENTS.map((agent) => this.find(agent)));
  }

  private async custom({ command, protocol, variables }: ProjectSettings): Promise<ChosenAgent> {
    const [program, ...args] = command;
    if (program === undefined || program === '') {
      throw new TurnFailure('The settings name an agent of your own and no command for it. Name its program there.');
    }
    const title = program.split(/[/\\]/).at(-1) ?? program;
    if (title !== program && !isAbsolute(program)) {
      // It would be taken from the work folder, that is from the repository.
      throw new TurnFailure(
        `“${program}” is a path from the folder of the repository, and nothing in a repository decides what runs. Name the program by its absolute path (docsAgent.local.agentCommand, or --agent-command).`,
      );
    }
    // Windows would look in the work folder before the PATH.
    const path = title === program ? await findProgram(program, this.environment) : program;
    if (path === undefined) {
      throw new TurnFailure(
        `The agent program “${program}” was not found. Install it, or choose another agent (docsAgent.local.agent, or --agent).`,
      );
    }
    return { name: 'custom', title, command: [path, ...args], protocol, variables };
  }

  private async first(settings: ProjectSettings): Promise<ChosenAgent> {
    const found = await this.list();
    const index = found.findIndex(({ path }) => path !== null);
    const [agent, path] = [KNOWN_AGENTS[index], found[index]?.path];
    if (agent !== undefined && typeof path === 'string') {
      return this.chosen(agent, path, settings);
    }
    const nearly = KNOWN_AGENTS.find(({ title }, at) => found[at]?.how.startsWith(`${title} is installed`));
    const hint = nearly === undefined ? '' : ` ${found[KNOWN_AGENTS.indexOf(nearly)]?.how ?? ''}`;
    const titles = KNOWN_AGENTS.map(({ title }) => title).join(', ');
    throw new TurnFailure(
      `No coding agent was found.${hint} Install one (${titles}), or name your own command (docsAgent.local.agentCommand, or --agent-command).`,
    );
  }

  private chosen(agent: KnownAgent, path: string, settings: ProjectSettings): ChosenAgent {
    const { name, title, command } = agent;
    const variables = [...new Set([...variablesOf(agent, this.environment), ...settings.variables])];
    return { name, title, command: [path, ...command.slice(1)], protocol: 'acp', variables };
  }

  private async find(agent: KnownAgent): Promise<FoundAgent> {
    const { name, title, command, drives } = agent;
    const [path, own] = await Promise.all([
      findProgram(command[0], this.environment),
      drives === undefined ? undefined : findProgram(drives.program, this.environment),
    ]);
    return { name, title, path: path ?? null, how: how(agent, path, own) };
  }
}

function how({ title, command, drives, install }: KnownAgent, path: string | undefined, own: string | undefined) {
  const get = install.startsWith('see ') ? `To get it, ${install}.` : `Get it with “${install}”.`;
  if (path !== undefined) {
    return own === undefined ? `Found at ${path}.` : `Found at ${path}; it starts ${own}.`;
  }
  return drives !== undefined && own !== undefined
    ? `${title} is installed (${own}), its adapter “${command[0]}” is not. ${get}`
    : `${title} is not installed: “${command[0]}” was not found. ${get}`;
}
