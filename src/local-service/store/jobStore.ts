import type { Disposable } from '../../base/disposable';
import type { ChangeCounts } from '../../protocol/changes';
import type { CodedText } from '../../protocol/codedText';
import type { ProjectSettings } from '../../protocol/localService';
import type { ActivityEntry, ActivityEvent } from '../../protocol/activity';
import type { Usage } from '../../protocol/usage';

/** A repository that jobs can be created for. */
export interface Project {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
  settings: ProjectSettings;
}

export type TurnState = 'queued' | 'running' | 'publishing' | 'done' | 'failed' | 'cancelled';

export type RequestKind = 'create' | 'message';

/** What the user did with a job's work on the review page. */
export type ReviewEnd = 'merged' | 'closed';

/** What an agent last reported in a turn. The cost is that of the session so far, with the turns before. */
export interface TurnUsage extends Usage {
  session: string;
}

/** One message to the agent and its outcome. Times are milliseconds since the epoch. */
export interface Turn {
  id: number;
  jobId: string;
  prompt: string;
  state: TurnState;
  /** Why it failed, or why it ended early if it is done. */
  reason: CodedText | null;
  createdAt: number;
  /** How many times an agent was started for it; more than once if the service stopped in between. */
  attempt: number;
  /** The agent's process while it runs, and when that started (see `processStartTime`). */
  agentPid: number | null;
  agentStartTime: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** The agent's final message, for the commit message; null until the agent has finished successfully. */
  summary: string | null;
  /** Null if the agent has reported none. */
  usage: TurnUsage | null;
  /** The commit with what it changed; null if it changed nothing, or an earlier version of the service ran it. */
  commit: string | null;
}

export interface Job {
  id: string;
  projectId: string;
  /** The name of its branch, in its clone and in the user's repository. Never changes. */
  branch: string;
  /** The agent that ran last. */
  model: string;
  /** The address of the repository, in a form that may be shown. */
  repository: string;
  /**
   * The commit and the branch that the work starts from; null until they are known. The branch is also null for a
   * detached HEAD.
   */
  baseCommit: string | null;
  baseBranch: string | null;
  /** The newest commit in the user's repository; null if there is none. */
  publishedCommit: string | null;
  /** What that commit changes since the base; null if that is unknown. */
  changes: ChangeCounts | null;
  /** The newest commit on the Git host; null if there is none. */
  pushedCommit: string | null;
  /** The URL of the pull request, or of the page for opening one; null without either. */
  prLink: string | null;
  /** What the user should know about the last publication. */
  note: CodedText | null;
  /** Which files the newest commit lacks because git ignores them; null if there are none. */
  leftOut: CodedText | null;
  /** The agent session that a follow-up continues, and the agent that it belongs to. */
  session: string | null;
  sessionAgent: string | null;
  /** The id of the last turn whose message that session has received, along with those of all earlier turns. */
  sessionTurn: number | null;
  review: ReviewEnd | null;
  createdAt: number;
  archivedAt: number | null;
}

/** A job at its creation; all other fields are set later. */
export type NewJob = Pick<
  Job,
  'id' | 'projectId' | 'branch' | 'model' | 'repository' | 'baseCommit' | 'baseBranch' | 'createdAt'
>;

/** Stores projects and jobs. Each write is on disk when its call returns. */
export interface JobStore {
  putProject(project: Project): void;
  project(id: string): Project | undefined;

  /** Adds a job and its first turn in one transaction. */
  addJob(job: NewJob, prompt: string): Turn;
  /** Adds a turn for a follow-up. Unarchives the job and reopens its review. */
  addTurn(job: Pick<Job, 'id' | 'projectId'>, prompt: string, createdAt: number): Turn;
  job(id: string): Job | undefined;
  /** Returns at most `limit` jobs of a project, newest first; only those before the job `before`, if given. */
  jobs(projectId: string, limit: number, before?: string): Job[];
  /** True if a job of any project has a branch of this name. */
  hasBranch(name: string): boolean;
  /** The ids of all jobs of all projects. */
  jobIds(): string[];
  setBase(jobId: string, commit: string, branch: string | null): void;
  setModel(jobId: string, model: string): void;
  setLeftOut(jobId: string, leftOut: CodedText | null): void;
  setPublished(jobId: string, commit: string, changes: ChangeCounts | null): void;
  /** Stores the publisher's result. `pushedCommit` is null when none of the work is on the Git host. */
  setPublication(jobId: string, publication: Pick<Job, 'prLink' | 'note' | 'pushedCommit'>): void;
  setSession(jobId: string, agent: string, session: string, turnId: number): void;
  setReview(jobId: string, review: ReviewEnd | null): void;
  setArchived(jobId: string, at: number): void;

  /** The turns of a job, oldest first. */
  turns(jobId: string): Turn[];
  /** The turns that have not ended, oldest first. */
  unfinishedTurns(): Turn[];
  /** When the job's last turn ended, in milliseconds since the epoch; undefined while one has not. */
  endedAt(jobId: string): number | undefined;
  /**
   * Sets the state, clears the agent's process, and adds the state to the job's activity log. `running` counts as an
   * attempt.
   */
  setTurn(turnId: number, state: TurnState, reason?: CodedText): void;
  /**
   * Requeues a turn that was interrupted when the service stopped, and notes that in the activity log. A turn that was
   * being published keeps that state. With `isFree`, the attempt does not count.
   */
  requeueTurn(turnId: number, how: { isFree: boolean; note: CodedText }): void;
  setAgentProcess(turnId: number, pid: number, startTime: string): void;
  setSummary(turnId: number, summary: string): void;
  setUsage(turnId: number, usage: TurnUsage): void;
  setTurnCommit(turnId: number, commit: string): void;

  /**
   * Returns when the n-th newest request of this kind was accepted, counted from 1 and considering only those up to
   * `until`; undefined when there are fewer. Times are milliseconds since the epoch.
   */
  nthNewest(projectId: string, operation: RequestKind, n: number, until: number): number | undefined;

  /** Reports the id of each job that is new, or whose state, review or archived status has changed. */
  onJob(listener: (jobId: string) => void): Disposable;

  /** The port that the service listened on last. */
  lastPort(): number | undefined;
  setLastPort(port: number): void;

  close(): void;
}

/** The activity log of each job, limited in size. */
export interface ActivityLogStore {
  /** Adds entries of a turn in one transaction. */
  addStory(jobId: string, turnId: number, entries: readonly ActivityEntry[]): void;
  /** Returns at most `limit` events after the one with the id `after`, oldest first; 0 starts at the beginning. */
  story(jobId: string, after: number, limit: number): ActivityEvent[];
  /** Deletes the activity logs of jobs that were archived before this time, in milliseconds since the epoch. */
  dropStories(archivedBefore: number): void;
  /** Reports the id of each job whose activity log has grown. */
  onStory(listener: (jobId: string) => void): Disposable;
}
