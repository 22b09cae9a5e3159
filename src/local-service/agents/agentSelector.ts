import { isAbsolute } from 'node:path';
import { findProgram } from '../../git/programPaths';
import { coded, type CodedText } from '../../protocol/codedText';
import type { FoundAgent, ProjectSettings } from '../../protocol/localService';
import { toEnglish } from '../codedText';
import { TurnFailure } from '../turnFailure';
import { DEMO, foundDemoAgent } from './demoAgent';
import { commandTitle, KNOWN_AGENTS, type KnownAgent, variablesOf } from './knownAgents';

/** The agent that runs a project's jobs. */
export interface ChosenAgent {
  /** Its name in the settings; `custom` for the user's own command. */
  name: string;
  title: string;
  /** Program and arguments. */
  command: readonly string[];
  protocol: 'acp' | 'stdin';
  /** Names of the environment variables that it gets in addition to those that every program gets. */
  variables: readonly string[];
}

/** Chooses among the installed agents. It neither runs nor installs anything. */
export class AgentSelector {
  /**
   * @param environment the service's own; programs are looked up on its PATH
   * @param demo the demo agent's file, if there is one
   */
  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly demo?: string,
  ) {}

  /** Returns the agent that the settings name. Throws TurnFailure, which says how to get it. */
  async choose(settings: ProjectSettings): Promise<ChosenAgent> {
    if (settings.agent === 'custom') {
      return this.custom(settings);
    }
    if (settings.agent === 'auto') {
      return this.first(settings);
    }
    if (settings.agent === DEMO.name && this.demo !== undefined) {
      const { variables } = settings;
      return { ...DEMO, command: [process.execPath, this.demo], protocol: 'stdin', variables };
    }
    const agent = KNOWN_AGENTS.find(({ name }) => name === settings.agent);
    if (agent === undefined) {
      const names = KNOWN_AGENTS.map(({ name }) => name).join(', ');
      throw new TurnFailure(coded('agentUnknown', { name: settings.agent, names }));
    }
    const { path, coded: how } = await this.find(agent);
    if (path === null) {
      throw new TurnFailure(coded('agentMissing', { how }));
    }
    return this.chosen(agent, path, settings);
  }

  /** The known agents in order of preference, with what was found of each. */
  list(): Promise<(FoundAgent & { coded: CodedText })[]> {
    return Promise.all(KNOWN_AGENTS.map((agent) => this.find(agent)));
  }

  /** The demo agent, which is never chosen automatically. */
  listDemo(): FoundAgent[] {
    return this.demo === undefined ? [] : [foundDemoAgent(this.demo)];
  }

  private async custom({ command, protocol, variables }: ProjectSettings): Promise<ChosenAgent> {
    const [program, ...args] = command;
    if (program === undefined || program === '') {
      throw new TurnFailure(coded('noOwnCommand'));
    }
    const name = program.split(/[/\\]/).at(-1) ?? program;
    if (name !== program && !isAbsolute(program)) {
      // It would be resolved in the work folder, that is, in the repository.
      throw new TurnFailure(coded('ownProgramIsRelative', { program }));
    }
    // Windows would look in the work folder before the PATH.
    const path = name === program ? await findProgram(program, this.environment) : program;
    if (path === undefined) {
      throw new TurnFailure(coded('programNotFound', { program }));
    }
    return { name: 'custom', title: commandTitle(command), command: [path, ...args], protocol, variables };
  }

  private async first(settings: ProjectSettings): Promise<ChosenAgent> {
    const found = await this.list();
    const index = found.findIndex(({ path }) => path !== null);
    const [agent, path] = [KNOWN_AGENTS[index], found[index]?.path];
    if (agent !== undefined && typeof path === 'string') {
      return this.chosen(agent, path, settings);
    }
    const how = found.map((each) => each.coded).find(({ code }) => code === 'adapterNotInstalled');
    const titles = KNOWN_AGENTS.map(({ title }) => title).join(', ');
    throw new TurnFailure(
      how === undefined ? coded('noAgent', { titles }) : coded('onlyAdapterMissing', { how, titles }),
    );
  }

  private chosen(agent: KnownAgent, path: string, settings: ProjectSettings): ChosenAgent {
    const { name, title, command } = agent;
    const variables = [...new Set([...variablesOf(agent, this.environment), ...settings.variables])];
    return { name, title, command: [path, ...command.slice(1)], protocol: 'acp', variables };
  }

  private async find(agent: KnownAgent): Promise<FoundAgent & { coded: CodedText }> {
    const { name, title, command, drives } = agent;
    const [path, own] = await Promise.all([
      findProgram(command[0], this.environment),
      drives === undefined ? undefined : findProgram(drives.program, this.environment),
    ]);
    const text = how(agent, path, own);
    return { name, title, path: path ?? null, how: toEnglish(text), coded: text };
  }
}

function how({ title, command, drives, install }: KnownAgent, path: string | undefined, own: string | undefined) {
  if (path !== undefined) {
    return own === undefined ? coded('agentFound', { path }) : coded('agentFoundWithProgram', { path, program: own });
  }
  const [program] = command;
  if (drives === undefined) {
    return coded('agentNotInstalled', { title, program, get: install });
  }
  return own === undefined
    ? coded('agentAndAdapterNotInstalled', { title, program, get: install })
    : coded('adapterNotInstalled', { title, path: own, program, get: install });
}
