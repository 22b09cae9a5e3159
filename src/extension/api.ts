// What this extension gives to others: copy this file into yours. It needs nothing but the types of `vscode`.
import type { Event } from 'vscode';

/**
 * `sending`, `waiting` (to be sent by itself), `rejected` and `unconfirmed` (it may have been created) are states of a
 * prompt that no job is known of yet; the others are those of the service, and `unknown` stands for one that a later
 * version of it tells.
 */
export type JobStatus =
  'sending' | 'waiting' | 'rejected' | 'unconfirmed' | 'active' | 'completed' | 'failed' | 'archived' | 'unknown';

/** A job as it is now; a later change makes another object. Times are ISO 8601. */
export interface Job {
  /** Ours; never changes, and every command takes it where it takes a job id. */
  readonly key: string;
  /** The service's; undefined until it has answered. */
  readonly id?: string | undefined;
  readonly projectId: string;
  /** The origin of a hosted service, or `local`. */
  readonly service: string;
  readonly title: string;
  readonly status: JobStatus;
  /** The word that the service sent, where `status` is `unknown`. */
  readonly serviceStatus?: string | undefined;
  /** The state of a follow-up that was not accepted yet. */
  readonly pending?: string | undefined;
  readonly prLink: string | null;
  /** Why it failed, in the service’s words, where it says so. */
  readonly error?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly followUps: number;
}

/** What `activate` returns: `await vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate()`. */
export interface DocsAgentApi {
  readonly version: 1;
  /** Empty for the moment in which the records are read; each job that is read is told as a change. */
  readonly jobs: readonly Job[];
  /** Each change of a job, made in whatever window. */
  readonly onDidChangeJob: Event<Job>;
  /**
   * Resolves when the service has answered or the prompt stays in the list; rejects only when nothing was kept.
   *
   * @param options.project an id that goes before the settings; hosted service only
   */
  createJob(prompt: string, options?: { project?: string }): Promise<Job>;
  /**
   * The same for a further prompt to a job that the service has. One that is running stops what it does, unless `when`
   * is `ended`: then the prompt stays in the list and goes by itself when the present run has ended well.
   *
   * @param jobId the `key` or the `id` of the job
   */
  sendFollowUp(jobId: string, prompt: string, options?: { when?: 'now' | 'ended' }): Promise<Job>;
}
