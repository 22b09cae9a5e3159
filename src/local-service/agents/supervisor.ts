import { type ChildProcess, spawn } from 'node:child_process';
import { killGroup, processControl } from '../../base/process';
import { Descendants, endJobProcesses, JOB_VARIABLE } from './descendants';
import { type Supervise, superviseSchema, type SupervisorReport } from './supervisorMessages';

/** How long an agent may take to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 500;

/**
 * The life of a supervisor process, which stands between the service and one agent: it starts the agent in a group of
 * its own, on its own standard streams, and ends it with all that it started as soon as the channel to the service
 * closes. A service that is killed can't end its agents itself; its channel closes all the same.
 */
export function supervise(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // What is meant for the whole terminal must not end the supervisor before its agent.
    process.on(signal, () => undefined);
  }
  process.once('message', (message) => watch(start(superviseSchema.parse(message))));
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

function watch(agent: ChildProcess): void {
  const { pid } = agent;
  agent.once('error', (error: NodeJS.ErrnoException) =>
    report({ kind: 'notStarted', code: error.code ?? error.message }),
  );
  if (pid === undefined) {
    return;
  }
  const descendants = new Descendants(pid);
  report({ kind: 'started', pid });
  agent.once('exit', (code, signal) => {
    // What the agent left running in the background goes with it.
    void endAll(agent, pid, descendants).then(() => report({ kind: 'ended', code, signal }));
  });
  process.removeAllListeners('disconnect');
  process.once('disconnect', () => {
    // While their parents live: afterwards nothing tells whose they were.
    descendants.look();
    killGroup(pid, 'SIGTERM');
    setTimeout(() => {
      // One that has ended meanwhile is seen to above; its id may be another's by now.
      if (!hasEnded(agent)) {
        void endAll(agent, pid, descendants).then(() => process.exit(0));
      }
    }, GRACE_MS);
  });
}

async function endAll(agent: ChildProcess, pid: number, descendants: Descendants): Promise<void> {
  descendants.look();
  if (!hasEnded(agent) || processControl().groupOutlivesFirst) {
    killGroup(pid, 'SIGKILL');
  }
  descendants.kill();
  await endJobProcesses(process.env[JOB_VARIABLE] ?? '');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Tells the service; after the last word the channel is closed, which ends this process. */
function report(message: SupervisorReport): void {
  const isLast = message.kind !== 'started';
  process.send?.(message, undefined, undefined, () => {
    if (isLast) {
      process.exit(0);
    }
  });
}
