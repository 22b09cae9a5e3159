import { ok } from 'node:assert/strict';
import { extensions } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/apiJob';

/** The extension's exports, as another extension gets them. */
export async function activatedApi(): Promise<DocsAgentApi> {
  const api = await extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate();
  ok(api !== undefined);
  return api;
}

/** Resolves with the job once it is as asked for. */
export async function untilJob(api: DocsAgentApi, key: string, fits: (job: Job) => boolean): Promise<Job> {
  const now = api.jobs.find((job) => job.key === key);
  if (now !== undefined && fits(now)) {
    return now;
  }
  return new Promise((resolve) => {
    const subscription = api.onDidChangeJob((job) => {
      if (job.key === key && fits(job)) {
        subscription.dispose();
        resolve(job);
      }
    });
  });
}

export const isOver = (job: Job): boolean => ['completed', 'failed', 'archived'].includes(job.status);
