/** A repository that jobs may be made for. */
export interface Project {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
  agentCommand: readonly string[];
}

export type TurnState = 'queued' | 'running' | 'publishing' | 'done' | 'failed' | 'cancelled';

export type Operation = 'create' | 'message';

/** One message to the agent and what became of it. Times are milliseconds since the epoch. */
export interface Turn {
  id: number;
  jobId: string;
  prompt: string;
  state: TurnState;
  /** Why it failed, in words for the user. */
  reason: string | null;
  createdAt: number;
}

export interface Job {
  id: string;
  projectId: string;
  /** The program that the agent is. */
  model: string;
  /** The address of the repository as it may be shown. */
  repository: string;
  /** The commit and the branch that the work starts from; null until they are known, the branch also when detached. */
  baseCommit: string | null;
  baseBranch: string | null;
  /** Opens the review page: 256 random bits. */
  capability: string;
  /** The newest commit that is in the user's repository; null while there is none. */
  publishedCommit: string | null;
  createdAt: number;
}

/** What the service remembers. Each write is on disk when its call returns. */
export interface JobStore {
  putProject(project: Project): void;
  project(id: string): Project | undefined;

  /** Adds a job and its first turn in one step. */
  addJob(job: Job, prompt: string): Turn;
  /** Adds a turn for a follow-up. */
  addTurn(job: Job, prompt: string, createdAt: number): Turn;
  job(id: string): Job | undefined;
  /** The turns of a job, oldest first. */
  turns(jobId: string): Turn[];
  setTurn(turnId: number, state: TurnState, reason?: string): void;
  setBase(jobId: string, commit: string, branch: string | null): void;
  setPublished(jobId: string, commit: string): void;
  /** The ids of the jobs with a turn that is not at its end. */
  unfinishedJobs(): string[];
  /** Fails each turn that is not at its end, as after a crash. Returns how many there were. */
  failUnfinished(reason: string): number;

  /** When the n-th newest request of this kind was taken, counted from 1; undefined when there were fewer. */
  nthNewest(projectId: string, operation: Operation, n: number): number | undefined;

  /** The port that the service listened on last. */
  lastPort(): number | undefined;
  setLastPort(port: number): void;

  close(): void;
}
