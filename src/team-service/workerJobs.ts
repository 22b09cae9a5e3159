import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../base/files';
import type { Logger } from '../base/logger';
import { endJobProcesses } from '../local-service/agents/descendants';
import type { BranchToPush, Publisher } from '../local-service/forges/publisher';
import { jobFolders } from '../local-service/git/jobClone';
import { toPublicUrl, type UserRepository } from '../local-service/git/userRepository';
import type { JobLocks } from '../local-service/jobs/jobLocks';
import type { TurnExecutor, TurnResult } from '../local-service/jobs/turnExecutor';
import { removeAll, removeFolder } from '../local-service/removeFolder';
import type { JobStore, Project, Turn } from '../local-service/store/jobStore';
import { HostHasMore, TurnFailure, type TurnSignals } from '../local-service/turnFailure';
import { coded, type CodedText, type Parameter } from '../protocol/codedText';
import type { WorkerClaims } from './workerClaims';
import type { WorkerRepositories } from './workerRepositories';

/** The work on jobs in this worker's folders. */
export class WorkerJobs {
  constructor(
    private readonly parts: {
      /** Projects are as the users added them. */
      store: Pick<JobStore, 'job' | 'project'>;
      claims: Pick<WorkerClaims, 'setPublished' | 'isElsewhere'>;
      repositories: WorkerRepositories;
      repository: Pick<UserRepository, 'isAncestor'>;
      executor: Pick<TurnExecutor, 'run'>;
      log: Logger;
    },
    /** The folder with one subfolder per job. */
    private readonly folder: string,
    /** What marks this worker's processes of a job. */
    private readonly markerOf: (jobId: string) => string,
  ) {}

  /** Runs a turn and publishes its work. Resolves and throws as `TurnExecutor.run`. */
  async run(turn: Turn, signals: TurnSignals): Promise<TurnResult> {
    if (turn.attempt > 1) {
      // Their supervisor ends them too.
      await endJobProcesses(this.markerOf(turn.jobId));
    }
    const project = await this.prepare(turn, turn.state === 'publishing' ? signals.publish : signals.work);
    const folder = this.parts.repositories.folderOf(project);
    return this.parts.executor.run(turn, signals, { ...project, folder }).catch((error: unknown) => {
      throw withAddress(error, folder, project);
    });
  }

  /** Removes a job's folder at once. */
  remove(jobId: string): Promise<void> {
    return removeAll(join(this.folder, jobId));
  }

  /** Removes the folders of jobs that another worker has taken over. */
  async removeMoved(locks: Pick<JobLocks, 'tryHold'>): Promise<void> {
    for (const jobId of await readdir(this.folder)) {
      const remove = async (): Promise<void> => {
        if (await this.parts.claims.isElsewhere(jobId)) {
          await removeFolder(join(this.folder, jobId));
        }
      };
      await locks.tryHold(jobId, remove)?.catch((error: unknown) => {
        this.parts.log.warn(`couldn’t remove the folder of job ${jobId}`, error);
      });
    }
  }

  /**
   * Makes sure that the worker has what the turn's clone is made from: the newest commit of the repository and, if the
   * job's folder is gone or was another worker's, what was pushed or what this worker could not push. Returns the
   * project, which is read only here: its address may change at any moment. Throws TurnFailure, ClaimLost, or the
   * signal's reason.
   */
  private async prepare(turn: Turn, signal: AbortSignal): Promise<Project> {
    const { store, claims, repositories, repository } = this.parts;
    const job = await store.job(turn.jobId);
    const project = job && (await store.project(job.projectId));
    if (job === undefined || project === undefined) {
      throw new TurnFailure(coded('projectGone'));
    }
    const clone = repositories.folderOf(project);
    const hasClones = await exists(jobFolders(join(this.folder, job.id)).hostGit);
    if (hasClones && (await exists(clone))) {
      return project;
    }
    await repositories.update(project, signal);
    if (hasClones) {
      return project;
    }
    // Also of a job that has published nothing: its worker may have been lost between the push and its record.
    const [published, brought = null] = [job.publishedCommit, await repositories.bringBranch(project, job)];
    // The branch may also have commits that a person added or that could not be pushed.
    const isIn = published !== null && brought !== null && (await repository.isAncestor(clone, published, brought));
    if (brought !== published && !isIn) {
      await claims.setPublished(turn, brought);
    }
    return project;
  }
}

/** Names the repository to the users instead of the worker's clone, which they don't have. */
function withAddress(error: unknown, clone: string, { folder: address, name }: Project): unknown {
  const text = error instanceof TurnFailure ? JSON.stringify(error.coded) : '';
  return text.includes(clone)
    ? new TurnFailure(JSON.parse(text.replaceAll(clone, toPublicUrl(address) ?? name)) as CodedText)
    : error;
}

/**
 * Tells the users of a team's service what they need to know: why there is no pull request, because they have no review
 * page either, and where the workers get their tokens from.
 *
 * @param onPushed called when a branch was pushed for the user's work tree in this folder
 */
export function teamPublisher(
  own: Publisher,
  onPushed: (pushed: { folder: string } & Pick<BranchToPush, 'branch' | 'commit'>) => Promise<void>,
): Publisher {
  return {
    async destination(folder, baseBranch, signal) {
      const destination = await own.destination(folder, baseBranch, signal);
      return (
        destination && {
          ...destination,
          async push(branch) {
            const pushed = await destination.push(branch).catch((error: unknown) => {
              throw error instanceof TurnFailure && !(error instanceof HostHasMore)
                ? new TurnFailure(forTeam(error.coded))
                : error;
            });
            await onPushed({ folder, ...branch });
            return {
              ...pushed,
              async openPullRequest(text) {
                const { prLink, note } = await pushed.openPullRequest(text);
                if (note !== undefined) {
                  return { prLink, note: forTeam(note) };
                }
                return prLink === null
                  ? { prLink, note: coded('pushedToFolder', { branch: branch.branch }) }
                  : { prLink };
              },
            };
          },
        }
      );
    },
  };
}

/** Replaces the name of the command with which a user provides a token. */
function forTeam(text: CodedText): CodedText {
  if (text.code === 'connectCodeHost') {
    return coded('connectWorkers');
  }
  const params = Object.entries(text.params ?? {}).map(([name, value]): [string, Parameter] => [
    name,
    typeof value === 'object' ? forTeam(value) : value,
  ]);
  return params.length === 0 ? text : { code: text.code, params: Object.fromEntries(params) };
}
