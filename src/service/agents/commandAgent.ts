import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStartTime } from '../../shared/util/processStartTime';
import { allowedEnvironment } from '../allowedEnvironment';
import { TurnFailure } from '../runner/turnFailure';
import type { AgentDriver, AgentOutcome, AgentTask } from './agentDriver';
import { JOB_VARIABLE } from './endJobProcesses';
import { OutputTail } from './outputTail';
import { endAgent, type StartedAgent } from './startedAgent';
import { turnPrompt } from './turnPrompt';
import { type Supervise, supervisorReportSchema, type SupervisorReport } from './supervisorMessages';

/** How much of an agent's output is kept, in bytes. */
const LOG_BYTES = 64 * 1024;

/** How long a supervisor may take to end its agent before both are killed, in milliseconds. */
const STOP_MS = 3_000;

/** How long output may still come after the supervisor has gone, in milliseconds. */
const DRAIN_MS = 250;

/** An agent that is a program: the prompt on its standard input, its work in the folder, exit code 0 when it went well. */
export class CommandAgent implements AgentDriver {
  /** @param supervisor program and arguments by which the service starts itself as a supervisor */
  constructor(
    private readonly supervisor: readonly string[],
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  async run(task: AgentTask): Promise<AgentOutcome> {
    task.signal.throwIfAborted();
    const all = new OutputTail(LOG_BYTES);
    const errors = new OutputTail(4096);
    const { report, timedOut } = await this.supervised(task, all, errors);
    await writeFile(join(task.directory, 'agent.log'), all.bytes(), { mode: 0o600 });
    task.signal.throwIfAborted();
    const problem = timedOut ? tooLong(task.timeoutMs) : problemIn(report, task.command[0] ?? '', errors.lastLine());
    if (problem !== undefined) {
      throw new TurnFailure(problem);
    }
    return { summary: '' };
  }

  private async supervised(task: AgentTask, all: OutputTail, errors: OutputTail) {
    const child = this.spawnSupervisor(task);
    let report: SupervisorReport | undefined;
    let agent: StartedAgent | undefined;
    let timedOut = false;
    child.stdout?.on('data', (chunk: Buffer) => all.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      all.add(chunk);
      errors.add(chunk);
    });
    child.on('message', (message) => {
      report = supervisorReportSchema.parse(message);
      agent = report.kind === 'started' ? { pid: report.pid, startTime: processStartTime(report.pid) } : agent;
    });
    const stop = (): void => stopSupervisor(child);
    const limit = setTimeout(() => {
      timedOut = true;
      stop();
    }, task.timeoutMs);
    task.signal.addEventListener('abort', stop, { once: true });
    try {
      await ended(child);
    } finally {
      clearTimeout(limit);
      task.signal.removeEventListener('abort', stop);
    }
    if (agent !== undefined && report?.kind !== 'ended') {
      await endAgent(agent, task.jobId);
    }
    return { report, timedOut };
  }

  private spawnSupervisor(task: AgentTask): ChildProcess {
    const [program = '', ...args] = this.supervisor;
    const asNode = this.environment['ELECTRON_RUN_AS_NODE'];
    const child = spawn(program, args, {
      cwd: task.folder,
      env: {
        ...allowedEnvironment(this.environment),
        [JOB_VARIABLE]: task.jobId,
        // For the supervisor alone, where the service itself runs inside an editor's own program.
        ...(asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode }),
      },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    // An agent that ends without reading its prompt closes the pipe; its exit code says whether that was well.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(turnPrompt(task.earlier, task.prompt));
    const order: Supervise = { command: [...task.command], folder: task.folder };
    child.send(order, () => undefined);
    return child;
  }
}

/** Closing the channel tells the supervisor to end its agent; one that does not is killed, and its agent after it. */
function stopSupervisor(child: ChildProcess): void {
  if (child.connected) {
    child.disconnect();
  }
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.once('exit', () => clearTimeout(hard));
}

/** Resolves when the supervisor has gone and its output was read. A process that escaped may hold the output open. */
async function ended(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close').catch(() => undefined);
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw error;
  }
  await once(child, 'exit');
  const drain = new AbortController();
  const enough = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    drain.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  await Promise.race([closed, enough]);
  drain.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function problemIn(report: SupervisorReport | undefined, program: string, lastLine: string): string | undefined {
  if (report?.kind === 'ended') {
    if (report.code === 0) {
      return undefined;
    }
    const how = report.code === null ? `by ${report.signal ?? 'a signal'}` : `with code ${report.code}`;
    return `agent ended ${how}${lastLine === '' ? '' : `: ${lastLine}`}`;
  }
  if (report?.kind === 'notStarted') {
    return report.code === 'ENOENT'
      ? `The agent program “${program}” was not found. Install it, or choose another agent in the settings.`
      : `The agent program “${program}” could not be started (${report.code}).`;
  }
  return 'The agent was stopped from outside.';
}

function tooLong(ms: number): string {
  const limit = ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`;
  return `The agent did not end within ${limit} and was stopped.`;
}
