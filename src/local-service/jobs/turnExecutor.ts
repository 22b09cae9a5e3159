import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { AgentLease, AgentOutcome } from '../agents/agentDriver';
import { joinTexts } from '../codedText';
import { killAgent } from '../agents/descendants';
import type { Publisher } from '../forges/publisher';
import { type JobFolders, jobFolders, prepareClones, resolveCloneBase } from '../git/jobClone';
import { UnusableFolder, type UserRepository } from '../git/userRepository';
import {
  type ActivityLogStore,
  ClaimLost,
  type Job,
  type JobRecord,
  type JobStore,
  type Project,
  type RunRecord,
  type Turn,
  type TurnUsage,
} from '../store/jobStore';
import { settleAfterAbort } from '../../base/async';
import { bringUpToDate } from './bringUpToDate';
import { type AgentSource, sessionOwner, withoutRepositorySettings } from './agentSettings';
import { describeRepository, INTERRUPTED, leftOutNotice } from './guidance';
import { TurnFailure, type TurnSignals, TurnStoppedError } from '../turnFailure';
import { publishTurn, type ResultCheck } from './publishTurn';
import { TurnActivityLog } from './turnActivityLog';
import { countUnsaved } from './endedWork';

/** How long an agent may take to exit after it was stopped or timed out, in milliseconds. */
const STOP_MS = 15_000;

export interface TurnExecutorParts {
  /** The folders of its projects are on this machine. */
  store: JobStore & ActivityLogStore;
  agents: AgentSource;
  publisher: Publisher;
  git: Git;
  repository: UserRepository;
  check: ResultCheck;
  /** The folder with one subfolder per job. */
  jobsFolder: string;
  /** Milliseconds that an agent may take for one turn. */
  turnTimeoutMs: number;
  log: Logger;
  lease?: AgentLease;
  /** What marks the processes of a job, by default its id. Workers on one machine must not end each other's. */
  markerOf?: (jobId: string) => string;
}

/** How the work of a turn has ended, if it did not fail. */
export interface TurnResult {
  /** Why the agent ended early, if it did. */
  endedEarly: CodedText | undefined;
  /** What is to be stored with the end. */
  found: JobRecord;
}

/** One run of a turn. */
interface Run {
  turn: Turn;
  job: Job;
  project: Project;
  folders: JobFolders;
  activity: TurnActivityLog;
  /** Stores what the run has found out. Throws ClaimLost, and then the signal aborts too. */
  record: (found: RunRecord) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Runs one turn: clones if needed, runs the agent, commits, publishes the branch to the user's repository, and opens a
 * pull request.
 */
export class TurnExecutor {
  constructor(private readonly parts: TurnExecutorParts) {}

  /**
   * Writes each state to disk before its step begins. Publishes again a turn that the previous run of the service left
   * while publishing. Throws TurnFailure, a signal's reason when the turn was stopped, or ClaimLost.
   *
   * @param turn as it is after the claim
   * @param prepared the job's project with its folder on this machine, if the caller has it
   */
  async run(turn: Turn, stops: TurnSignals, prepared?: Project): Promise<TurnResult> {
    const { git, repository, store } = this.parts;
    const isPublishing = turn.state === 'publishing';
    const lost = new AbortController();
    const signals = {
      work: AbortSignal.any([stops.work, lost.signal]),
      publish: AbortSignal.any([stops.publish, lost.signal]),
    };
    (isPublishing ? signals.publish : signals.work).throwIfAborted();
    const job = await store.job(turn.jobId);
    const project = job && (prepared ?? (await this.projectOf(job)));
    if (job === undefined || project === undefined) {
      throw new TurnFailure(coded('repositoryGone'));
    }
    const folders = jobFolders(join(this.parts.jobsFolder, job.id));
    const onLost = (error: ClaimLost): void => lost.abort(error);
    const activity = new TurnActivityLog(store, turn, this.parts.log, onLost);
    const record: Run['record'] = (found) =>
      store.record(turn, found).catch((error: unknown) => {
        if (error instanceof ClaimLost) {
          onLost(error);
        }
        throw error;
      });
    let endedEarly = isPublishing ? (turn.reason ?? undefined) : undefined;
    let said: CodedText | undefined;
    try {
      if (!isPublishing) {
        const outcome = await this.work({ turn, job, project, folders, activity, record, signal: signals.work });
        const { blocked, denied } = outcome;
        const changed = (blocked ?? denied) && (await countUnsaved({ git, repository, job, project, folders }));
        const isSame = changed === null;
        endedEarly = outcome.endedEarly ?? (isSame && denied?.isMajor === true ? denied.unchanged : undefined);
        const refused = endedEarly === undefined ? denied?.[isSame ? 'unchanged' : 'changed'] : undefined;
        said = joinTexts(isSame ? blocked : undefined, refused);
        // What is said of the result is noted with it.
        [endedEarly, isSame ? undefined : blocked].forEach((text) => text && activity.note(text));
        await activity.write();
        await store.startPublishing(turn, outcome.summary, endedEarly);
      }
      const publication = { turn, project, folders, activity, said, signal: signals.publish };
      return { endedEarly, found: await publishTurn(this.parts, publication) };
    } catch (error) {
      // The driver may have reported the lost claim as another error.
      lost.signal.throwIfAborted();
      if (!(error instanceof TurnStoppedError && error.by === 'shutdown')) {
        const found = (await store.job(job.id)) ?? job;
        const unsaved = await countUnsaved({ git, repository, job: found, project, folders });
        await (unsaved !== undefined && record({ unsaved }).catch(() => undefined));
      }
      throw error;
    } finally {
      await activity.write();
    }
  }

  private async projectOf({ projectId }: Job): Promise<Project | undefined> {
    const project = await this.parts.store.project(projectId);
    try {
      return project && { ...project, folder: await this.parts.repository.findProjectFolder(project) };
    } catch (error) {
      throw error instanceof UnusableFolder ? new TurnFailure(error.coded) : error;
    }
  }

  private async work(run: Run): Promise<AgentOutcome> {
    const { git, agents } = this.parts;
    await git.check().catch((error: unknown) => {
      throw error instanceof GitError ? new TurnFailure(coded('plain', { text: error.message })) : error;
    });
    const supervisor = agents.startSupervisor?.(this.markerOf(run.turn));
    try {
      return await this.cloneAndRun(run, supervisor);
    } finally {
      // If no agent was started, it still waits. It has no child processes then.
      if (supervisor?.connected === true) {
        supervisor.kill('SIGKILL');
      }
    }
  }

  private async cloneAndRun(run: Run, supervisor: ChildProcess | undefined): Promise<AgentOutcome> {
    const { job, project, folders, activity, signal } = run;
    const { git, agents, repository } = this.parts;
    const base = await this.baseOf(run);
    const start = await resolveCloneBase(repository, project.folder, { ...job, baseCommit: base });
    await prepareClones(git, folders, project.folder, job.branch, start);
    const notice = await this.bringUpToDate({ ...run, job: { ...job, baseCommit: base } });
    const [agent, guidance] = await Promise.all([
      agents.choose(project.settings),
      describeRepository(git, folders.hostGit),
    ]);
    if (agent.title !== job.model) {
      await run.record({ model: agent.title });
    }
    signal.throwIfAborted();
    if (job.unsaved !== null) {
      const { files: count } = job.unsaved;
      activity.note(count === 1 ? coded('continuesUnsavedFile') : coded('continuesUnsavedFiles', { count }));
    }
    const isAllowed = project.settings.repositoryAgentSettings;
    return withoutRepositorySettings(folders.work, isAllowed, activity, (leftOut) =>
      this.runAgent(run, agent, { supervisor, guidance, notices: [notice, leftOutNotice(leftOut)] }),
    );
  }

  private markerOf({ jobId }: Turn): string {
    return this.parts.markerOf?.(jobId) ?? jobId;
  }

  /** Brings what others have done since the last run into the work folder. Returns what to tell the agent of it. */
  private async bringUpToDate({ turn, job, project, folders, activity, record, signal }: Run): Promise<string> {
    const turns = await this.parts.store.turns(job.id);
    if (turns[0]?.id === turn.id) {
      return '';
    }
    const { found, notes, notice } = await bringUpToDate(this.parts, { job, project, folders, signal });
    notes.forEach((note) => activity.note(note));
    await record(found);
    return notice;
  }

  private async baseOf({ job, project, record }: Run): Promise<string> {
    if (job.baseCommit !== null) {
      return job.baseCommit;
    }
    try {
      const head = await this.parts.repository.head(project.folder);
      await record({ baseCommit: head.commit, baseBranch: head.branch });
      return head.commit;
    } catch (error) {
      throw error instanceof UnusableFolder ? new TurnFailure(error.coded) : error;
    }
  }

  private async runAgent(
    { turn, job, project: { settings }, folders, activity, record, signal }: Run,
    agent: Awaited<ReturnType<AgentSource['choose']>>,
    {
      supervisor,
      guidance,
      notices,
    }: { supervisor: ChildProcess | undefined; guidance: string; notices: readonly string[] },
  ): Promise<AgentOutcome> {
    const { turnTimeoutMs } = this.parts;
    const marker = this.markerOf(turn);
    const session = job.sessionAgent === sessionOwner(agent) ? (job.session ?? undefined) : undefined;
    const overtime = AbortSignal.timeout(Math.min(turnTimeoutMs + STOP_MS, 2 ** 31 - 1));
    let started: { pid: number; startTime: string } | undefined;
    let usage: TurnUsage | undefined;
    const work = agent.driver.run({
      jobId: marker,
      command: agent.command,
      folder: folders.work,
      directory: dirname(folders.work),
      prompt: turn.prompt,
      earlier: await this.earlierMessages(turn, session === undefined ? null : job.sessionTurn),
      guidance,
      notice: [turn.attempt === 1 ? '' : INTERRUPTED, ...notices].filter((each) => each !== '').join('\n\n'),
      session,
      mayRunCommands: settings.mayRunCommands,
      mayWriteSettings: settings.repositoryAgentSettings,
      variables: agent.variables,
      confine: settings.confine,
      allowedHosts: settings.allowedHosts,
      writableFolders: settings.writableFolders,
      timeoutMs: turnTimeoutMs,
      signal,
      lease: this.parts.lease,
      supervisor,
      onStarted: (process) => {
        started = process;
        return record({ agentPid: process.pid, agentStartTime: process.startTime });
      },
      onSession: (session) => {
        if (session === undefined) {
          return record({ session: null, sessionAgent: null, sessionTurn: null });
        }
        usage = { session };
        return record({ session, sessionAgent: sessionOwner(agent), sessionTurn: turn.id });
      },
      onPhase: (phase) => void record({ phase }).catch(() => undefined),
      onEntry: (entry) => activity.add(entry),
      onUsage: (reported) => {
        usage &&= { ...usage, ...reported };
      },
    });
    try {
      return await settleAfterAbort(work, AbortSignal.any([signal, overtime]), STOP_MS);
    } catch (error) {
      // Drivers end their agents themselves. If one fails to, it still must not leave a process behind.
      if (started !== undefined) {
        await killAgent(started, marker);
      }
      throw error === overtime.reason ? new TurnFailure(coded('agentTookTooLong')) : error;
    } finally {
      // Once: agents report after each model call, and a write waits for the disk.
      if (usage?.tokens !== undefined || usage?.cost !== undefined) {
        await record({ usage });
      }
    }
  }

  /** @param lastInSession the id of the last turn whose message the session has received, along with all earlier ones */
  private async earlierMessages(turn: Turn, lastInSession: number | null) {
    const turns = await this.parts.store.turns(turn.jobId);
    return turns
      .filter((each) => each.id < turn.id)
      .map(({ id, prompt, state }) => ({
        prompt,
        finished: state === 'done',
        isInSession: id <= (lastInSession ?? 0),
      }));
  }
}
