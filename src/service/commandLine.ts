import { parseArgs } from 'node:util';

export const USAGE = `Usage: node service.mjs --data FOLDER [options] < KEYS

The local agent job service. The first line of its standard input is JSON:
  {"keys":[{"key":"local_<64 hexadecimal digits>","projects":["id"]}]}
A key without "projects" opens all of them. On standard output it writes one line of JSON as soon as it is ready.

  --data FOLDER           where jobs are kept; one service at a time
  --port N                port on 127.0.0.1; 0 for any (default: that of the last run, or else any)
  --state-file FILE       where pid, start time and port are written, for others to find the service
  --repo FOLDER           a repository to make a project of; may be given more than once
  --agent-command JSON    program and arguments of the agent for these, as ["program","argument"]
  --rate-limit N          requests per project, operation and hour (default: 100)
  --turn-timeout-ms N     how long an agent may work on one message (default: 1800000)
  --help                  show this text
`;

/** A command line that can't be followed, in words for the user. */
export class UsageError extends Error {}

export interface ServeOptions {
  data: string;
  /** 0 for any; undefined for that of the last run, or else any. */
  port: number | undefined;
  stateFile: string | undefined;
  repositories: readonly string[];
  agentCommand: readonly string[];
  rateLimit: number;
  turnTimeoutMs: number;
}

export type CommandLine = { mode: 'help' } | { mode: 'supervise' } | { mode: 'serve'; options: ServeOptions };

/** Throws UsageError. */
export function parseCommandLine(args: string[]): CommandLine {
  const values = parse(args);
  if (values.help === true) {
    return { mode: 'help' };
  }
  if (values.supervise === true) {
    return { mode: 'supervise' };
  }
  if (values.data === undefined || values.data === '') {
    throw new UsageError('--data is missing.');
  }
  const repositories = values.repo ?? [];
  if (repositories.length > 0 && values['agent-command'] === undefined) {
    throw new UsageError('--repo needs --agent-command.');
  }
  return {
    mode: 'serve',
    options: {
      data: values.data,
      port: values.port === undefined ? undefined : wholeNumber('--port', values.port, 0, 65_535),
      stateFile: values['state-file'],
      repositories,
      agentCommand: command(values['agent-command']),
      rateLimit: wholeNumber('--rate-limit', values['rate-limit'] ?? '100', 1, 1_000_000),
      turnTimeoutMs: wholeNumber('--turn-timeout-ms', values['turn-timeout-ms'] ?? '1800000', 1, 2_147_483_647),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        data: { type: 'string' },
        port: { type: 'string' },
        'state-file': { type: 'string' },
        repo: { type: 'string', multiple: true },
        'agent-command': { type: 'string' },
        'rate-limit': { type: 'string' },
        'turn-timeout-ms': { type: 'string' },
        help: { type: 'boolean' },
        supervise: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

function command(json: string | undefined): string[] {
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
