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
  const end = Date.now() + limit;
  while (Date.now() < end) {
    const [job] = await exportedJobs(workbench);
    if (job?.status === wanted) {
      return;
    }
    await delay(100);
  }
  throw new Error(`the job did not become ${wanted}`);
}
