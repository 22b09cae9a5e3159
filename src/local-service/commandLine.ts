import { decodeJson } from '../base/json';
import {
  ALLOWED_HOST,
  CONFINEMENTS,
  isWithheldVariable,
  type ProjectSettings,
  VARIABLE_NAME,
  WRITABLE_FOLDER,
} from '../protocol/localService';
import { KNOWN_AGENTS } from './agents/knownAgents';
import {
  choice,
  flag,
  type Given,
  oneOf,
  readOptions,
  text,
  texts,
  UsageError,
  usageOf,
  type Values,
  wholeNumber,
} from './options';

/** How users call the program. Another package has it under another name. */
export const PROGRAM_NAME = 'node service.mjs';

const AGENTS = KNOWN_AGENTS.map(({ name }) => name);

/** The job settings of a project. The names of the rows are those of the settings. */
export const JOB_SETTINGS = {
  agent: text('NAME', `${AGENTS.join(', ')}, or auto for the first one found (default: auto)`, readAgent),
  command: {
    ...text(
      'JSON',
      'custom agent: program and arguments as ["program","argument"], prompt on standard input',
      readCommand,
    ),
    flag: 'agent-command',
  },
  protocol: { ...flag('the custom agent uses the Agent Client Protocol'), flag: 'acp' },
  variables: {
    ...texts('NAME', 'additional environment variable for the agent; repeatable'),
    flag: 'environment',
    negated: 'no additional environment variables',
    read: readVariables,
  },
  mayRunCommands: choice('allow-commands', 'allow commands that the agent asks to run', 'deny them (default)'),
  repositoryAgentSettings: choice(
    'allow-repository-agent-settings',
    'let agents load hooks, MCP servers, and other agent settings from the repository',
    "don't let them (default)",
  ),
  confine: text(
    'MODE',
    'run agents in the srt sandbox: auto if it can be used (default), require, or off',
    oneOf(CONFINEMENTS),
  ),
  allowedHosts: {
    ...texts('HOST', "host that a sandboxed agent may reach in addition to its model's hosts; repeatable"),
    flag: 'allow-host',
    negated: 'no additional hosts',
    read: (given: Given, name: string) =>
      readAll(
        given,
        name,
        ALLOWED_HOST,
        'localhost with a port, a host name with a dot, or an IP address, optionally with a port',
      ),
  },
  writableFolders: {
    ...texts('DIR', 'folder that a sandboxed agent may write to in addition to its clone; repeatable'),
    flag: 'allow-folder',
    negated: 'no additional folders',
    read: (given: Given, name: string) => readAll(given, name, WRITABLE_FOLDER, 'an absolute path'),
  },
  publish: choice(
    'pull-requests',
    'push branches and open pull requests (default)',
    'push nothing; review the work on the review page (not available in a service for a team)',
  ),
  checkInPullRequest: choice(
    'check-in-pull-request',
    'check the added lines against the code, and list problems in pull requests',
    "don't (default)",
  ),
};

/** How a process runs jobs. */
export const RUN_OPTIONS = {
  concurrency: wholeNumber('maximum number of agents at the same time (default: 2)', 1, 64, 2),
  turnTimeoutMs: wholeNumber('time limit for one run, in milliseconds (default: 1800000)', 1, 2_147_483_647, 1_800_000),
  keepDays: wholeNumber(
    "remove a job's folder N days after it finished, if its work is safe (default: 30)",
    0,
    36_500,
    30,
  ),
};

export const RATE_LIMIT = {
  rateLimit: wholeNumber('requests per hour for each project and operation (default: 100)', 1, 1_000_000, 100),
};

export const DATA = {
  data: text('DIR', "data folder; one service at a time (default: a folder in the user's data folder)", notEmpty),
};

const PLACES = {
  repo: texts('DIR', 'repository to serve; repeatable'),
  port: wholeNumber('port on 127.0.0.1; 0 for any (default: last used, or any)', 0, 65_535, undefined),
  ...DATA,
};

const LIMITS = {
  ...RUN_OPTIONS,
  ...RATE_LIMIT,
  onFinished: text(
    'COMMAND',
    'shell command to run whenever a job completes or fails, for at most a minute. It gets the job as JSON on standard input',
    notEmpty,
  ),
  idleMinutes: wholeNumber('stop after N idle minutes; 0 never stops (default: 0)', 0, 35_000, 0),
};

const FOR_PROGRAMS = {
  keysFromStdin: flag(`read the keys as JSON from the first line of standard input; they aren't saved to a file:
{"keys":[{"key":"local_<64 hexadecimal digits>","projects":["id"]}]}
A key without "projects" gives access to all of them.`),
  stateFile: text('FILE', 'file for PID, start time, and port, so that other programs can find the service'),
  release: text('VERSION', 'version to write to the state file'),
  help: flag('show this help'),
};

const SERVE_OPTIONS = { ...PLACES, ...JOB_SETTINGS, ...LIMITS, ...FOR_PROGRAMS };

export type ServeOptions = Omit<Values<typeof SERVE_OPTIONS>, 'help'> & {
  /** Undefined when no settings option is given. Settings that are not given stay unchanged. */
  settings: SettingsOverrides | undefined;
};

/** The settings that are given for the named repositories; see `projectSettingsSchema`. */
export type SettingsOverrides = Partial<ProjectSettings>;

/** Returns undefined when help is asked for. Throws UsageError. */
export function parseCommandLine(args: string[]): ServeOptions | undefined {
  const { help, ...options } = readOptions(SERVE_OPTIONS, args).values;
  if (help) {
    return undefined;
  }
  const settings = settingsOf(options);
  if (settings !== undefined && options.repo === undefined) {
    throw new UsageError('Job settings need --repo.');
  }
  return { ...options, settings };
}

export const serveUsage = (called: string): string => `Usage: ${called} --repo DIR [options]

The agent job service for one person, on this machine. It listens on 127.0.0.1. When it's ready, it writes one line of
JSON to standard output: the port, the projects and their job settings, and the file that contains the key for requests
(“Authorization: Bearer KEY”).
API reference: http://127.0.0.1:PORT/openapi.json

“${called} merge ID” merges a job without a pull request into your branch, and
“${called} close ID” closes it without merging. They need the service to be running, and take --data, too.
“${called} check --help” explains how to check documentation against the code instead.
“${called} mcp --help” explains how other agents can use the service.

${usageOf(PLACES)}
Job settings for these repositories (if omitted, the last value used, or else the default):
${usageOf(JOB_SETTINGS)}
${usageOf(LIMITS)}
For programs that start the service:
${usageOf(FOR_PROGRAMS)}
Exit codes: 0 stopped on request, 1 error, 2 usage error, 3 data folder in use,
4 data folder written by a newer version.
`;

/** Returns the job settings that are given; undefined if none is. Throws UsageError. */
export function settingsOf(given: Values<typeof JOB_SETTINGS>): SettingsOverrides | undefined {
  const { agent: _agent, command: _command, protocol: _protocol, ...others } = JOB_SETTINGS;
  const entries = Object.keys(others).map((name) => [name, given[name as keyof typeof others]] as const);
  const settings = { ...agentOf(given), ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function agentOf({ agent, command, protocol }: Values<typeof JOB_SETTINGS>): SettingsOverrides {
  if (command === undefined && (protocol || agent === 'custom')) {
    throw new UsageError(`${protocol ? '--acp' : '--agent custom'} needs --agent-command.`);
  }
  if (command !== undefined && (agent ?? 'custom') !== 'custom') {
    throw new UsageError('--agent-command sets a custom agent. Leave out --agent.');
  }
  if (command !== undefined) {
    return { agent: 'custom', command, protocol: protocol ? 'acp' : 'stdin' };
  }
  return agent === undefined ? {} : { agent, command: [], protocol: 'stdin' };
}

function readAgent(agent: string): string {
  const names = ['auto', ...AGENTS];
  if (agent !== 'custom' && !names.includes(agent)) {
    throw new UsageError(
      `There is no agent “${agent}”. Choose one of ${names.join(', ')}, or use --agent-command for any other program.`,
    );
  }
  return agent;
}

function readVariables(given: Given, name: string): string[] | undefined {
  const names = readAll(given, name, VARIABLE_NAME, 'the name of a variable, without its value');
  const withheld = names?.find(isWithheldVariable);
  if (withheld !== undefined) {
    throw new UsageError(`The variable “${withheld}” is never passed to an agent.`);
  }
  return names;
}

function readAll(given: Given, name: string, form: RegExp, what: string): string[] | undefined {
  const texts = given.filter((each) => typeof each === 'string');
  if (texts.length > 0 && given.includes(false)) {
    throw new UsageError(`${name} and --no-${name.slice(2)} can’t be given together.`);
  }
  if (!texts.every((each) => form.test(each))) {
    throw new UsageError(`${name} must be ${what}.`);
  }
  return given.length === 0 ? undefined : texts;
}

function readCommand(json: string): string[] {
  const value = decodeJson(json);
  if (!Array.isArray(value) || value.length === 0 || !value.every((part) => typeof part === 'string') || !value[0]) {
    throw new UsageError('--agent-command must be a JSON list of strings, program first.');
  }
  return value;
}

function notEmpty(given: string, name: string): string {
  if (given === '') {
    throw new UsageError(`${name} is missing.`);
  }
  return given;
}
