import type { Disposable } from '../../base/disposable';
import type { ChangeCounts } from '../../protocol/changes';
import type { CodedText } from '../../protocol/codedText';
import type { Surroundings } from '../../protocol/surroundings';
import type { ProjectSettings } from '../../protocol/localService';
import type { ActivityEntry, ActivityEvent } from '../../protocol/activity';
import type { Usage } from '../../protocol/usage';

/** A repository that jobs can be created for. */
export interface Project {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
  /** The git directory that all work trees of the repository have in common; null if unknown. */
  gitDir: string | null;
  settings: ProjectSettings;
}

export type TurnState = 'queued' | 'running' | 'publishing' | 'done' | 'failed' | 'cancelled';

export type RequestKind = 'create' | 'message';

/** What the user has decided about a job's work. */
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
  /** How many times it was claimed; more than once if a service or worker stopped in between. It never decreases. */
  attempt: number;
  /** How many of these attempts don't count, because they ended with an orderly shutdown. */
  uncountedAttempts: number;
  /** Why the process that runs it was asked to stop it; a newer message never hides that the user did. */
  stopRequested: 'message' | 'user' | null;
  /** The agent's process while it runs, and when that started (see `processStartTime`). */
  agentPid: number | null;
  agentStartTime: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** The agent's final message, for the commit message; null until the agent has finished successfully. */
  summary: string | null;
  /** Null if the agent has reported none. */
  usage: TurnUsage | null;
  /** The commit with what it changed; null if it changed nothing. */
  commit: string | null;
  /**
   * When a queued turn that a usage limit has put on hold may run, in milliseconds since the epoch; null for at once. It
   * stays set, because a turn is put on hold only once.
   */
  resumesAt: number | null;
  /** Set while the agent has answered but its tools or processes still work, or while it does nothing. */
  phase: 'finishing' | 'idle' | null;
}

export interface Job {
  id: string;
  projectId: string;
  /**
   * The name of its branch, in its clone and in the user's repository. A job whose pull request was merged continues on
   * another one.
   */
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
  /** The URL of the repository there, without credentials; null if it has none or is unknown. */
  pushedTo: string | null;
  /** The URL of the pull request, or of the page for opening one; null without either. */
  prLink: string | null;
  /** What the user should know about the last publication. */
  note: CodedText | null;
  /** What the user should know about the newest commit, such as which files it lacks; null if nothing. */
  leftOut: CodedText | null;
  /** The agent session that a follow-up continues, and the agent that it belongs to. */
  session: string | null;
  sessionAgent: string | null;
  /** The id of the last turn whose message that session has received, along with those of all earlier turns. */
  sessionTurn: number | null;
  review: ReviewEnd | null;
  /** What others had done around it when the service last looked; null before. */
  surroundings: Pick<Surroundings, 'base' | 'pullRequest' | 'mergedInto'> | null;
  /** The merged pull request whose work it continues; null if none. */
  continues: string | null;
  /** What its last run has left that is in no branch; null if nothing. */
  unsaved: ChangeCounts | null;
  createdAt: number;
  archivedAt: number | null;
}

/** A turn without its texts, which may be long: what a list of jobs needs. */
export type TurnOutline = Omit<Turn, 'prompt' | 'summary'>;

export interface JobWithTurns extends Job {
  /** The first line of its prompt. */
  title?: string;
  /** Oldest first. */
  turns: TurnOutline[];
}

/** A job at its creation; all other fields are set later. */
export interface NewJob extends Pick<Job, 'id' | 'projectId' | 'model' | 'repository' | 'baseCommit' | 'baseBranch'> {
  /** Names for its branch, best first; the first that no other job has is used. */
  branches: readonly string[];
}

/** The job after a request was accepted, or how long to wait until the next one would be, in milliseconds. */
export type Admission = { job: JobWithTurns } | { waitMs: number };

/** The right to run a turn and to write about it. It is lost when the turn is claimed again or ends. */
export type Claim = Pick<Turn, 'id' | 'jobId' | 'attempt'>;

export interface Requeue {
  /** Whether the attempt counts. */
  isCounted: boolean;
  note: CodedText;
  /** See `Turn.resumesAt`. */
  resumesAt?: number;
}

/** The turn has ended, or someone else has claimed it. Nothing was written, and the run must stop its agent. */
export class ClaimLost extends Error {
  constructor({ id, jobId, attempt }: Claim) {
    super(`attempt ${attempt} of turn ${id} of job ${jobId} has lost its claim`);
  }
}

/** What is found out about a job. */
export type JobRecord = Partial<
  Pick<Job, 'model' | 'branch' | 'baseCommit' | 'baseBranch' | 'publishedCommit' | 'changes' | 'leftOut' | 'unsaved'> &
    Pick<Job, 'pushedCommit' | 'pushedTo' | 'prLink' | 'continues' | 'note' | 'surroundings'> &
    Pick<Job, 'session' | 'sessionAgent' | 'sessionTurn'>
>;

/** What a run finds out about its job and turn. */
export type RunRecord = JobRecord & Partial<Pick<Turn, 'agentPid' | 'agentStartTime' | 'usage' | 'phase'>>;

/**
 * Stores projects and jobs. Each method is one transaction, which is on disk when its promise resolves; rules that
 * several clients could break together are therefore checked in here.
 */
export interface JobStore {
  /** Adds or changes a project. Without settings or a git directory it keeps those that it has, or gets the defaults. */
  putProject(
    project: Omit<Project, 'settings' | 'gitDir'> & {
      gitDir?: string | null;
      settings?: ProjectSettings | undefined;
    },
  ): Promise<Project>;
  project(id: string): Promise<Project | undefined>;

  /** Adds a job and its first turn, unless the project has created `perHour` jobs within an hour. */
  createJob(job: NewJob, prompt: string, perHour: number): Promise<Admission>;
  /**
   * Adds a turn, unless the project has had `perHour` follow-ups within an hour. Cancels the job's queued turns, which
   * it replaces, asks for running ones to be stopped, unarchives the job and reopens its review. Resolves to undefined
   * when the project has no such job.
   */
  addFollowUp(job: Pick<Job, 'id' | 'projectId'>, prompt: string, perHour: number): Promise<Admission | undefined>;
  /** Cancels the queued turns of a job for the user, and asks other processes that run one of its turns to stop it. */
  requestStop(jobId: string, reason: CodedText): Promise<void>;
  /** Archives a job, or resolves to false while it has a turn that has not ended. */
  archiveJob(jobId: string): Promise<boolean>;
  unarchiveJob(jobId: string): Promise<void>;
  /** Changes the review of a job, or resolves to false if its work was merged, which stays so. */
  setReview(jobId: string, review: ReviewEnd | null): Promise<boolean>;
  /** Stores that nothing is left of an ended run, because it was discarded, or committed and brought to the user. */
  saveWork(turn: Pick<Turn, 'id' | 'jobId'>, kept?: { commit: string; changes: ChangeCounts | null }): Promise<void>;
  /** Stores what was found out about a job while no turn of it runs, and reports it. */
  changeJob(jobId: string, found: JobRecord): Promise<void>;
  /** Reopens the review of a job whose work was merged. */
  reopenMerged(jobId: string): Promise<void>;

  job(id: string): Promise<Job | undefined>;
  jobWithTurns(id: string): Promise<JobWithTurns | undefined>;
  /** Returns at most `limit` jobs of a project, newest first; only those before the job `before`, if given. */
  jobs(projectId: string, limit: number, before?: string): Promise<JobWithTurns[]>;
  /**
   * The newest jobs that have ended with a branch and are neither merged, closed, nor archived; those of one worker if a
   * team's service names it.
   */
  openJobs(limit: number, worker?: string): Promise<Job[]>;
  /** The turns of a job, oldest first. */
  turns(jobId: string): Promise<Turn[]>;
  /** The turns that have not ended, oldest first. */
  unfinishedTurns(): Promise<Turn[]>;
  /** When the job's last turn ended, in milliseconds since the epoch; undefined while one has not. */
  endedAt(jobId: string): Promise<number | undefined>;

  /**
   * Claims a turn that no one runs: starts a queued one, or continues one that was left publishing. Returns it as it is
   * then, or undefined if it has changed since it was read.
   */
  claimTurn(turn: Claim): Promise<Turn | undefined>;
  /** Stores what a run has found out. Throws ClaimLost. */
  record(claim: Claim, found: RunRecord): Promise<void>;
  /** The agent has finished; what it has written is published next. Throws ClaimLost. */
  startPublishing(claim: Claim, summary: string, endedEarly?: CodedText): Promise<void>;
  /** Stores the commit with the turn's work, the newest one of its job, and reopens the review. Throws ClaimLost. */
  recordCommit(claim: Claim, commit: string, changes: ChangeCounts | null): Promise<void>;
  /** Ends a turn, even a queued one, and stores what was found out last. Throws ClaimLost. */
  finishTurn(
    claim: Claim,
    state: 'done' | 'failed' | 'cancelled',
    reason?: CodedText,
    found?: RunRecord,
  ): Promise<void>;
  /**
   * Gives up the claim to a turn that was interrupted, so that it can be claimed again, and notes that in the activity
   * log. Cancels it instead if a newer message has replaced it; but what was being published is published first. Throws
   * ClaimLost.
   */
  requeueTurn(claim: Claim, how: Requeue): Promise<void>;

  /**
   * Reports the id of each job that is new, or whose state, review or archived status has changed. Undefined means that
   * reports may have been lost, so any job may have changed.
   */
  onJob(listener: (jobId: string | undefined) => void): Disposable;

  close(): Promise<void>;
}

/** The activity log of each job, limited in size. */
export interface ActivityLogStore {
  /** Adds entries of a turn. Throws ClaimLost. */
  addActivity(claim: Claim, entries: readonly ActivityEntry[]): Promise<void>;
  /** Returns at most `limit` events after the one with the id `after`, oldest first; 0 starts at the beginning. */
  activity(jobId: string, after: number, limit: number): Promise<ActivityEvent[]>;
  /** Deletes the activity logs of jobs that were archived before this time, in milliseconds since the epoch. */
  dropActivity(archivedBefore: number): Promise<void>;
  /** Reports the id of each job whose activity log has grown; undefined for any. */
  onActivity(listener: (jobId: string | undefined) => void): Disposable;
}
