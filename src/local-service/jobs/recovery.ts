import { join } from 'node:path';
import { exists } from '../../base/files';
import { killAgent } from '../agents/descendants';
import { jobFolders } from '../git/jobClone';
import { coded, type CodedText } from '../../protocol/codedText';
import type { JobStore, Turn } from '../store/jobStore';
import { STOPPED_REASON, USER_REASON } from './jobStatus';

/** Maximum number of times an agent is started for one message, if the service is killed each time before it ends. */
const MAX_ATTEMPTS = 2;

const TEXTS: RecoveryTexts = { again: coded('takenUpAgain'), fail: STOPPED_REASON };

/** What happens to a turn that the previous run of the service left unfinished. */
export type RecoveryAction = 'wait' | 'again' | 'publish' | 'replaced' | 'stopped' | 'fail';

type Left = Pick<Turn, 'state' | 'attempt' | 'uncountedAttempts' | 'stopRequested'>;

/**
 * Decides what happens to the unfinished turns of one job, oldest first. A newer message replaces an older one, as it
 * would have if the service had kept running. Only a turn that is being published is finished first.
 */
export function planRecovery(turns: readonly Left[]): RecoveryAction[] {
  return turns.map(({ state, attempt, uncountedAttempts, stopRequested }, index) => {
    if (stopRequested === 'user') {
      // Whatever ran it was killed before it had stopped.
      return 'stopped';
    }
    if (state === 'publishing') {
      return 'publish';
    }
    if (index < turns.length - 1) {
      return 'replaced';
    }
    return state === 'queued' ? 'wait' : attempt - uncountedAttempts < MAX_ATTEMPTS ? 'again' : 'fail';
  });
}

/**
 * Cleans up what the previous run of the service left, before a new request can arrive: kills each agent that is still
 * running, identified by its process id and start time together and by the marker of its job, and settles each turn.
 *
 * @returns the turns to start, oldest first
 */
export async function recover(store: JobStore, jobsFolder: string): Promise<Turn[]> {
  const jobs = byJob(await store.unfinishedTurns());
  const begun = [...jobs.values()].flat().filter(({ state, startedAt }) => state !== 'queued' || startedAt !== null);
  await Promise.all(
    begun.map(({ jobId, agentPid, agentStartTime }) =>
      killAgent({ pid: agentPid ?? 0, startTime: agentStartTime ?? '' }, jobId),
    ),
  );
  const toStart: Turn[] = [];
  for (const [jobId, turns] of jobs) {
    const all = planRecovery(turns);
    for (const [index, turn] of turns.entries()) {
      const action = all[index];
      // Without the clones there is nothing to publish.
      const isLost = action === 'publish' && !(await exists(jobFolders(join(jobsFolder, jobId)).hostGit));
      if (await applyRecovery(store, turn, isLost ? 'fail' : (action ?? 'wait'), TEXTS)) {
        toStart.push((await store.turns(jobId)).find(({ id }) => id === turn.id) ?? turn);
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

/** What the user reads of a turn that a killed process has left. */
export interface RecoveryTexts {
  again: CodedText;
  fail: CodedText;
}

/** Returns whether the turn has to be claimed next. */
export async function applyRecovery(
  store: Pick<JobStore, 'finishTurn' | 'requeueTurn'>,
  turn: Turn,
  action: RecoveryAction,
  texts: RecoveryTexts,
): Promise<boolean> {
  switch (action) {
    case 'wait':
    case 'publish':
      return true;
    case 'again':
      await store.requeueTurn(turn, { isCounted: true, note: texts.again });
      return true;
    case 'replaced':
      await store.finishTurn(turn, 'cancelled');
      return false;
    case 'stopped':
      await store.finishTurn(turn, 'cancelled', USER_REASON);
      return false;
    case 'fail':
      await store.finishTurn(turn, 'failed', texts.fail);
      return false;
  }
}
