import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processStartTime } from '../../src/base/process';
import type { AgentDriver, AgentProcess, AgentTask } from '../../src/local-service/agents/agentDriver';
import type { ActivityEntry } from '../../src/protocol/activity';
import { waitUntil } from '../contract/contractBench';
import { buildNodeScript } from './machine';
import { temporaryFolder } from './temporaryRepository';

const MAIN = fileURLToPath(new URL('../../src/local-service/main.ts', import.meta.url));

/**
 * The command that starts a supervisor. It is bundled from the sources, because each agent has a supervisor and
 * compiling takes a second.
 */
export const SUPERVISOR = [process.execPath, await buildNodeScript(MAIN), '--supervise'];

/** An agent that speaks the Agent Client Protocol and does what its prompt says. */
export const SCRIPTED_ACP = fileURLToPath(new URL('./scriptedAcpAgent.mjs', import.meta.url));

/** A task and what its agent has reported. */
export interface TestTask {
  task: AgentTask;
  entries: ActivityEntry[];
  sessions: (string | undefined)[];
  started: AgentProcess[];
}

/** A task of a job with a random id, in new folders unless others are given. */
export async function agentTask(given: Partial<AgentTask> = {}): Promise<TestTask> {
  const folder = given.folder ?? (await temporaryFolder());
  const [entries, sessions, started]: [ActivityEntry[], (string | undefined)[], AgentProcess[]] = [[], [], []];
  const task: AgentTask = {
    jobId: randomUUID(),
    command: [],
    folder,
    directory: given.directory ?? (await temporaryFolder()),
    prompt: '',
    earlier: [],
    guidance: '',
    notice: '',
    session: undefined,
    mayRunCommands: false,
    mayWriteSettings: false,
    variables: [],
    confine: 'off',
    allowedHosts: [],
    writableFolders: [],
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onStarted: async (process) => void started.push(process),
    onSession: async (session) => void sessions.push(session),
    onEntry: (entry) => entries.push(entry),
    onUsage: () => undefined,
    onPhase: () => undefined,
    ...given,
  };
  return { task, entries, sessions, started };
}

/** Gives a prompt to the scripted agent, started with these options, or to the agent in `more`. */
export async function startScripted(agent: AgentDriver, prompt: string, more: Partial<AgentTask>, options: string[]) {
  const given = await agentTask({ prompt, command: [process.execPath, SCRIPTED_ACP, ...options], ...more });
  const work = agent.run(given.task);
  work.catch(() => undefined);
  const inFolder = (path: string): string => join(given.task.folder, path);
  return { ...given, work, inFolder, text: (path: string) => readFile(inFolder(path), 'utf8') };
}

/** Writes a program with this name, which starts the scripted agent, into a new folder. Returns its path. */
export async function scriptedAs(name: string): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${SCRIPTED_ACP}" "$@"\n`, { mode: 0o755 });
  return path;
}

/** Resolves when the process has exited; rejects if it keeps running. A killed process may take a moment to exit. */
export async function untilGone(pid: number | undefined): Promise<void> {
  await waitUntil(async () => (await processStartTime(pid ?? 0)) === undefined, 30_000);
}
