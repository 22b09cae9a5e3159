import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup, processControl } from '../../base/process';
import { Descendants, endJobProcesses, JOB_VARIABLE, ticksNow } from './descendants';
import { type Later, laterSchema, type Supervise, superviseSchema, type SupervisorReport } from './supervisorMessages';

/** How long an agent may take to exit on its own before it is killed, in milliseconds. */
const GRACE_MS = 500;

/** How often to look whether processes that an agent has left still work, in milliseconds. */
const LOOK_MS = 100;

/**
 * Entry point of a supervisor process, which sits between the service and one agent. It starts the agent in its own
 * process group, on the supervisor's standard streams, and kills it and everything that it started as soon as the
 * channel to the service closes. The channel also closes when the service is killed and cannot stop its agents itself.
 * The same happens when the agent's lease has run out.
 */
export function supervise(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A signal to the whole terminal must not end the supervisor before its agent.
    process.on(signal, () => undefined);
  }
  process.once('message', (message) => {
    const order = superviseSchema.parse(message);
    const startedAt = ticksNow();
    watch(start(order), order, startedAt);
  });
  process.once('disconnect', () => process.exit(1));
}

function start({ command: [program = '', ...args], folder, environment }: Supervise): ChildProcess {
  return spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: 'inherit',
    ...processControl().ownGroup,
  });
}

function watch(agent: ChildProcess, { leaseMs, finishMs }: Supervise, startedAt: number): void {
  const { pid } = agent;
  agent.once('error', (error: NodeJS.ErrnoException) =>
    report({ kind: 'notStarted', code: error.code ?? error.message }),
  );
  if (pid === undefined) {
    return;
  }
  const descendants = new Descendants(pid);
  report({ kind: 'started', pid });
  let isEnding = false;
  let finishing: Promise<void> | undefined;
  /** Waits for what still works. */
  const finish = async (since: number): Promise<void> => {
    const look = () => descendants.working(process.env[JOB_VARIABLE] ?? '', since);
    const first = look();
    let [name] = first.names;
    if (name !== undefined || first.hasServers) {
      // It may be about to end, such as a process of the sandbox after its command.
      await delay(LOOK_MS);
      [name] = look().names;
    }
    if (name !== undefined && !isEnding) {
      report({ kind: 'finishing', name });
    }
    for (
      const until = Date.now() + finishMs;
      name !== undefined && !isEnding && Date.now() < until;
      [name] = look().names
    ) {
      await delay(LOOK_MS);
    }
    report({ kind: 'finished', left: name });
  };
  agent.once('exit', (code, signal) => {
    // Processes that the agent left running in the background are killed too.
    void (code === 0 ? (finishing ??= finish(startedAt)) : Promise.resolve())
      .then(() => endAll(agent, pid, descendants))
      .then(() => report({ kind: 'ended', code, signal }));
  });
  process.removeAllListeners('disconnect');
  const end = (): void => {
    if (isEnding) {
      return;
    }
    isEnding = true;
    // Scan while their parents are alive: afterwards their origin is unknown.
    descendants.refresh();
    killGroup(pid, 'SIGTERM');
    setTimeout(() => {
      // An agent that has exited in the meantime was handled above, and its id may have been reused.
      if (!hasEnded(agent)) {
        void endAll(agent, pid, descendants).then(() => process.exit(0));
      }
    }, GRACE_MS);
  };
  process.once('disconnect', end);
  let timer: NodeJS.Timeout | undefined;
  const hear = ({ leaseMs: lease, since }: Later): void => {
    if (lease !== undefined) {
      clearTimeout(timer);
      timer = setTimeout(end, Math.max(0, lease));
    }
    if (since !== undefined) {
      finishing ??= finish(since);
    }
  };
  hear({ leaseMs });
  process.on('message', (message) => hear(laterSchema.parse(message)));
}

async function endAll(agent: ChildProcess, pid: number, descendants: Descendants): Promise<void> {
  descendants.refresh();
  if (!hasEnded(agent) || processControl().groupOutlivesFirst) {
    killGroup(pid, 'SIGKILL');
  }
  descendants.kill();
  await endJobProcesses(process.env[JOB_VARIABLE] ?? '');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Reports to the service, and exits after the last report, which closes the channel. */
function report(message: SupervisorReport): void {
  const isLast = message.kind === 'ended' || message.kind === 'notStarted';
  process.send?.(message, undefined, undefined, () => {
    if (isLast) {
      process.exit(0);
    }
  });
}
