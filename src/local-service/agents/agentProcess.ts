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
import { noteEntry } from '../codedText';
import { TurnFailure } from '../turnFailure';
import type { AgentProcess, AgentTask } from './agentDriver';
import { agentSecrets } from './agentSecrets';
import { BlockedAccess } from './blockedAccess';
import { endJobProcesses, JOB_VARIABLE, killAgent, ticksUsed } from './descendants';
import { OutputTail } from './outputTail';
import { type Supervise, type SupervisorReport, supervisorReportSchema } from './supervisorMessages';

/** How many bytes of an agent's output are kept. */
const LOG_BYTES = 64 * 1024;

/** How long a supervisor may take to stop its agent before both are killed, in milliseconds. */
const STOP_MS = 3_000;

/** How long processes that the agent has left may work on after it has answered, in milliseconds. */
export const FINISH_MS = 60_000;

/** How long to wait for remaining output after the supervisor has exited, in milliseconds. */
const DRAIN_MS = 1_000;

/** Kept in the job's own folder: the end of the agent's output in its last turn. */
const LOG_FILE = 'agent.log';

/** What to start, and how to supervise it. */
export interface AgentStart {
  /** Program and arguments that start the service as a supervisor. */
  supervisor: readonly string[];
  /** The service's own environment. */
  environment: NodeJS.ProcessEnv;
  /** Program and arguments of the agent. */
  command: readonly string[];
  /** Where the sandbox starts; undefined without it: the command starts in the task's folder. */
  folder?: string | undefined;
  /** The agent's whole environment. */
  agentEnvironment: Record<string, string>;
  /** By default, FINISH_MS. */
  finishMs?: number | undefined;
}

/** The process could not be recorded and must not continue: a killed service would leave the agent running. */
export class ProcessNotRecordedError extends Error {
  constructor(cause: unknown) {
    super(`Couldn’t record the agent process: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** An agent under its own supervisor, with its standard streams. */
export class SupervisedAgent {
  /** The end of all output, and of each stream separately. */
  private readonly output = new OutputTail(LOG_BYTES);
  readonly said = new OutputTail(16 * 1024);
  private readonly errors = new OutputTail(4096);
  /** Undefined if it is not sandboxed. */
  readonly blocked: BlockedAccess | undefined;
  /** Redacts the secrets in its environment. */
  readonly secrets;
  /** Resolves when the agent runs, or has failed to start. Rejects with ProcessNotRecordedError. */
  readonly started: Promise<void>;
  private report: SupervisorReport | undefined;
  private agent: AgentProcess | undefined;
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private ending: Promise<void> | undefined;
  private onFinished: () => void = () => undefined;
  private isFinishing = false;
  /** The name of a process that still works although the agent has answered or exited. */
  left: string | undefined;

  constructor(
    readonly start: AgentStart,
    private readonly task: AgentTask,
  ) {
    this.secrets = agentSecrets(start.agentEnvironment);
    this.blocked = start.folder === undefined ? undefined : new BlockedAccess();
    this.child = orderAgent(start, task);
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.blocked?.output(chunk);
      this.output.add(chunk);
      this.said.add(chunk);
    });
    this.child.stderr?.on('data', (all: Buffer) => {
      const chunk = this.blocked?.errors(all) ?? all;
      this.output.add(chunk);
      this.errors.add(chunk);
    });
    this.started = this.untilStarted();
    this.gone = waitForExit(this.child);
    // Prevents unhandled rejections. Whoever awaits these promises gets the error.
    this.started.catch(() => undefined);
    this.gone.catch(() => undefined);
  }

  get stdin(): Writable | null {
    return this.child.stdin;
  }

  get stdout(): Readable | null {
    return this.child.stdout;
  }

  /** Resolves when the processes that the agent has started since a time have ended, or have no more time. */
  finish(since: number): Promise<void> {
    return new Promise((resolve) => {
      this.onFinished = resolve;
      this.child.once('exit', resolve);
      if (this.child.connected) {
        this.child.send({ since }, () => undefined);
      } else {
        resolve();
      }
    });
  }

  /** Tells the supervisor to stop its agent. If it does not exit in time, kills it, and `end` then kills the agent. */
  stop(): void {
    if (!this.child.connected) {
      return;
    }
    this.child.disconnect();
    const hard = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.once('exit', () => clearTimeout(hard));
  }

  /** Resolves when none of its processes run anymore and its log is written. */
  end(): Promise<void> {
    this.ending ??= this.afterGone();
    return this.ending;
  }

  private async afterGone(): Promise<void> {
    await this.gone;
    if (this.report?.kind !== 'ended' && this.report?.kind !== 'notStarted') {
      await (this.agent === undefined ? endJobProcesses(this.task.jobId) : killAgent(this.agent, this.task.jobId));
    }
    const log = this.secrets.redactSecrets(this.output.bytes().toString());
    await writeFile(join(this.task.directory, LOG_FILE), log, { mode: PRIVATE_FILE });
  }

  /** The line of its error output that says what went wrong; empty if there is none. */
  problemLine(): string {
    return this.secrets.redactDeep(this.errors.problemLine());
  }

  /** Why it failed, once it has ended; undefined if it succeeded. */
  problem(): CodedText | undefined {
    return problemIn(this.report, this.task.command[0] ?? '', this.problemLine());
  }

  /** Says once that the agent has answered, but what is named still works. */
  noteFinishing(name: string): void {
    if (!this.isFinishing) {
      this.isFinishing = true;
      this.task.onEntry(noteEntry(coded('agentFinishing', { name, time: durationText(this.finishMs) })));
      this.task.onPhase('finishing');
    }
  }

  /** Why the turn ended early if `name` still worked after the time for that. */
  endedEarly(name: string): CodedText {
    return coded('processesEnded', { name, time: durationText(this.finishMs) });
  }

  /** See `ticksUsed`. */
  ticksUsed(): number {
    return this.agent === undefined ? 0 : ticksUsed(this.agent.pid);
  }

  get finishMs(): number {
    return this.start.finishMs ?? FINISH_MS;
  }

  private untilStarted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.on('message', (message) => {
        const report = supervisorReportSchema.parse(message);
        if (report.kind === 'finishing') {
          this.left = report.name;
          this.noteFinishing(report.name);
          return;
        }
        if (report.kind === 'finished') {
          this.left = report.left;
          this.onFinished();
          return;
        }
        this.report = report;
        if (report.kind === 'started') {
          this.recordProcess(report.pid).then(resolve, (error: unknown) => reject(new ProcessNotRecordedError(error)));
        }
      });
      this.child.once('exit', () => resolve());
      this.child.once('error', () => resolve());
    });
  }

  private async recordProcess(pid: number): Promise<void> {
    const startTime = await processStartTime(pid);
    // A process that has already exited need not be killed.
    if (startTime !== undefined) {
      this.agent = { pid, startTime };
      await this.task.onStarted(this.agent);
    }
  }
}

/**
 * Runs `work` until it is done, the turn times out or the task's signal aborts. Whatever the outcome, no process of the
 * agent is left running. Throws the signal's reason, TurnFailure for the timeout, or what `work` threw; a TurnFailure says
 * what the sandbox has refused.
 *
 * @param work gets a signal for both limits, and calls the agent's `stop` if it wants the agent to exit on its own
 */
export function withinLimits<T>(
  ...[task, agent, work]: [AgentTask, SupervisedAgent, (limits: AbortSignal) => Promise<T>]
): Promise<T> {
  return workWithin(task, agent, work).catch((error: unknown) => {
    throw agent.blocked?.explain(error) ?? error;
  });
}

async function workWithin<T>(
  task: AgentTask,
  agent: SupervisedAgent,
  work: (limits: AbortSignal) => Promise<T>,
): Promise<T> {
  const limits = new AbortController();
  const stop = (): void => limits.abort(task.signal.reason);
  const timer = setTimeout(
    () => limits.abort(new TurnFailure(coded('agentTimeOver', { time: durationText(task.timeoutMs) }))),
    task.timeoutMs,
  );
  task.signal.addEventListener('abort', stop, { once: true });
  if (task.signal.aborted) {
    stop();
  }
  try {
    const done = await work(limits.signal);
    limits.signal.throwIfAborted();
    return done;
  } catch (error) {
    // An error that is caused by stopping the agent is not its own: report the limit instead.
    limits.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    task.signal.removeEventListener('abort', stop);
    agent.stop();
    await agent.end();
  }
}

/**
 * Starts a supervisor, which waits for its order, and exits if the channel closes before that.
 *
 * @param supervisor program and arguments
 * @param environment the service's own
 */
export function startSupervisor(
  [program = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  jobId: string,
): ChildProcess {
  const asNode = environment['ELECTRON_RUN_AS_NODE'];
  const child = spawn(program, args, {
    env: {
      ...allowedEnvironment(environment),
      [JOB_VARIABLE]: jobId,
      // Only for the supervisor, when the service itself runs inside an editor's program.
      ...(asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode }),
    },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    ...processControl().ownGroup,
  });
  // An agent that exits without reading its input closes the pipe. Its exit code says whether it succeeded.
  child.stdin?.on('error', () => undefined);
  // Without a listener, a supervisor that can't be started would end the service. The one who uses it sees the failure.
  child.on('error', () => undefined);
  return child;
}

/** Lets the supervisor that waits for the task, or else a new one, start the agent. */
function orderAgent(start: AgentStart, task: AgentTask): ChildProcess {
  // One that has run an agent has no channel anymore.
  const waiting = task.supervisor?.connected === true ? task.supervisor : undefined;
  const child = waiting ?? startSupervisor(start.supervisor, start.environment, task.jobId);
  const order: Supervise = {
    command: [...start.command],
    folder: start.folder ?? task.folder,
    environment: start.agentEnvironment,
    leaseMs: task.lease?.remainingMs(),
    finishMs: start.finishMs ?? FINISH_MS,
  };
  child.send(order, () => undefined);
  const renewals = task.lease?.onRenewed(() => {
    if (child.connected) {
      child.send({ leaseMs: task.lease?.remainingMs() }, () => undefined);
    }
  });
  child.once('exit', () => renewals?.dispose());
  return child;
}

/** Resolves when the supervisor has exited and its output was read. An escaped process may hold the output open. */
async function waitForExit(child: ChildProcess): Promise<void> {
  // Not the child's own `close` event, which is not emitted if this side closed the channel.
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

/** How an agent ended, after its own last words, which say why. */
export function endedSaying(words: string, text: CodedText): CodedText {
  return words === '' ? text : coded('endedSaying', { words: words.replace(/\.$/, ''), text });
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
    return endedSaying(lastLine, end);
  }
  if (report?.kind === 'notStarted') {
    // EACCES for a name: nothing of that name can be run, or the user may not enter a folder of PATH.
    return report.code === 'ENOENT' || (report.code === 'EACCES' && !/[/\\]/.test(program))
      ? coded('programNotFound', { program })
      : coded('programNotStarted', { program, code: report.code });
  }
  return coded('agentStoppedFromOutside');
}

export function durationText(ms: number): CodedText {
  return ms >= 60_000 ? minutes(ms / 60_000) : seconds(ms / 1000);
}

function minutes(count: number): CodedText {
  return Math.round(count) === 1 ? coded('oneMinute') : coded('minutes', { count: Math.round(count) });
}

function seconds(count: number): CodedText {
  return count === 1 ? coded('oneSecond') : coded('seconds', { count });
}
