import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { allowedEnvironment } from '../../git/environment';
import { findProgram, isBatchFile } from '../../git/programPaths';
import { coded } from '../../protocol/codedText';
import { isWithheldVariable } from '../../protocol/localService';
import { noteEntry } from '../codedText';
import { removeAll } from '../removeFolder';
import { TurnFailure } from '../turnFailure';
import type { AgentTask } from './agentDriver';
import type { AgentStart } from './agentProcess';
import { wrapInSandbox } from './sandbox';
import { isDemoAgent } from './demoAgent';
import { JOB_VARIABLE } from './descendants';
import { findKnownAgent } from './knownAgents';

/** What to start for a task. */
export type Prepared = AgentStart & { driven: Driven | undefined };

/**
 * Determines what to start for a task, and calls `run` with it: the agent's command, sandboxed if requested, and its whole
 * environment. The agent has a folder of its own for temporary files, which is removed afterwards. It isn't in the job's
 * folder, because the paths of sockets are limited to about 100 bytes. Throws TurnFailure if it cannot be started.
 */
export async function withAgentStart<T>(
  supervisor: readonly string[],
  environment: NodeJS.ProcessEnv,
  task: AgentTask,
  run: (start: Prepared) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  try {
    return await run(await prepareAgentStart(supervisor, environment, task, temporary));
  } finally {
    await removeAll(temporary).catch(() => undefined);
  }
}

async function prepareAgentStart(
  supervisor: readonly string[],
  environment: NodeJS.ProcessEnv,
  task: AgentTask,
  temporary: string,
): Promise<Prepared> {
  const seen: Record<string, string> = {
    ...agentEnvironment(environment, task.variables, task.jobId),
    ...{ TMPDIR: temporary, TEMP: temporary, TMP: temporary },
  };
  const asking = findKnownAgent(task.command[0] ?? '')?.asking;
  const edits = task.mayRunCommands ? undefined : asking?.edits;
  const plain = await resolveBatchFile([...task.command, ...(edits?.args ?? [])], environment);
  const { command, folder, note } = await wrapInSandbox(plain, task, temporary, environment, seen);
  if (note !== undefined) {
    task.onEntry(noteEntry(note));
  }
  const driven = await drivenProgram(task, environment, seen);
  const own = driven === undefined ? {} : { [driven.variable]: driven.path };
  // The editor's program is Node only with this variable.
  const asNode = isDemoAgent(task.command) && { ELECTRON_RUN_AS_NODE: '1' };
  const asked = { ...asking?.environment, ...edits?.environment };
  const merged = Object.entries(asked).map(([name, value]) => [name, mergedInto(seen[name], value)]);
  const all = { ...asNode, ...own, ...seen, ...(Object.fromEntries(merged) as Record<string, string>) };
  return { supervisor, environment, command, folder, agentEnvironment: all, driven };
}

/** Merges two JSON objects: what the user gives is kept where ours says nothing. */
function mergedInto(given: string | undefined, ours: string): string {
  const [own, wanted] = [objectIn(given), objectIn(ours)];
  return own === undefined || wanted === undefined ? ours : JSON.stringify(mergedObjects(own, wanted));
}

function mergedObjects(own: Record<string, unknown>, wanted: Record<string, unknown>): Record<string, unknown> {
  const merged = Object.entries(wanted).map(([name, value]): [string, unknown] => {
    const before = own[name];
    return [name, isObject(before) && isObject(value) ? mergedObjects(before, value) : value];
  });
  return { ...own, ...Object.fromEntries(merged) };
}

function objectIn(json: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The program that an adapter is told to start, and the variable that names it. */
interface Driven {
  program: string;
  variable: string;
  path: string;
}

/** Makes an adapter start the program that the user has installed instead of the one that it bundles. */
async function drivenProgram(
  task: AgentTask,
  environment: NodeJS.ProcessEnv,
  seen: Record<string, string>,
): Promise<Driven | undefined> {
  const drives = findKnownAgent(task.command[0] ?? '')?.drives;
  if (drives === undefined || drives.variable in seen) {
    return undefined;
  }
  const path = await findProgram(drives.program, environment);
  // An adapter cannot start a batch file.
  return path === undefined || isBatchFile(path) ? undefined : { ...drives, path };
}

/** The whole environment of an agent: what every program gets, the variables named for it, and its job's marker. */
export function agentEnvironment(
  environment: NodeJS.ProcessEnv,
  variables: readonly string[],
  jobId: string,
): Record<string, string> {
  const seen = allowedEnvironment(environment);
  for (const name of variables) {
    const value = environment[name];
    if (value !== undefined && !isWithheldVariable(name) && name.toUpperCase() !== 'PATH') {
      seen[name] = value;
    }
  }
  return { ...seen, [JOB_VARIABLE]: jobId };
}

/** The script that is started by the batch file that npm creates for a package's program (cmd-shim). */
const SCRIPT = /"%(?:~?dp0|dp0)%?\\([^"%]+\.[cm]?js)"\s+%\*/i;

/**
 * Replaces a batch file with Node and the script that npm's batch file names. Windows starts a batch file only through a
 * shell, and no shell may see what an agent is given. Throws TurnFailure for any other batch file.
 */
export async function resolveBatchFile(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  platform?: NodeJS.Platform,
): Promise<readonly string[]> {
  const [program = '', ...args] = command;
  if (!isBatchFile(program, platform)) {
    return command;
  }
  const script = SCRIPT.exec(await readFile(program, 'utf8').catch(() => ''))?.[1];
  const node = await findProgram('node', environment);
  if (script === undefined || node === undefined) {
    throw new TurnFailure(coded('batchFile', { program }));
  }
  return [node, join(dirname(program), ...script.split('\\')), ...args];
}
