import * as z from 'zod/mini';
import type { Git } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { jobBranchName } from '../git/jobClone';
import type { UserRepository } from '../git/userRepository';
import { type JobOperations, JobLocks, type JobStatus, jobStatus } from '../jobs/jobOperations';
import type { Job, JobStore, Project } from '../store/jobStore';
import { type MergeResult, mergeWork } from './merge';
import { MergeRefusal } from './mergeTarget';
import { MAX_FOLLOW_UP, type ReviewState } from './reviewPage';

/** What the page sends as a follow-up. */
export const followUpSchema = z.object({
  /** Created by the page. The same id again means a retry of the same message, whose response was lost. */
  id: z.string().check(z.regex(/^[A-Za-z0-9-]{8,64}$/)),
  text: z.string().check(z.maxLength(MAX_FOLLOW_UP), z.regex(/\S/)),
});

/** What the page sends to merge: the state that it showed. */
export const mergeRequestSchema = z.object({
  commit: z.string().check(z.regex(/^[0-9a-f]{40,64}$/)),
  /** The target branch and its commit as the page showed them; empty if there was none. */
  into: z.string().check(z.maxLength(4_096)),
  head: z.string().check(z.regex(/^([0-9a-f]{40,64})?$/)),
});

/** The parts of the service that the actions need. */
export interface ReviewPorts {
  git: Git;
  store: Pick<JobStore, 'project' | 'turns' | 'job' | 'setReview'>;
  repository: Pick<UserRepository, 'identity'>;
  /** Prevents turns and the removal of folders while a branch is merged. */
  locks: Pick<JobLocks, 'tryHold'>;
  jobs: Pick<JobOperations, 'sendMessage'>;
}

/** The state that an open page polls for while the agent works. */
export interface PageState {
  status: JobStatus;
  review: ReviewState;
  commit: string | null;
  turns: number;
}

/** What a page can do with its job. */
export interface ReviewActions {
  state(job: Job): PageState;
  /** Sends a follow-up, at most once per id. Throws MergeRefusal or TooManyRequests. */
  followUp(job: Job, message: z.infer<typeof followUpSchema>): Promise<void>;
  /** Merges the commit that the page showed into the branch that it showed. Throws MergeRefusal. */
  merge(job: Job, request: z.infer<typeof mergeRequestSchema>): Promise<MergeResult>;
  close(job: Job): Promise<void>;
}

const BUSY = coded('agentAtWork');

/** Number of message ids that are remembered per job. They don't have to survive a restart, since no open page does. */
const MAX_SENT = 50;

export function reviewActions(ports: ReviewPorts): ReviewActions {
  const { store } = ports;
  const sentOf = new Map<string, string[]>();

  /** Serializes the requests from a job's pages. */
  const inTurn = new JobLocks();
  const reviewOf = (job: Job): ReviewState => store.job(job.id)?.review ?? 'open';

  const projectOf = (job: Job): Project => {
    const project = store.project(job.projectId);
    if (project === undefined) {
      throw new MergeRefusal(coded('repositoryGone'));
    }
    return project;
  };

  const state = (job: Job): PageState => {
    const turns = store.turns(job.id);
    const commit = (store.job(job.id) ?? job).publishedCommit;
    return { status: jobStatus(turns).status, review: reviewOf(job), commit, turns: turns.length };
  };

  const followUp: ReviewActions['followUp'] = async (job, { id, text }) => {
    const earlier = sentOf.get(job.id) ?? [];
    if (earlier.includes(id)) {
      return;
    }
    const review = reviewOf(job);
    if (review !== 'open') {
      throw new MergeRefusal(coded(review === 'merged' ? 'mergedNoFollowUp' : 'closedNoFollowUp'));
    }
    ports.jobs.sendMessage(projectOf(job), job.id, text);
    sentOf.set(job.id, [...earlier, id].slice(-MAX_SENT));
  };

  const merge: ReviewActions['merge'] = async (job, { commit, ...shown }) => {
    const project = projectOf(job);
    const present = store.job(job.id) ?? job;
    if (present.prLink !== null) {
      throw new MergeRefusal(coded('onCodeHost'));
    }
    if (present.review === 'closed') {
      throw new MergeRefusal(coded('reviewClosed'));
    }
    if (jobStatus(store.turns(job.id)).status === 'active') {
      throw new MergeRefusal(BUSY);
    }
    if (present.publishedCommit !== commit || present.baseCommit === null) {
      throw new MergeRefusal(coded('newerChanges'));
    }
    const author = await ports.repository.identity(project.folder);
    const base = { commit: present.baseCommit, branch: present.baseBranch };
    const options = { commit, branch: jobBranchName(job.id), jobId: job.id, author, base, shown };
    const merged = await ports.locks.tryHold(job.id, () => mergeWork(ports.git, project.folder, options));
    if (merged === undefined) {
      throw new MergeRefusal(BUSY);
    }
    try {
      store.setReview(job.id, 'merged');
    } catch (error) {
      // Usually a full disk. That error alone would say that nothing has happened.
      const words = error instanceof Error ? error.message : String(error);
      throw new MergeRefusal(coded('mergeNotRecorded', { branch: merged.branch, words }));
    }
    return merged;
  };

  const close = async (job: Job): Promise<void> => {
    if (reviewOf(job) === 'merged') {
      throw new MergeRefusal(coded('alreadyMerged'));
    }
    store.setReview(job.id, 'closed');
  };

  return {
    state,
    followUp: (job, message) => inTurn.hold(job.id, () => followUp(job, message)),
    merge: (job, request) => inTurn.hold(job.id, () => merge(job, request)),
    close: (job) => inTurn.hold(job.id, () => close(job)),
  };
}
