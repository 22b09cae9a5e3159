import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PRIVATE_FILE } from '../../base/files';
import { processControl, processStartTime } from '../../base/process';
import { allowedEnvironment } from '../../git/environment';
import { coded, type CodedText } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import type { AgentProcess, AgentTask } from './agentDriver';
import { endJobProcesses, JOB_VARIABLE, killAgent } from './descendants';
import { OutputTail } from './outputTail';
import { type Supervise, type SupervisorReport, supervisorReportSchema } from './supervisorMessages';

/** How much of an agent's output is kept, in bytes. */
const LOG_BYTES = 64 * 1024;

/** How long a supervisor may take to end its agent before both are killed, in milliseconds. */
const STOP_MS = 3_000;

/** How long output may still come after the supervisor has gone, in milliseconds. */
const DRAIN_MS = 1_000;

/** Kept in the job's own folder: the end of what the agent printed in its last turn. */
const LOG_FILE = 'agent.log';

/** What to start and how to see to it. */
export interface AgentStart {
  /** Program and arguments by which the service starts itself as a supervisor. */
  supervisor: readonly string[];
  /** The service's own environment. */
  environment: NodeJS.ProcessEnv;
  /** Program and arguments of the agent. */
  command: readonly string[];
  /** All that the agent sees. */
  agentEnvironment: Record<string, string>;
}

/** The process could not be kept, so that a service which is killed would leave it behind: it must not go on. */
export class ProcessNotKept extends Error {
  constructor(cause: unknown) {
    super(`The process of the agent could not be noted: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** An agent under a supervisor of its own, with its standard streams. */
export class SupervisedAgent {
  /** The end of all that it printed, and of each stream alone. */
  private readonly output = new OutputTail(LOG_BYTES);
  readonly said = new OutputTail(16 * 1024);
  readonly errors = new OutputTail(4096);
  /** Resolves when it runs, or will not. Rejects with ProcessNotKept. */
  readonly started: Promise<void>;
  private report: SupervisorReport | undefined;
  private agent: AgentProcess | undefined;
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private ending: Promise<void> | undefined;

  constructor(
    readonly start: AgentStart,
    private readonly task: AgentTask,
  ) {
    this.child = spawnSupervisor(start, task);
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.output.add(chunk);
      this.said.add(chunk);
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.output.add(chunk);
      this.errors.add(chunk);
    });
    this.started = this.untilStarted();
    this.gone = ended(this.child);
    // Whoever waits for the end hears of it.
    this.started.catch(() => undefined);
    this.gone.catch(() => undefined);
  }

  get stdin(): Writable | null {
    return this.child.stdin;
  }

  get stdout(): Readable | null {
    return this.child.stdout;
  }

  /** Tells the supervisor to end its agent; one that does not is killed, and its agent after it. */
  stop(): void {
    if (!this.child.connected) {
      return;
    }
    this.child.disconnect();
    const hard = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.once('exit', () => clearTimeout(hard));
  }

  /** Resolves when nothing of it runs any more and its log is written. */
  end(): Promise<void> {
    this.ending ??= this.afterGone();
    return this.ending;
  }

  private async afterGone(): Promise<void> {
    await this.gone;
    if (this.report?.kind !== 'ended' && this.report?.kind !== 'notStarted') {
      await (this.agent === undefined ? endJobProcesses(this.task.jobId) : killAgent(this.agent, this.task.jobId));
    }
    await writeFile(join(this.task.directory, LOG_FILE), this.output.bytes(), { mode: PRIVATE_FILE });
  }

  /** Why it went wrong, once it has ended; undefined when it ended well. */
  problem(): CodedText | undefined {
    return problemIn(this.report, this.task.command[0] ?? '', this.errors.problemLine());
  }

  private untilStarted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.on('message', (message) => {
        const report = supervisorReportSchema.parse(message);
        this.report = report;
        if (report.kind === 'started') {
          this.keep(report.pid).then(resolve, (error: unknown) => reject(new ProcessNotKept(error)));
        }
      });
      this.child.once('exit', () => resolve());
      this.child.once('error', () => resolve());
    });
  }

  private async keep(pid: number): Promise<void> {
    const startTime = await processStartTime(pid);
    // One that has ended already needs no killing.
    if (startTime !== undefined) {
      this.agent = { pid, startTime };
      this.task.onStarted(this.agent);
    }
  }
}

/**
 * Runs the work until it is done, the turn's time is over or the task's signal says stop. Then, or when the work failed,
 * nothing of the agent runs any more. Throws the signal's reason, TurnFailure for the time, or what the work threw.
 *
 * @param work gets a signal for both limits; `stop` of the agent is for whoever wants it to end by itself
 */
export async function withinLimits<T>(
  task: AgentTask,
  agent: SupervisedAgent,
  work: (limits: AbortSignal) => Promise<T>,
): Promise<T> {
  const limits = new AbortController();
  const stop = (): void => limits.abort(task.signal.reason);
  const timer = setTimeout(() => limits.abort(timeOver(task.timeoutMs)), task.timeoutMs);
  task.signal.addEventListener('abort', stop, { once: true });
  if (task.signal.aborted) {
    stop();
  }
  try {
    const done = await work(limits.signal);
    limits.signal.throwIfAborted();
    return done;
  } catch (error) {
    // What breaks because the agent is being stopped is no fault of its own.
    limits.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    task.signal.removeEventListener('abort', stop);
    agent.stop();
    await agent.end();
  }
}

function spawnSupervisor(start: AgentStart, task: AgentTask): ChildProcess {
  const [program = '', ...args] = start.supervisor;
  const asNode = start.environment['ELECTRON_RUN_AS_NODE'];
  const child = spawn(program, args, {
    cwd: task.folder,
    env: {
      ...allowedEnvironment(start.environment),
      [JOB_VARIABLE]: task.jobId,
      // For the supervisor alone, where the service itself runs inside an editor's own program.
      ...(asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode }),
    },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    ...processControl().ownGroup,
  });
  // An agent that ends without reading what it is told closes the pipe; its exit code says whether that was well.
  child.stdin?.on('error', () => undefined);
  const order: Supervise = {
    command: [...start.command],
    folder: task.folder,
    environment: start.agentEnvironment,
  };
  child.send(order, () => undefined);
  return child;
}

/** Resolves when the supervisor has gone and its output was read. A process that escaped may hold the output open. */
async function ended(child: ChildProcess): Promise<void> {
  // Not the child's own `close`, which does not come when the channel was closed from this side.
  const readToEnd = async (stream: Readable | null) => stream && finished(stream).catch(() => undefined);
  const read = Promise.all([readToEnd(child.stdout), readToEnd(child.stderr)]);
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw error;
  }
  await once(child, 'exit');
  const drain = new AbortController();
  await Promise.race([read, delay(DRAIN_MS, undefined, { signal: drain.signal }).catch(() => undefined)]);
  drain.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function problemIn(report: SupervisorReport | undefined, program: string, lastLine: string): CodedText | undefined {
  if (report?.kind === 'ended') {
    if (report.code === 0) {
      return undefined;
    }
    const end =
      report.code === null
        ? coded('agentEndedBySignal', { signal: report.signal ?? 'a signal' })
        : coded('agentEndedWithCode', { code: report.code });
    return lastLine === '' ? end : coded('withWords', { text: end, words: lastLine });
  }
  if (report?.kind === 'notStarted') {
    return report.code === 'ENOENT'
      ? coded('programNotFound', { program })
      : coded('programNotStarted', { program, code: report.code });
  }
  return coded('agentStoppedFromOutside');
}

function timeOver(ms: number): TurnFailure {
  return new TurnFailure(coded('agentTimeOver', { time: ms >= 60_000 ? minutes(ms / 60_000) : seconds(ms / 1000) }));
}

function minutes(count: number): CodedText {
  return Math.round(count) === 1 ? coded('oneMinute') : coded('minutes', { count: Math.round(count) });
}

function seconds(count: number): CodedText {
  return count === 1 ? coded('oneSecond') : coded('seconds', { count });
}
