import { setTimeout as delay } from 'node:timers/promises';
import type { DocsAgentApi } from '../../src/extension/api';
import type { Job } from '../../src/extension/apiJob';
import type { Workbench } from '../support/vscode/workbench';

/** The jobs as the extension's exports tell them. */
export async function exportedJobs(workbench: Workbench): Promise<Job[]> {
  return workbench.host.run(async (vscode) => {
    const extension = vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs');
    return [...((await extension?.activate())?.jobs ?? [])];
  });
}

/** Waits until the one job that there is has this status. */
export async function untilStatus(workbench: Workbench, wanted: Job['status'], limit: number): Promise<void> {
  await until(workbench, (jobs) => jobs[0]?.status === wanted, limit, `the job did not become ${wanted}`);
}

/** Waits until a job has this status, and this title where one is given. */
export async function untilSomeStatus(
  workbench: Workbench,
  wanted: Job['status'],
  limit: number,
  title?: string,
): Promise<void> {
  const isIt = (job: Job): boolean => job.status === wanted && (title === undefined || job.title === title);
  await until(workbench, (jobs) => jobs.some(isIt), limit, `no job became ${wanted}`);
}

async function until(
  workbench: Workbench,
  holds: (jobs: readonly Job[]) => boolean,
  limit: number,
  otherwise: string,
): Promise<void> {
  for (const end = Date.now() + limit; Date.now() < end;) {
    if (holds(await exportedJobs(workbench))) {
      return;
    }
    await delay(100);
  }
  throw new Error(otherwise);
}
