import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { killAgent } from '../agents/descendants';
import { jobFolders } from '../git/jobClone';
import type { JobStore, Turn } from '../store/jobStore';
import { CRASH_NOTE, STOPPED_REASON } from './jobDesk';

/** How often an agent is started for one message, by services that were killed before it ended. */
const MAX_ATTEMPTS = 2;

/** What becomes of a turn that the last run of the service left. */
export type Fate = 'wait' | 'again' | 'publish' | 'replaced' | 'fail';

/**
 * What becomes of the unfinished turns of one job, oldest first. A newer message takes the place of an older one, as it
 * would have if the service had gone on; only what is being published comes to its end first.
 */
export function fates(turns: readonly Pick<Turn, 'state' | 'attempt'>[]): Fate[] {
  return turns.map(({ state, attempt }, index) => {
    if (state === 'publishing') {
      return 'publish';
    }
    if (index < turns.length - 1) {
      return 'replaced';
    }
    return state === 'queued' ? 'wait' : attempt < MAX_ATTEMPTS ? 'again' : 'fail';
  });
}

/**
 * Sees to what the last run of the service left, before a new request can come: ends each agent that still runs, which
 * is told by its process id and start time together and by the mark of its job, and settles each turn.
 *
 * @returns the turns that are to be started, oldest first
 */
export async function recover(store: JobStore, jobsFolder: string): Promise<Turn[]> {
  const jobs = byJob(store.unfinishedTurns());
  const begun = [...jobs.values()].flat().filter(({ state, startedAt }) => state !== 'queued' || startedAt !== null);
  await Promise.all(
    begun.map(({ jobId, agentPid, agentStartTime }) =>
      killAgent({ pid: agentPid ?? 0, startTime: agentStartTime ?? '' }, jobId),
    ),
  );
  const toStart: Turn[] = [];
  for (const [jobId, turns] of jobs) {
    const all = fates(turns);
    for (const [index, turn] of turns.entries()) {
      const fate = all[index];
      // Without the clones there is nothing to publish.
      const isLost = fate === 'publish' && !(await exists(jobFolders(join(jobsFolder, jobId)).hostGit));
      if (settle(store, turn, isLost ? 'fail' : (fate ?? 'wait'))) {
        toStart.push(store.turns(jobId).find(({ id }) => id === turn.id) ?? turn);
      }
    }
  }
  return toStart.toSorted((a, b) => a.id - b.id);
}

function byJob(turns: readonly Turn[]): Map<string, Turn[]> {
  const jobs = new Map<string, Turn[]>();
  for (const turn of turns) {
    jobs.set(turn.jobId, [...(jobs.get(turn.jobId) ?? []), turn]);
  }
  return jobs;
}

/** Returns whether the turn is to be started. */
function settle(store: JobStore, turn: Turn, fate: Fate): boolean {
  switch (fate) {
    case 'wait':
    case 'publish':
      return true;
    case 'again':
      store.requeueTurn(turn.id, { isFree: false, note: CRASH_NOTE });
      return true;
    case 'replaced':
      store.setTurn(turn.id, 'cancelled');
      return false;
    case 'fail':
      store.setTurn(turn.id, 'failed', STOPPED_REASON);
      return false;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
