import { setTimeout as delay } from 'node:timers/promises';
import type { DocsAgentApi } from '../../src/extension/api';
import type { Job } from '../../src/extension/presentation/apiJob';
import type { Workbench } from '../support/vscode/workbench';
import { WAIT_LIMIT } from '../support/limits';

/** The jobs as the extension's exports return them. */
export async function exportedJobs(workbench: Workbench): Promise<Job[]> {
  return workbench.host.run(async (vscode) => {
    const extension = vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs');
    return [...((await extension?.activate())?.jobs ?? [])];
  });
}

/** Waits until the job with this title has this status. */
export async function untilStatus(workbench: Workbench, title: string, wanted: Job['status']): Promise<void> {
  for (const end = Date.now() + WAIT_LIMIT; Date.now() < end;) {
    if ((await exportedJobs(workbench)).some((job) => job.title === title && job.status === wanted)) {
      return;
    }
    await delay(100);
  }
  throw new Error(`the job did not become ${wanted}`);
}
