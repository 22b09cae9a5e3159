import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup } from '../../shared/util/killGroup';
import { processControl } from '../../shared/util/processControl';
import { processStartTime } from '../../shared/util/processStartTime';
import type { AgentProcess } from './agentDriver';

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
