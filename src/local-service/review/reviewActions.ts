import type { Git } from '../../git/git';
import { coded } from '../../protocol/codedText';
import type { UserRepository } from '../git/userRepository';
import { type JobLocks, jobStatus } from '../jobs/jobOperations';
import type { MergedWork, MergeRequest, UndoneMerge } from '../../protocol/localService';
import type { MergedText } from '../git/commitMessage';
import { redactDetectedSecrets } from '../git/workClone';
import type { Job, JobStore, JobWithTurns, Project, Turn } from '../store/jobStore';
import { type MergeOptions, type MergePreview, type MergeResult, mergeWork, previewMerge } from './merge';
import { deletesMergedBranch, deleteMergedBranch } from './mergedBranch';
import { MergeRefusal } from './mergeTarget';
import { undoMerge } from './undoMerge';

/** The parts of the service that the actions need. */
export interface ReviewPorts {
  git: Git;
  store: Pick<JobStore, 'project' | 'turns' | 'jobWithTurns' | 'setReview' | 'reopenMerged'>;
  repository: Pick<UserRepository, 'identity'>;
  /** Prevents turns and the removal of folders while a branch is merged. */
  locks: Pick<JobLocks, 'tryHold'>;
}

/** What the user can decide about a job's work. */
export interface ReviewActions {
  /** What a merge would do now, the commit it would merge, and the branch it would delete. Throws MergeRefusal. */
  preview(job: Job): Promise<MergePreview & { commit: string; deletes: string | null }>;
  /** Merges the commit that the user saw into the branch that they saw. Throws MergeRefusal. */
  merge(job: Job, request: MergeRequest): Promise<MergeResult & MergedWork>;
  /** Takes merged work back out of the user's branch, and reopens the review. Throws MergeRefusal. */
  undoMerge(job: Job): Promise<UndoneMerge>;
  /** Throws MergeRefusal for merged work. */
  close(job: Job): Promise<void>;
  /** Opens a closed review again. Throws MergeRefusal for merged work. */
  reopen(job: Job): Promise<void>;
}

const BUSY = coded('agentAtWork');

export function reviewActions(ports: ReviewPorts): ReviewActions {
  const { store } = ports;
  const projectOf = async (job: Job): Promise<Project> => {
    const project = await store.project(job.projectId);
    if (project === undefined) {
      throw new MergeRefusal(coded('repositoryGone'));
    }
    return project;
  };

  const current = async (job: Job): Promise<JobWithTurns> =>
    (await store.jobWithTurns(job.id)) ?? { ...job, turns: [] };

  /** Returns what can be merged now. Throws MergeRefusal. */
  const mergeable = async (job: Job): Promise<Pick<MergeOptions, 'commit' | 'branch' | 'jobId' | 'base'>> => {
    const { prLink, review, branch, publishedCommit, baseCommit, baseBranch, turns } = await current(job);
    if (prLink !== null) {
      throw new MergeRefusal(coded('onCodeHost'));
    }
    if (review === 'closed') {
      throw new MergeRefusal(coded('reviewClosed'));
    }
    if (jobStatus(turns).status === 'active') {
      throw new MergeRefusal(BUSY);
    }
    if (publishedCommit === null || baseCommit === null) {
      throw new MergeRefusal(coded('nothingToReview'));
    }
    return { commit: publishedCommit, branch, jobId: job.id, base: { commit: baseCommit, branch: baseBranch } };
  };

  const preview: ReviewActions['preview'] = async (job) => {
    const project = await projectOf(job);
    const work = await mergeable(job);
    const isDeleted = await deletesMergedBranch(ports.git, project.folder, work);
    return {
      commit: work.commit,
      ...(await previewMerge(ports.git, project.folder, work)),
      deletes: isDeleted ? work.branch : null,
    };
  };

  const merge: ReviewActions['merge'] = async (job, { commit, ...shown }) => {
    const project = await projectOf(job);
    const work = await mergeable(job);
    if (work.commit !== commit) {
      throw new MergeRefusal(coded('newerChanges'));
    }
    const author = await ports.repository.identity(project.folder);
    const describe = async (isMore: boolean) => describeWork(await store.turns(job.id), isMore);
    const options = { ...work, author, describe, shown };
    const merged = await ports.locks.tryHold(job.id, async () => {
      const result = await mergeWork(ports.git, project.folder, options);
      await recordMerge(job, result);
      return { ...result, isDeleted: await deleteMergedBranch(ports.git, project.folder, work) };
    });
    if (merged === undefined) {
      throw new MergeRefusal(BUSY);
    }
    return {
      kind: merged.kind,
      branch: merged.branch,
      deleted: merged.isDeleted ? { branch: work.branch, commit } : null,
    };
  };

  const recordMerge = async (job: Job, { branch }: MergeResult): Promise<void> => {
    try {
      await store.setReview(job.id, 'merged');
    } catch (error) {
      // Usually a full disk. That error alone would say that nothing has happened.
      throw new MergeRefusal(coded('mergeNotRecorded', { branch, words: messageOf(error) }));
    }
  };

  const undo: ReviewActions['undoMerge'] = async (job) => {
    const project = await projectOf(job);
    const work = await mergeable(job);
    const author = await ports.repository.identity(project.folder);
    // Whatever the review says: a follow-up reopens it, even if that changes nothing.
    const undone = await ports.locks.tryHold(job.id, async () => {
      const branch = await undoMerge(ports.git, project.folder, { ...work, author });
      await store.reopenMerged(job.id).catch((error: unknown) => {
        throw new MergeRefusal(coded('undoNotRecorded', { words: messageOf(error) }));
      });
      return { branch: branch ?? null };
    });
    if (undone === undefined) {
      throw new MergeRefusal(BUSY);
    }
    return undone;
  };

  const close = async (job: Job): Promise<void> => {
    if (!(await store.setReview(job.id, 'closed'))) {
      throw new MergeRefusal(coded('alreadyMerged'));
    }
  };

  const reopen = async (job: Job): Promise<void> => {
    if (!(await store.setReview(job.id, null))) {
      throw new MergeRefusal(coded('mergedNotReopened'));
    }
  };

  return { preview, merge, undoMerge: undo, close, reopen };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the commit message of merged work is made from: all messages, or the newest one if the others are merged. */
async function describeWork(turns: readonly Turn[], isMore: boolean): Promise<MergedText> {
  const own = isMore ? turns.slice(-1) : turns;
  const summaries = own.map(({ summary }) => summary?.trim() ?? '').filter((summary) => summary !== '');
  const [prompt, summary] = await Promise.all(
    [own[0]?.prompt ?? '', summaries.join('\n\n')].map((text) => redactDetectedSecrets(text)),
  );
  return { prompt: prompt ?? '', summary: summary ?? '' };
}
