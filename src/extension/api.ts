import type { Event } from 'vscode';
import type { Job } from './apiJob';

/** What `activate` returns (contract: "The extension's exports"). */
export interface DocsAgentApi {
  readonly version: 1;
  /** Empty for the moment in which the records are read; each job that is read is told as a change. */
  readonly jobs: readonly Job[];
  readonly onDidChangeJob: Event<Job>;
  /** Resolves when the service has answered or the prompt stays in the list; rejects only when nothing was kept. */
  createJob(prompt: string, options?: { project?: string }): Promise<Job>;
  sendFollowUp(jobId: string, prompt: string): Promise<Job>;
}
