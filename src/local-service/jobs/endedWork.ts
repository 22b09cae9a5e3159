import { join } from 'node:path';
import { settleAfterAbort } from '../../base/async';
import { exists } from '../../base/files';
import { READ_MS } from '../../base/limits';
import { diffSummary } from '../../git/diff';
import { type Git, GitError } from '../../git/git';
import { type ChangeCounts, toCounts } from '../../protocol/changes';
import { coded } from '../../protocol/codedText';
import type { Publisher } from '../forges/publisher';
import { publishBranch } from '../git/jobBranch';
import { hostPlace, type JobFolders, jobFolders, removeStaleLocks, stagingPlace } from '../git/jobClone';
import { stageWork } from '../git/stageWork';
import { endMerges, startedMerges } from '../git/takeIn';
import { UnusableFolder, type UserRepository } from '../git/userRepository';
import { MergeRefusal } from '../review/mergeTarget';
import type { Job, JobStore, Project, Turn } from '../store/jobStore';
import { TurnFailure } from '../turnFailure';
import { shownPaths } from '../text';
import { bringUpToDate, findDestination } from './bringUpToDate';
import type { JobLocks } from './jobLocks';
import { commitWork, countChanges, isReplacing } from './publishTurn';

interface Place {
  git: Git;
  repository: UserRepository;
  job: Job;
  project: Project;
  folders: JobFolders;
}

/** For looking at a host, and pushing to it, in milliseconds. */
const UPDATE_MS = 120_000;

/** What the work folder has that no branch has; null if nothing, undefined if git can't tell in a few seconds. */
export function countUnsaved(place: Place): Promise<ChangeCounts | null | undefined> {
  const late = AbortSignal.timeout(READ_MS);
  return settleAfterAbort(count(place, late), late, 0).catch(() => undefined);
}

async function count(place: Place, signal: AbortSignal): Promise<ChangeCounts | null> {
  const { git, job, project, folders } = place;
  if (!(await exists(folders.work))) {
    return null;
  }
  await removeStaleLocks(folders.hostGit, job.branch);
  const { tip, saved } = await findSaved(place);
  const tree = await stageWork(git, folders, project.folder, tip);
  const where = { git, place: { folder: folders.hostGit, gitDir: folders.hostGit }, signal };
  const counts = toCounts(await diffSummary(where, [saved, tree], { files: 0, characters: 0 }));
  return counts.files === 0 ? null : counts;
}

/**
 * The tip of the job's branch, and what the user's repository has of it: not all, if it couldn't be brought there, and
 * another commit, if the run was to replace that.
 */
async function findSaved(place: Place): Promise<{ tip: string; saved: string }> {
  const { git, repository, job, project, folders } = place;
  const tip = (await git.run(hostPlace(folders), ['rev-parse', '--verify', `refs/heads/${job.branch}`])).trim();
  const saved = job.publishedCommit ?? job.baseCommit ?? tip;
  const isSaved = tip === saved || ((await repository.holds(project.folder, tip)) && !(await isReplacing(place, tip)));
  return { tip, saved: isSaved ? tip : saved };
}

/** What the user decides about the work of a job that isn't running, without a prompt. */
export class EndedWork {
  constructor(
    private readonly parts: {
      git: Git;
      repository: UserRepository;
      publisher: Publisher;
      store: Pick<JobStore, 'project' | 'turns' | 'endedAt' | 'job' | 'saveWork' | 'changeJob'>;
      locks: Pick<JobLocks, 'tryHold'>;
      /** The folder with one subfolder per job. */
      jobsFolder: string;
    },
  ) {}

  /** Counts what a run has left that ended because the service was killed. Throws MergeRefusal. */
  recount(jobId: string): Promise<void> {
    return this.exclusively(jobId, async (place) => {
      const unsaved = await countUnsaved(place);
      await (unsaved !== undefined && this.parts.store.changeJob(jobId, { unsaved }));
      return true;
    });
  }

  /** Commits it to the job's branch, and brings that into the user's repository. Throws MergeRefusal. */
  keep(jobId: string): Promise<void> {
    return this.exclusively(jobId, async (place, turns, turn) => {
      const { git, job, project, folders } = place;
      if ((await countUnsaved(place)) === null) {
        await this.parts.store.saveWork(turn);
        return false;
      }
      const { made: commit, baseCommit, surroundings, note = null } = await commitWork({ ...place, turns, turn });
      const isReplaced = await isReplacing(place, commit);
      await publishBranch(git, project.folder, folders.hostGit, job.branch, { isReplaced });
      await this.parts.store.changeJob(jobId, { baseCommit, surroundings, leftOut: note });
      const changes = await countChanges({ ...place, job: { ...job, baseCommit } }, commit);
      await this.parts.store.saveWork(turn, { commit, changes });
      return true;
    });
  }

  /**
   * Brings the new commits of the base into the job's branch, and pushes it if it was pushed before. Throws
   * MergeRefusal.
   */
  update(jobId: string): Promise<void> {
    return this.exclusively(jobId, async (place) => {
      const { git, job, project, folders } = place;
      const { store, publisher } = this.parts;
      const at = { job, project, folders, signal: AbortSignal.timeout(UPDATE_MS) };
      const { found, conflicts, head, isMoved } = await bringUpToDate(this.parts, at, true);
      // A merge that was started earlier isn't started again.
      const names = shownPaths(conflicts.length > 0 ? conflicts : (found.surroundings?.base?.conflicts ?? []));
      if (names !== undefined) {
        throw new MergeRefusal(coded('updateConflicts', { base: job.baseBranch ?? '', names }));
      }
      if (!isMoved) {
        await store.changeJob(jobId, found);
        throw new MergeRefusal(coded('nothingToUpdate'));
      }
      await publishBranch(git, project.folder, folders.hostGit, job.branch);
      const updated = { ...job, ...found };
      const changes = await countChanges({ ...place, job: updated }, head);
      let { pushedCommit } = job;
      try {
        const destination = pushedCommit === null ? undefined : await findDestination({ publisher }, at);
        if (destination !== undefined) {
          const { branch, prLink } = job;
          const { hostGit } = folders;
          await destination.push({ jobId, hostGit, branch, commit: head, title: '', prLink, signal: at.signal });
          pushedCommit = head;
        }
      } finally {
        // At once: clients take the job as updated when its base has no new commits any more.
        await store.changeJob(jobId, { ...found, changes, publishedCommit: head, pushedCommit });
      }
      return true;
    });
  }

  /** Puts the work folder back to the last commit. Files that git ignores stay. Throws MergeRefusal. */
  discard(jobId: string): Promise<void> {
    return this.exclusively(jobId, async (place, _, turn) => {
      const { git, job, project, folders } = place;
      // What can't be staged, such as a nested repository, counts as something.
      const isNothing = (await countUnsaved(place)) === null;
      if (!isNothing) {
        const host = await stagingPlace(git, folders, project.folder);
        const { tip, saved } = await findSaved(place);
        await git.run(host, ['update-ref', `refs/heads/${job.branch}`, saved, tip]);
        await git.run(host, ['read-tree', '--reset', '-u', saved]);
        await git.run(host, ['clean', '--quiet', '-ffd', '--', '.']);
        await endMerges(git, host, await startedMerges(git, host));
      }
      await this.parts.store.saveWork(turn);
      return !isNothing;
    });
  }

  /**
   * Does the work while no run and no removal of folders can start.
   *
   * @param work resolves to whether there was anything to do
   */
  private async exclusively(
    jobId: string,
    work: (place: Place, turns: readonly Turn[], last: Turn) => Promise<boolean>,
  ): Promise<void> {
    const { store, locks, jobsFolder, ...tools } = this.parts;
    const done = locks.tryHold(jobId, async () => {
      const job = await store.job(jobId);
      const known = job && (await store.project(job.projectId));
      const turns = await store.turns(jobId);
      const [last, folders] = [turns.at(-1), jobFolders(join(jobsFolder, jobId))];
      if (job === undefined || known === undefined || last === undefined) {
        throw new MergeRefusal(coded('repositoryGone'));
      }
      const project = { ...known, folder: await tools.repository.findProjectFolder(known) };
      if ((await store.endedAt(jobId)) === undefined) {
        throw new MergeRefusal(coded('agentAtWork'));
      }
      if (!(await exists(folders.work))) {
        throw new MergeRefusal(coded('nothingUnsaved'));
      }
      await removeStaleLocks(folders.hostGit, job.branch);
      if (!(await work({ ...tools, job, project, folders }, turns, last))) {
        throw new MergeRefusal(coded('nothingUnsaved'));
      }
    });
    if (done === undefined) {
      throw new MergeRefusal(coded('agentAtWork'));
    }
    await done.catch((error: unknown) => {
      if (error instanceof GitError) {
        throw new MergeRefusal(coded('gitSaid', { words: error.message }));
      }
      throw error instanceof TurnFailure || error instanceof UnusableFolder ? new MergeRefusal(error.coded) : error;
    });
  }
}
