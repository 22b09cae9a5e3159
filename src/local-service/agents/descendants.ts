import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup, processControl, processStartTime, startTimeInStat } from '../../base/process';
import type { AgentProcess } from './agentDriver';

/** How often to scan for processes that an agent has started, in milliseconds. */
const EVERY_MS = 500;

/**
 * Tracks the descendants of a process (Linux), for those that leave its group and hide their job's marker: a program
 * may clear the environment of its children, or make it unreadable. A process whose parent exits before a scan has seen
 * it is missed, because its parent is then unknown.
 */
export class Descendants {
  /** Start time by process id. */
  private readonly seen = new Map<number, string>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly root: number) {
    const startTime = statOf(root)?.startTime;
    if (startTime !== undefined) {
      this.seen.set(root, startTime);
    }
    this.timer = setInterval(() => this.refresh(), EVERY_MS);
  }

  /** Scans now, in addition to the timer. Returns all processes. */
  refresh(): Stat[] {
    if (!processControl().hasProc) {
      return [];
    }
    const all = processes();
    const alive = new Map(all.map(({ pid, startTime }) => [pid, startTime]));
    for (const [pid, startTime] of this.seen) {
      // The id may have been reused by now, by a process that has nothing to do with the agent.
      if (alive.get(pid) !== startTime) {
        this.seen.delete(pid);
      }
    }
    addDescendants(this.seen, all);
    return all;
  }

  /**
   * The names of the processes that a job has started since a time (see `ticksNow`) and that still work: the tracked
   * ones and those with its marker. A process in the group of an earlier one whose input is a pipe is a server of the
   * agent, as for the Model Context Protocol, which waits for requests and ends with it. A process that was just forked
   * looks the same for a moment. A copy of an earlier process serves one of its connections, as in the sandbox.
   */
  working(jobId: string, since: number): { names: string[]; hasServers: boolean } {
    const all = this.refresh().filter(({ pid }) => pid !== process.pid && pid !== this.root);
    const isEarlier = ({ startTime }: Stat): boolean => Number(startTime) < since;
    const earlier = all.filter(isEarlier);
    const [groups, pids] = [
      new Set([this.root, ...earlier.map(({ group }) => group)]),
      new Set(earlier.map(({ pid }) => pid)),
    ];
    const isCopy = ({ pid, parent }: Stat): boolean => pids.has(parent) && commandOf(pid) === commandOf(parent);
    const found = all
      .filter((each) => !isEarlier(each) && !each.hasEnded)
      .filter((each) => this.seen.get(each.pid) === each.startTime || isMarked(each.pid, jobId))
      .filter((each) => !isCopy(each));
    const working = found.filter(({ pid, group }) => !groups.has(group) || !isServer(pid));
    return { names: working.map(({ name }) => name), hasServers: working.length < found.length };
  }

  /** Kills the tracked processes that still run, and stops scanning. */
  kill(): void {
    this.refresh();
    clearInterval(this.timer);
    for (const [pid, startTime] of this.seen) {
      if (statOf(pid)?.startTime === startTime) {
        kill(pid);
      }
    }
  }
}

interface Stat {
  pid: number;
  name: string;
  /** Whether it has exited and was not yet reaped by its parent. */
  hasEnded: boolean;
  parent: number;
  group: number;
  startTime: string;
  /** The processor time of it and its reaped children, in hundredths of a second. */
  ticks: number;
}

/** The time as in the start times of processes on Linux, in hundredths of a second since boot; 0 elsewhere. */
export function ticksNow(): number {
  return processControl().hasProc ? Math.floor(Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100) : 0;
}

/** The processor time of a process and its descendants so far, in hundredths of a second; 0 where it isn't known. */
export function ticksUsed(root: number): number {
  const all = processControl().hasProc ? processes() : [];
  const tree = addDescendants(new Map([[root, '']]), all);
  return all.filter(({ pid }) => tree.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

/** Adds to some processes, with their start times, what they have started. */
function addDescendants(tree: Map<number, string>, all: readonly Stat[]): Map<number, string> {
  for (let before = -1; before !== tree.size;) {
    before = tree.size;
    all.filter(({ parent }) => tree.has(parent)).forEach(({ pid, startTime }) => tree.set(pid, startTime));
  }
  return tree;
}

function isServer(pid: number): boolean {
  try {
    return /^(pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/0`));
  } catch {
    return false;
  }
}

/** Undefined if it has ended. */
function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return undefined;
  }
}

function processes(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== undefined);
}

function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const startTime = startTimeInStat(stat);
    // proc_pid_stat(5): after the name in parentheses come the state, the parent, and the process group.
    const [state = '', parent, group, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = more.slice(8, 12).reduce((sum, each) => sum + Number(each), 0);
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const rest = { name, hasEnded: /[ZX]/i.test(state), parent: Number(parent), group: Number(group), ticks };
    return startTime === undefined ? undefined : { pid, startTime, ...rest };
  } catch {
    return undefined;
  }
}

/** The variable that marks every process of a job. Its value is the job's random id. */
export const JOB_VARIABLE = 'DOCS_AGENT_JOB';

/** A program that starts others while it is being killed takes several rounds. */
const ROUNDS = 50;
const BETWEEN_ROUNDS_MS = 20;

/**
 * Kills processes that an agent started and that have left its process group, found by the marker that each child
 * inherits in its environment. Only marked processes are killed, so a process that reuses an id is safe. Resolves when
 * none is left, or after a second of trying.
 *
 * Only Linux exposes the environment of a process. Elsewhere this finds nothing, and killing the process group has to
 * do.
 */
export async function endJobProcesses(jobId: string): Promise<void> {
  for (let round = 0; round < ROUNDS && killMarked(jobId) > 0; round++) {
    await delay(BETWEEN_ROUNDS_MS);
  }
}

/** Returns how many processes were killed. */
function killMarked(jobId: string): number {
  if (!processControl().hasProc || jobId === '') {
    return 0;
  }
  return processes().filter(({ pid }) => pid !== process.pid && isMarked(pid, jobId) && kill(pid)).length;
}

function isMarked(pid: number, jobId: string): boolean {
  try {
    // A zombie, which has exited but was not yet reaped by its parent, has no environment.
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${JOB_VARIABLE}=${jobId}\0`);
  } catch {
    return false;
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/**
 * Kills an agent whose supervisor exited without reporting the agent's end, and all processes with the job's marker.
 * The agent's process id, and so its group's, may have been reused: it is used only if the start time matches.
 */
export async function killAgent({ pid, startTime }: AgentProcess, jobId: string): Promise<void> {
  if (startTime !== '' && (await processStartTime(pid)) === startTime) {
    killGroup(pid, 'SIGKILL');
  }
  await endJobProcesses(jobId);
}
