import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup, processControl, processStartTime, startTimeInStat } from '../../base/process';
import type { AgentProcess } from './agentDriver';

/** How often the processes that an agent has started are looked for, in milliseconds. */
const EVERY_MS = 500;

/**
 * Remembers (Linux) what descends from a process, for those that leave its group and hide the mark of their job: a
 * program may clear the environment of what it starts, or forbid others to read it. A process whose parent ends before it
 * was seen once is missed, as no parent of it can be told any more.
 */
export class Descendants {
  /** Start time by process id. */
  private readonly seen = new Map<number, string>();
  private readonly timer: NodeJS.Timeout;

  constructor(root: number) {
    const startTime = statOf(root)?.startTime;
    if (startTime !== undefined) {
      this.seen.set(root, startTime);
    }
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  /** Looks once more. */
  look(): void {
    if (!processControl().hasProc) {
      return;
    }
    const all = processes();
    const alive = new Map(all.map(({ pid, startTime }) => [pid, startTime]));
    for (const [pid, startTime] of this.seen) {
      // The id may be another's by now, whose children are none of the agent's.
      if (alive.get(pid) !== startTime) {
        this.seen.delete(pid);
      }
    }
    for (let before = -1; before !== this.seen.size;) {
      before = this.seen.size;
      for (const { pid, parent, startTime } of all) {
        if (this.seen.has(parent)) {
          this.seen.set(pid, startTime);
        }
      }
    }
  }

  /** Kills what was seen and still runs; looks no more. */
  kill(): void {
    this.look();
    clearInterval(this.timer);
    for (const [pid, startTime] of this.seen) {
      if (statOf(pid)?.startTime === startTime) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
    }
  }
}

interface Stat {
  pid: number;
  parent: number;
  startTime: string;
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
    // proc_pid_stat(5): the state, then the parent, behind the name in parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return startTime === undefined ? undefined : { pid, parent, startTime };
  } catch {
    return undefined;
  }
}

/** The variable by which each process of a job can be told: its value is the job's random id. */
export const JOB_VARIABLE = 'DOCS_AGENT_JOB';

/** A program that starts others while it is being ended takes several rounds. */
const ROUNDS = 50;
const BETWEEN_ROUNDS_MS = 20;

/**
 * Kills what an agent started and what has left its process group since, by the mark that each child inherits in its
 * environment. Only a process that bears the mark is touched, whatever its id was before, so no stranger is. Resolves
 * when none is left, or when a second of trying has not helped.
 *
 * Linux alone shows the environment of a process; elsewhere this finds nothing and the process group has to do.
 */
export async function endJobProcesses(jobId: string): Promise<void> {
  for (let round = 0; round < ROUNDS && killMarked(jobId) > 0; round++) {
    await delay(BETWEEN_ROUNDS_MS);
  }
}

/** Returns how many there were. */
function killMarked(jobId: string): number {
  if (!processControl().hasProc || jobId === '') {
    return 0;
  }
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => pid !== process.pid && isMarked(pid, jobId) && kill(pid)).length;
}

function isMarked(pid: number, jobId: string): boolean {
  try {
    // A process that has ended, and waits for its parent to notice, has no environment any more.
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
 * Ends an agent whose supervisor is gone and did not say that it ended it, with all that bears the mark of its job. By
 * now the id of its process, and with it that of its group, may have been given to another: only one that started at the
 * same time is touched by its id.
 */
export async function killAgent({ pid, startTime }: AgentProcess, jobId: string): Promise<void> {
  if (startTime !== '' && (await processStartTime(pid)) === startTime) {
    killGroup(pid, 'SIGKILL');
  }
  await endJobProcesses(jobId);
}
