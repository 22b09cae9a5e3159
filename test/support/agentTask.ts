import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { AgentProcess, AgentTask } from '../../src/service/agents/agentDriver';
import type { StoryEntry } from '../../src/shared/protocol/story';
import { processStartTime } from '../../src/shared/util/processStartTime';
import { until } from '../contract/contractBench';
import { buildNodeScript } from './nodeScript';
import { temporaryFolder } from './temporaryRepository';

const MAIN = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));

/** How a supervisor is started: from the sources, but bundled, because each agent has one and compiling takes a second. */
export const SUPERVISOR = [process.execPath, await buildNodeScript(MAIN), '--supervise'];

/** A task and what its agent has told of itself. */
export interface TestTask {
  task: AgentTask;
  entries: StoryEntry[];
  sessions: string[];
  started: AgentProcess[];
}

/** A task of a job with a random id, in new folders unless others are given. */
export async function agentTask(given: Partial<AgentTask> = {}): Promise<TestTask> {
  const folder = given.folder ?? (await temporaryFolder());
  const [entries, sessions, started]: [StoryEntry[], string[], AgentProcess[]] = [[], [], []];
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
    confine: false,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onStarted: (process) => started.push(process),
    onSession: (session) => sessions.push(session),
    onEntry: (entry) => entries.push(entry),
    ...given,
  };
  return { task, entries, sessions, started };
}

/** Resolves when the process has gone; rejects when it lives on. One that was killed may take a moment to go. */
export async function untilGone(pid: number | undefined): Promise<void> {
  await until(async () => (await processStartTime(pid ?? 0)) === undefined, 30_000);
}
