import type { Disposable } from '../../base/disposable';
import type { CodedText } from '../../protocol/codedText';
import type { ProjectSettings } from '../../protocol/localService';
import type { StoryEntry, StoryEvent } from '../../protocol/story';

/** A repository that jobs may be made for. */
export interface Project {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
  settings: ProjectSettings;
}

export type TurnState = 'queued' | 'running' | 'publishing' | 'done' | 'failed' | 'cancelled';

export type Operation = 'create' | 'message';

/** What the user did with a job's work on the review page. */
export type ReviewEnd = 'merged' | 'closed';

/** One message to the agent and what became of it. Times are milliseconds since the epoch. */
export interface Turn {
  id: number;
  jobId: string;
  prompt: string;
  state: TurnState;
  /** Why it failed, or why it ended early though it is done. */
  reason: CodedText | null;
  createdAt: number;
  /** How often an agent was started for it; more than once after a stop of the service. */
  attempt: number;
  /** The agent's process while it runs, and when that started (see `processStartTime`). */
  agentPid: number | null;
  agentStartTime: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** The agent's last words, for the commit message; null until it has ended well. */
  summary: string | null;
}

export interface Job {
  id: string;
  projectId: string;
  /** The agent that worked last. */
  model: string;
  /** The address of the repository as it may be shown. */
  repository: string;
  /** The commit and the branch that the work starts from; null until they are known, the branch also when detached. */
  baseCommit: string | null;
  baseBranch: string | null;
  /** The newest commit that is in the user's repository; null while there is none. */
  publishedCommit: string | null;
  /** The newest commit that the code host has; null while there is none. */
  pushedCommit: string | null;
  /** The pull request, or the page on which one is opened; null without either. */
  prLink: string | null;
  /** What the user should know of the last publication. */
  note: CodedText | null;
  /** The session of the agent of that name, in which a follow-up goes on. */
  session: string | null;
  sessionAgent: string | null;
  /** The last turn whose message that session has heard, and with it those of all turns before. */
  sessionTurn: number | null;
  review: ReviewEnd | null;
  createdAt: number;
  archivedAt: number | null;
}

/** A job as it is made; all else comes to it later. */
export type NewJob = Pick<Job, 'id' | 'projectId' | 'model' | 'repository' | 'baseCommit' | 'baseBranch' | 'createdAt'>;

/** What the service remembers of projects and jobs. Each write is on disk when its call returns. */
export interface JobStore {
  putProject(project: Project): void;
  project(id: string): Project | undefined;

  /** Adds a job and its first turn in one step. */
  addJob(job: NewJob, prompt: string): Turn;
  /** Adds a turn for a follow-up. The job is then not archived, and its review not merged or closed, any more. */
  addTurn(job: Pick<Job, 'id' | 'projectId'>, prompt: string, createdAt: number): Turn;
  job(id: string): Job | undefined;
  /** At most `limit` jobs of a project, newest first; those before the job `before` when it is given. */
  jobs(projectId: string, limit: number, before?: string): Job[];
  /** The ids of all jobs of all projects that there are. */
  jobIds(): string[];
  setBase(jobId: string, commit: string, branch: string | null): void;
  setModel(jobId: string, model: string): void;
  setPublished(jobId: string, commit: string): void;
  /** What the publisher answered; `pushedCommit` is null when the code host has nothing of it. */
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
  /** Sets the state, and adds it to the job's story. `running` counts an attempt; the last states forget the agent. */
  setTurn(turnId: number, state: TurnState, reason?: CodedText): void;
  /**
   * Lets a turn wait again that a stop of the service cut off, and notes that in the story; one that was being published
   * stays so. `isFree` takes the attempt back.
   */
  requeueTurn(turnId: number, how: { isFree: boolean; note: CodedText }): void;
  setAgentProcess(turnId: number, pid: number, startTime: string): void;
  setSummary(turnId: number, summary: string): void;

  /**
   * When the n-th newest request of this kind was taken, counted from 1, of those taken until this time; undefined when
   * there were fewer.
   */
  nthNewest(projectId: string, operation: Operation, n: number, until: number): number | undefined;

  /** Tells the id of each job that is new, or whose state, review or archive has changed. */
  onJob(listener: (jobId: string) => void): Disposable;

  /** The port that the service listened on last. */
  lastPort(): number | undefined;
  setLastPort(port: number): void;

  close(): void;
}

/** What happened in each job, bounded. */
export interface StoryStore {
  /** Adds what happened in a turn, in one step. */
  addStory(jobId: string, turnId: number, entries: readonly StoryEntry[]): void;
  /** At most `limit` events after the one with this id, oldest first; 0 for the first ones. */
  story(jobId: string, after: number, limit: number): StoryEvent[];
  /** Drops the stories of jobs that were archived before this time, in milliseconds since the epoch. */
  dropStories(archivedBefore: number): void;
  /** Tells the id of each job whose story has grown. */
  onStory(listener: (jobId: string) => void): Disposable;
}
