// The API that this extension exports. Copy this file into your extension; it depends only on the types of `vscode`.
import type { Event } from 'vscode';

/**
 * `sending`, `waiting` (will be sent automatically), `rejected` and `unconfirmed` (may have been created) are states of
 * a prompt that has no known job yet. The others come from the service; `unknown` stands for a status that a later
 * version of the service introduced.
 */
export type JobStatus =
  | 'sending'
  | 'waiting'
  | 'rejected'
  | 'unconfirmed'
  | 'active'
  | 'completed'
  | 'failed'
  | 'archived'
  | 'unknown';

/** A snapshot of a job; each change produces a new object. Times are ISO 8601. */
export interface Job {
  /** Assigned by this extension and never changes. Commands accept it wherever they accept a job id. */
  readonly key: string;
  /** Assigned by the service; undefined until it has answered. */
  readonly id?: string | undefined;
  readonly projectId: string;
  /** The origin of a hosted service, or `local`. */
  readonly service: string;
  readonly title: string;
  readonly status: JobStatus;
  /** The user stopped the last run; `status` is `failed`. */
  readonly stopped?: true | undefined;
  /** The status as the service sent it, set when `status` is `unknown`. */
  readonly serviceStatus?: string | undefined;
  /** The state of a follow-up that has not been accepted yet. */
  readonly pending?: string | undefined;
  readonly prLink: string | null;
  /** Why the job failed, in the service’s words, if it gives a reason. */
  readonly error?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly followUps: number;
}

/**
 * What `activate` returns:
 * `await vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate()`.
 */
export interface DocsAgentApi {
  readonly version: 1;
  /** Empty until the records have been read; each job that is read fires `onDidChangeJob`. */
  readonly jobs: readonly Job[];
  /** Fires for every change of a job, in any window. */
  readonly onDidChangeJob: Event<Job>;
  /**
   * Resolves when the service has answered or the prompt stays in the list. Rejects only when nothing was saved.
   *
   * @param options.project a project ID that overrides the settings; hosted service only
   */
  createJob(prompt: string, options?: { project?: string }): Promise<Job>;
  /**
   * Sends a further prompt to a job that the service has; resolves and rejects like `createJob`. It interrupts a
   * running job, unless `when` is `ended`: then the prompt stays in the list and is sent when the current run has ended
   * successfully.
   *
   * @param jobId the `key` or the `id` of the job
   */
  sendFollowUp(jobId: string, prompt: string, options?: { when?: 'now' | 'ended' }): Promise<Job>;
}
