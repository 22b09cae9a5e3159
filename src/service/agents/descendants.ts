import { readdirSync, readFileSync } from 'node:fs';
import { processControl } from '../../shared/util/processControl';
import { startTimeInStat } from '../../shared/util/processStartTime';

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
