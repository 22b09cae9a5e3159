import { join } from 'node:path';
import type { AgentDriver } from '../agents/agentDriver';
import type { Git } from '../git/git';
import { branchOf, hostPlace, jobFolders, type JobFolders, prepareClones } from '../git/jobClone';
import { commitMessage, commitTree, publishBranch } from '../git/publishBranch';
import { stageWork } from '../git/stageWork';
import { UnusableFolder, type UserRepository } from '../git/userRepository';
import type { Job, JobStore, Project, Turn } from '../store/jobStore';
import { TurnFailure } from './turnFailure';

/** What one turn does: clone where needed, agent, commit, branch into the user's repository. */
export class TurnWork {
  constructor(
    private readonly parts: {
      store: JobStore;
      agent: AgentDriver;
      git: Git;
      repository: UserRepository;
      /** The folder that holds one folder a job. */
      jobsFolder: string;
      /** Milliseconds that an agent may take for one turn. */
      turnTimeoutMs: number;
    },
  ) {}

  /** Throws TurnFailure, or the signal's reason when it was stopped before its changes were being committed. */
  async run(turn: Turn, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { store, git } = this.parts;
    store.setTurn(turn.id, 'running');
    const job = store.job(turn.jobId);
    const project = job && store.project(job.projectId);
    if (job === undefined || project === undefined) {
      throw new TurnFailure('The project of this job is not registered any more.');
    }
    const folders = jobFolders(join(this.parts.jobsFolder, job.id));
    await prepareClones(git, folders, project.folder, branchOf(job.id), await this.baseOf(job, project));
    signal.throwIfAborted();
    await this.runAgent(turn, project, folders, signal);
    store.setTurn(turn.id, 'publishing');
    await this.publish(job, turn, project, folders);
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
      throw error instanceof UnusableFolder ? new TurnFailure(error.message) : error;
    }
  }

  private async runAgent(turn: Turn, project: Project, folders: JobFolders, signal: AbortSignal): Promise<void> {
    const earlier = this.parts.store
      .turns(turn.jobId)
      .filter((each) => each.id < turn.id)
      .map((each) => ({ prompt: each.prompt, finished: each.state === 'done' }));
    await this.parts.agent.run({
      jobId: turn.jobId,
      command: project.settings.command,
      folder: folders.work,
      directory: join(folders.work, '..'),
      prompt: turn.prompt,
      earlier,
      guidance: '',
      session: undefined,
      mayRunCommands: false,
      variables: [],
      confine: false,
      timeoutMs: this.parts.turnTimeoutMs,
      signal,
      onStarted: () => undefined,
      onSession: () => undefined,
      onEntry: () => undefined,
    });
  }

  /** A commit that an earlier turn made and could not publish goes out with this one. */
  private async publish(job: Job, turn: Turn, project: Project, folders: JobFolders): Promise<void> {
    const { git, store, repository } = this.parts;
    const branch = branchOf(job.id);
    const ref = `refs/heads/${branch}`;
    const parent = (await git.run(hostPlace(folders), ['rev-parse', '--verify', ref])).trim();
    const tree = await stageWork(git, folders, parent);
    const message = commitMessage(turn.prompt, job.id);
    const author = await repository.identity(project.folder);
    const commit = (await commitTree(git, folders, { branch, parent, tree, message, author })) ?? parent;
    const current = store.job(job.id);
    if (commit === (current?.publishedCommit ?? current?.baseCommit)) {
      return;
    }
    await publishBranch(git, project.folder, folders.hostGit, branch);
    store.setPublished(job.id, commit);
  }
}
