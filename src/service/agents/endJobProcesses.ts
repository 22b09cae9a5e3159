import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processControl } from '../../shared/util/processControl';

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
