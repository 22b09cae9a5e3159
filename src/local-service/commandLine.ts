import { parseArgs } from 'node:util';
import { isWithheldVariable, type ProjectSettings, VARIABLE_NAME } from '../protocol/localService';
import { KNOWN_AGENTS } from './agents/knownAgents';

/** Thrown when the service was started incorrectly. The message is for the user. */
export class UsageError extends Error {}

/** The settings that are given for the named repositories; see `projectSettingsSchema`. */
export type SettingsOverrides = Partial<ProjectSettings>;

export interface ServeOptions {
  /** Undefined for the default data folder. */
  data: string | undefined;
  /** 0 for any; undefined for the port of the last run, otherwise any. */
  port: number | undefined;
  stateFile: string | undefined;
  keysFromStdin: boolean;
  release: string | undefined;
  repositories: readonly string[];
  /** Undefined when no settings option is given. Settings that are not given stay unchanged. */
  settings: SettingsOverrides | undefined;
  concurrency: number;
  rateLimit: number;
  turnTimeoutMs: number;
  keepDays: number;
  /** 0 for never. */
  idleMinutes: number;
}

export type CommandLine = { mode: 'help' } | { mode: 'supervise' } | { mode: 'serve'; options: ServeOptions };

export const OPTIONS = {
  repo: { type: 'string', multiple: true },
  port: { type: 'string' },
  data: { type: 'string' },
  agent: { type: 'string' },
  'agent-command': { type: 'string' },
  acp: { type: 'boolean' },
  environment: { type: 'string', multiple: true },
  'no-environment': { type: 'boolean' },
  'allow-commands': { type: 'boolean' },
  'no-allow-commands': { type: 'boolean' },
  'allow-repository-agent-settings': { type: 'boolean' },
  'no-allow-repository-agent-settings': { type: 'boolean' },
  confine: { type: 'boolean' },
  'no-confine': { type: 'boolean' },
  'pull-requests': { type: 'boolean' },
  'no-pull-requests': { type: 'boolean' },
  'check-in-pull-request': { type: 'boolean' },
  'no-check-in-pull-request': { type: 'boolean' },
  concurrency: { type: 'string' },
  'turn-timeout-ms': { type: 'string' },
  'rate-limit': { type: 'string' },
  'keep-days': { type: 'string' },
  'idle-minutes': { type: 'string' },
  'keys-from-stdin': { type: 'boolean' },
  'state-file': { type: 'string' },
  release: { type: 'string' },
  help: { type: 'boolean' },
  supervise: { type: 'boolean' },
} as const;

/** Options that have an opposite, and the settings that they change. */
const FLAGS = {
  'allow-commands': 'mayRunCommands',
  'allow-repository-agent-settings': 'repositoryAgentSettings',
  confine: 'confine',
  'pull-requests': 'publish',
  'check-in-pull-request': 'checkInPullRequest',
} as const;
type Flag = keyof typeof FLAGS;
const FLAG_NAMES = Object.keys(FLAGS) as Flag[];

/** The options for a project's job settings. */
export const SETTINGS = [
  ...(['agent', 'agent-command', 'acp', 'environment', 'no-environment'] as const),
  ...FLAG_NAMES.flatMap((name) => [name, `no-${name}`] as const),
];

/** Throws UsageError. */
export function parseCommandLine(args: string[]): CommandLine {
  const values = parse(args);
  if (values.help === true) {
    return { mode: 'help' };
  }
  if (values.supervise === true) {
    return { mode: 'supervise' };
  }
  if (values.data === '') {
    throw new UsageError('--data is missing.');
  }
  const number =
    (name: 'concurrency' | 'turn-timeout-ms' | 'rate-limit' | 'keep-days' | 'idle-minutes') =>
    (standard: number, least: number, most: number) =>
      wholeNumber(`--${name}`, values[name], standard, least, most);
  return {
    mode: 'serve',
    options: {
      data: values.data,
      port: values.port === undefined ? undefined : wholeNumber('--port', values.port, 0, 0, 65_535),
      stateFile: values['state-file'],
      keysFromStdin: values['keys-from-stdin'] === true,
      release: values.release,
      repositories: values.repo ?? [],
      settings: parseSettings(values),
      concurrency: number('concurrency')(2, 1, 64),
      rateLimit: number('rate-limit')(100, 1, 1_000_000),
      turnTimeoutMs: number('turn-timeout-ms')(1_800_000, 1, 2_147_483_647),
      keepDays: number('keep-days')(30, 0, 36_500),
      idleMinutes: number('idle-minutes')(0, 0, 35_000),
    },
  };
}

type Values = Partial<ReturnType<typeof parse>>;

function parse(args: string[]) {
  return withUsageErrors(() => parseArgs({ args, options: OPTIONS }).values);
}

/** Reports what `parseArgs` refuses. */
export function withUsageErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Returns the job settings that are given; undefined if none is. Throws UsageError. */
export function parseSettings(values: Values, forWhat = values.repo): SettingsOverrides | undefined {
  const given = SETTINGS.filter((name) => values[name] !== undefined);
  const [first] = given;
  if (first === undefined) {
    return undefined;
  }
  if (forWhat === undefined) {
    throw new UsageError(`--${first} needs --repo.`);
  }
  return {
    ...parseAgent(values),
    ...parseVariables(values),
    ...parseFlags(values),
  };
}

function parseAgent(values: Values): Pick<SettingsOverrides, 'agent' | 'command' | 'protocol'> {
  const command = parseCommand(values['agent-command']);
  if (values.acp === true && command.length === 0) {
    throw new UsageError('--acp needs --agent-command.');
  }
  if (command.length > 0) {
    if ((values.agent ?? 'custom') !== 'custom') {
      throw new UsageError('--agent-command sets a custom agent. Leave out --agent.');
    }
    return { agent: 'custom', command, protocol: values.acp === true ? 'acp' : 'stdin' };
  }
  const { agent } = values;
  if (agent === undefined) {
    return {};
  }
  const names = ['auto', ...KNOWN_AGENTS.map(({ name }) => name)];
  if (!names.includes(agent)) {
    throw new UsageError(
      `There is no agent “${agent}”. Choose one of ${names.join(', ')}, or use --agent-command for any other program.`,
    );
  }
  return { agent, command: [], protocol: 'stdin' };
}

function parseVariables(values: Values): Pick<SettingsOverrides, 'variables'> {
  const names = values.environment ?? [];
  if (values['no-environment'] === true) {
    if (names.length > 0) {
      throw new UsageError('--environment and --no-environment can’t be given together.');
    }
    return { variables: [] };
  }
  for (const name of names) {
    if (!VARIABLE_NAME.test(name)) {
      throw new UsageError('--environment must be the name of a variable, without its value.');
    }
    if (isWithheldVariable(name)) {
      throw new UsageError(`The variable “${name}” is never passed to an agent.`);
    }
  }
  return names.length === 0 ? {} : { variables: names };
}

function parseFlags(values: Values): SettingsOverrides {
  const flags = FLAG_NAMES.map((name) => [FLAGS[name], parseFlag(values, name)] as const);
  return Object.fromEntries(flags.filter(([, value]) => value !== undefined));
}

function parseFlag(values: Values, name: Flag): boolean | undefined {
  const no = `no-${name}` as const;
  if (values[name] === true && values[no] === true) {
    throw new UsageError(`--${name} and --${no} can’t be given together.`);
  }
  return values[name] ?? (values[no] === true ? false : undefined);
}

export function wholeNumber(
  name: string,
  text: string | undefined,
  standard: number,
  least: number,
  most: number,
): number {
  if (text === undefined) {
    return standard;
  }
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

function parseCommand(json: string | undefined): string[] {
  if (json === undefined) {
    return [];
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value) || value.length === 0 || !value.every((part) => typeof part === 'string') || !value[0]) {
    throw new UsageError('--agent-command must be a JSON list of strings, program first.');
  }
  return value;
}
