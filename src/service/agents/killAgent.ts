import { processStartTime } from '../../shared/util/processStartTime';
import type { AgentProcess } from './agentDriver';
import { endJobProcesses } from './endJobProcesses';
import { killGroup } from '../../shared/util/killGroup';

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
