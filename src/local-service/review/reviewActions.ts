import type { Git } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { type Identity, UnusableFolder, type UserRepository } from '../git/userRepository';
import { jobStatus } from '../jobs/jobStatus';
import type { JobLocks } from '../jobs/jobLocks';
import type { MergedWork, MergeRequest, UndoneMerge } from '../../protocol/localService';
import type { MergedText } from '../git/jobBranch';
import { redactDetectedSecrets } from '../../prompt/secrets/findSecrets';
import type { Job, JobStore, JobWithTurns, Turn } from '../store/jobStore';
import { type MergePreview, mergeWork, previewMerge, undoMerge } from './merge';
import { MergeRefusal, type Work } from './mergeTarget';

/** The parts of the service that the actions need. */
export interface ReviewPorts {
  git: Git;
  store: Pick<JobStore, 'project' | 'turns' | 'jobWithTurns' | 'setReview' | 'reopenMerged' | 'changeJob'>;
  repository: Pick<UserRepository, 'identity' | 'findProjectFolder'>;
  /** Prevents turns and the removal of folders while a branch is merged. */
  locks: Pick<JobLocks, 'tryHold'>;
  /** Called when a merge, or its undoing, has moved a branch of the user's. */
  onMoved?: () => void;
}

/** What the user can decide about a job's work. */
export interface ReviewActions {
  /** What a merge would do now. Throws MergeRefusal. */
  preview(job: Job): Promise<MergePreview>;
  /** Merges the commit that the user saw into the branch that they saw. Throws MergeRefusal. */
  merge(job: Job, request: MergeRequest): Promise<MergedWork>;
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
  const folderOf = async (job: Job): Promise<string> => {
    const project = await store.project(job.projectId);
    if (project === undefined) {
      throw new MergeRefusal(coded('repositoryGone'));
    }
    return ports.repository.findProjectFolder(project).catch((error: unknown) => {
      throw error instanceof UnusableFolder ? new MergeRefusal(error.coded) : error;
    });
  };

  const current = async (job: Job): Promise<JobWithTurns> =>
    (await store.jobWithTurns(job.id)) ?? { ...job, turns: [] };

  /** Returns what can be merged now. Throws MergeRefusal. */
  const mergeable = async (job: Job): Promise<Work> => {
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

  /** Does the work unless the agent is working. Throws MergeRefusal. */
  const exclusively = async <T>(job: Job, work: (author: Identity, folder: string) => Promise<T>): Promise<T> => {
    const folder = await folderOf(job);
    const author = await ports.repository.identity(folder);
    const done = ports.locks.tryHold(job.id, () => work(author, folder));
    if (done === undefined) {
      throw new MergeRefusal(BUSY);
    }
    return done;
  };

  return {
    async preview(job) {
      return previewMerge(ports.git, await folderOf(job), await mergeable(job));
    },

    async merge(job, shown) {
      const work = await mergeable(job);
      const describe = async (isMore: boolean) => describeWork(await store.turns(job.id), isMore);
      return exclusively(job, async (author, folder) => {
        let leftOut: CodedText | undefined;
        const onNote = (note: CodedText): void => void (leftOut = note);
        const merged = await mergeWork(ports.git, folder, work, { author, describe, shown, onNote });
        const surroundings = { mergedInto: merged.branch };
        await store.changeJob(job.id, { leftOut, surroundings }).catch(() => undefined);
        await store.setReview(job.id, 'merged').catch((error: unknown) => {
          // Usually a full disk. That error alone would say that nothing has happened.
          throw new MergeRefusal(coded('mergeNotRecorded', { branch: merged.branch, words: messageOf(error) }));
        });
        ports.onMoved?.();
        return merged;
      });
    },

    async undoMerge(job) {
      // Whatever the review says: a follow-up reopens it, even if that changes nothing.
      const work = await mergeable(job);
      return exclusively(job, async (author, folder) => {
        const branch = await undoMerge(ports.git, folder, work, author);
        await store.reopenMerged(job.id).catch((error: unknown) => {
          throw new MergeRefusal(coded('undoNotRecorded', { words: messageOf(error) }));
        });
        ports.onMoved?.();
        return { branch: branch ?? null };
      });
    },

    async close(job) {
      if (!(await store.setReview(job.id, 'closed'))) {
        throw new MergeRefusal(coded('alreadyMerged'));
      }
    },

    async reopen(job) {
      if (!(await store.setReview(job.id, null))) {
        throw new MergeRefusal(coded('mergedNotReopened'));
      }
    },
  };
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
