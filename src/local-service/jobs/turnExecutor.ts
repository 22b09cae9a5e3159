import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { AgentOutcome } from '../agents/agentDriver';
import { killAgent } from '../agents/descendants';
import type { Publisher } from '../forges/publisher';
import { type JobFolders, jobFolders, prepareClones, resolveCloneBase } from '../git/jobClone';
import { UnusableFolder, type UserRepository } from '../git/userRepository';
import type { Job, JobStore, Project, ActivityLogStore, Turn, TurnUsage } from '../store/jobStore';
import { settleAfterAbort } from '../text';
import { type AgentSource, sessionOwner, withoutRepositorySettings } from './agentSettings';
import { describeRepository, INTERRUPTED, leftOutNotice, TurnFailure, type TurnSignals } from './guidance';
import { publishTurn } from './publishTurn';
import { TurnActivityLog } from './turnActivityLog';

/** How long an agent may take to exit after it was stopped or timed out, in milliseconds. */
const STOP_MS = 15_000;

export interface TurnExecutorParts {
  store: JobStore & ActivityLogStore;
  agents: AgentSource;
  publisher: Publisher;
  git: Git;
  repository: UserRepository;
  /** The folder with one subfolder per job. */
  jobsFolder: string;
  /** Milliseconds that an agent may take for one turn. */
  turnTimeoutMs: number;
  log: Logger;
}

/**
 * Runs one turn: clones if needed, runs the agent, commits, publishes the branch to the user's repository, and opens a
 * pull request.
 */
export class TurnExecutor {
  constructor(private readonly parts: TurnExecutorParts) {}

  /**
   * Writes each state to disk before its step begins. Publishes again a turn that the previous run of the service left
   * while publishing. Returns why the agent ended early, if it did. Throws TurnFailure, or a signal's reason when the
   * turn was stopped.
   */
  async run(turn: Turn, signals: TurnSignals): Promise<CodedText | undefined> {
    const { store } = this.parts;
    const isPublishing = turn.state === 'publishing';
    (isPublishing ? signals.publish : signals.work).throwIfAborted();
    if (!isPublishing) {
      store.setTurn(turn.id, 'running');
    }
    const job = store.job(turn.jobId);
    const project = job && store.project(job.projectId);
    if (job === undefined || project === undefined) {
      throw new TurnFailure(coded('projectGone'));
    }
    const folders = jobFolders(join(this.parts.jobsFolder, job.id));
    const story = new TurnActivityLog(store, turn, this.parts.log);
    let endedEarly = isPublishing ? (turn.reason ?? undefined) : undefined;
    try {
      if (!isPublishing) {
        const outcome = await this.work(turn, job, project, folders, story, signals.work);
        endedEarly = outcome.endedEarly;
        if (endedEarly !== undefined) {
          story.note(endedEarly);
        }
        story.write();
        store.setSummary(turn.id, outcome.summary);
        store.setTurn(turn.id, 'publishing', endedEarly);
      }
      await publishTurn(this.parts, { turn, project, folders, story, signal: signals.publish });
      return endedEarly;
    } finally {
      story.write();
    }
  }

  private async work(
    turn: Turn,
    job: Job,
    project: Project,
    folders: JobFolders,
    story: TurnActivityLog,
    signal: AbortSignal,
  ): Promise<AgentOutcome> {
    const { git, store, agents, repository } = this.parts;
    await git.check().catch((error: unknown) => {
      throw error instanceof GitError ? new TurnFailure(coded('plain', { text: error.message })) : error;
    });
    const base = await this.baseOf(job, project);
    const start = await resolveCloneBase(repository, project.folder, { ...job, baseCommit: base });
    await prepareClones(git, folders, project.folder, job.branch, start);
    const agent = await agents.choose(project.settings);
    store.setModel(job.id, agent.title);
    signal.throwIfAborted();
    const isAllowed = project.settings.repositoryAgentSettings;
    return withoutRepositorySettings(git, folders, isAllowed, story, (leftOut) =>
      this.runAgent(agent, turn, job, project, folders, story, signal, leftOut),
    );
  }

  private async baseOf(job: Job, project: Project): Promise<string> {
    if (job.baseCommit !== null) {
      return job.baseCommit;
    }
    try {
      const head = await this.parts.repository.head(project.folder);
      this.parts.store.setBase(job.id, head.commit, head.branch);
      return head.commit;
    } catch (error) {
      throw error instanceof UnusableFolder ? new TurnFailure(error.coded) : error;
    }
  }

  private async runAgent(
    agent: Awaited<ReturnType<AgentSource['choose']>>,
    turn: Turn,
    job: Job,
    { settings }: Project,
    folders: JobFolders,
    story: TurnActivityLog,
    signal: AbortSignal,
    leftOut: readonly string[],
  ): Promise<AgentOutcome> {
    const { store, git, turnTimeoutMs } = this.parts;
    const guidance = await describeRepository(git, folders.hostGit);
    const session = job.sessionAgent === sessionOwner(agent) ? (job.session ?? undefined) : undefined;
    const overtime = AbortSignal.timeout(Math.min(turnTimeoutMs + STOP_MS, 2 ** 31 - 1));
    let started: { pid: number; startTime: string } | undefined;
    let usage: TurnUsage | undefined;
    const work = agent.driver.run({
      jobId: turn.jobId,
      command: agent.command,
      folder: folders.work,
      directory: dirname(folders.work),
      prompt: turn.prompt,
      earlier: this.earlierMessages(turn, session === undefined ? null : job.sessionTurn),
      guidance,
      notice: [turn.startedAt === null ? '' : INTERRUPTED, leftOutNotice(leftOut)]
        .filter((each) => each !== '')
        .join('\n\n'),
      session,
      mayRunCommands: settings.mayRunCommands,
      mayWriteSettings: settings.repositoryAgentSettings,
      variables: agent.variables,
      confine: settings.confine,
      timeoutMs: turnTimeoutMs,
      signal,
      onStarted: (process) => {
        started = process;
        store.setAgentProcess(turn.id, process.pid, process.startTime);
      },
      onSession: (session) => {
        store.setSession(job.id, sessionOwner(agent), session, turn.id);
        usage = { session };
      },
      onEntry: (entry) => story.add(entry),
      onUsage: (reported) => {
        usage &&= { ...usage, ...reported };
      },
    });
    try {
      return await settleAfterAbort(work, AbortSignal.any([signal, overtime]), STOP_MS);
    } catch (error) {
      // Drivers end their agents themselves. If one fails to, it still must not leave a process behind.
      if (started !== undefined) {
        await killAgent(started, turn.jobId);
      }
      throw error === overtime.reason ? new TurnFailure(coded('agentTookTooLong')) : error;
    } finally {
      // Once: agents report after each model call, and a write waits for the disk.
      if (usage?.tokens !== undefined || usage?.cost !== undefined) {
        store.setUsage(turn.id, usage);
      }
    }
  }

  /** @param heard the id of the last turn whose message the session has received, along with all earlier ones */
  private earlierMessages(turn: Turn, heard: number | null) {
    return this.parts.store
      .turns(turn.jobId)
      .filter((each) => each.id < turn.id)
      .map(({ id, prompt, state }) => ({ prompt, finished: state === 'done', told: id <= (heard ?? 0) }));
  }
}
