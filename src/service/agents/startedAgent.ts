import { processStartTime } from '../../shared/util/processStartTime';
import { endJobProcesses } from './endJobProcesses';
import { killGroup } from './killGroup';

/** An agent that runs, and when it started, by which it can be told from a later process of the same id. */
export interface StartedAgent {
  pid: number;
  startTime: Promise<string | undefined>;
}

/**
 * Ends an agent whose supervisor is gone and did not say that it ended it. By now its id may have been given to another
 * process: one that started at another time is left alone.
 */
export async function endAgent({ pid, startTime }: StartedAgent, jobId: string): Promise<void> {
  const now = await processStartTime(pid);
  if (now === undefined || now === (await startTime)) {
    killGroup(pid, 'SIGKILL');
  }
  await endJobProcesses(jobId);
}
