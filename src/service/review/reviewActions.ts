import { join } from 'node:path';
import type { Git } from '../../git/git';
import { branchOf } from '../git/jobClone';
import type { UserRepository } from '../git/userRepository';
import type { JobDesk } from '../runner/jobDesk';
import { JobLocks } from '../runner/jobLocks';
import { jobStatus } from '../runner/jobState';
import type { Job, JobStore, Project } from '../store/jobStore';
import { commentsMessage } from './commentsMessage';
import { type Merged, mergeWork } from './merge/merge';
import { MergeRefusal } from './merge/mergeRefusal';
import type { ReviewState } from './review';
import type { MergeRequest, SentComments } from './reviewComments';
import type { ReviewDesk } from './reviewDesk';

/** What the actions need of the rest of the service. */
export interface ReviewPorts {
  git: Git;
  store: Pick<JobStore, 'project' | 'turns' | 'job' | 'setReview'>;
  repository: Pick<UserRepository, 'identity'>;
  desk: Pick<ReviewDesk, 'linesAt'>;
  /** Holds a folder for each merge that is not finished. */
  mergesFolder: string;
  /** Keeps turns and the removal of folders off while a branch is merged. */
  locks: Pick<JobLocks, 'tryHold'>;
  jobs: Pick<JobDesk, 'sendMessage'>;
}

/** What a page that is open asks for again and again. */
export interface PageState {
  status: string;
  error?: string;
  review: ReviewState;
  commit: string | null;
  turns: number;
  /** The ids of the sendings that have arrived, the newest last. */
  sent: readonly string[];
}

/** What a page may do to its job. */
export interface ReviewActions {
  state(job: Job): PageState;
  /** Sends the comments as one follow-up, once for an id. Throws MergeRefusal or TooManyRequests. */
  comment(job: Job, sent: SentComments): Promise<PageState>;
  /** Merges the commit that the page showed into the branch that it named. Throws MergeRefusal. */
  merge(job: Job, request: MergeRequest): Promise<Merged>;
  close(job: Job): Promise<void>;
}

/** Why an action can't be done now, in words for the user. */
export { MergeRefusal as ActionRefusal };

const BUSY = 'The agent is at work. Wait until it has ended, then reload the page and look again.';

/** How many ids of sendings are kept of a job. */
const MAX_SENT = 50;

export function reviewActions(ports: ReviewPorts): ReviewActions {
  const { store } = ports;
  const sentOf = new Map<string, string[]>();

  /** Of the page's own requests of a job, one at a time. */
  const inTurn = new JobLocks();
  const reviewOf = (job: Job): ReviewState => store.job(job.id)?.review ?? 'open';

  const projectOf = (job: Job): Project => {
    const project = store.project(job.projectId);
    if (project === undefined) {
      throw new MergeRefusal('The repository of this job is not registered any more. Open its folder in the editor.');
    }
    return project;
  };

  const state = (job: Job): PageState => {
    const turns = store.turns(job.id);
    const commit = (store.job(job.id) ?? job).publishedCommit;
    return { ...jobStatus(turns), review: reviewOf(job), commit, turns: turns.length, sent: sentOf.get(job.id) ?? [] };
  };

  const comment = async (job: Job, { id, again, commit, comments }: SentComments): Promise<PageState> => {
    const earlier = sentOf.get(job.id) ?? [];
    if (earlier.includes(id)) {
      return state(job);
    }
    refuseDecided(reviewOf(job));
    const text = commentsMessage(comments, await ports.desk.linesAt(job, commit));
    // The ids are forgotten with the process, the messages are not.
    const isKnown = again && store.turns(job.id).some(({ prompt }) => prompt === text);
    if (!isKnown) {
      ports.jobs.sendMessage(projectOf(job), job.id, text);
    }
    sentOf.set(job.id, [...earlier, id].slice(-MAX_SENT));
    return state(job);
  };

  const merge = async (job: Job, { commit, ...shown }: MergeRequest): Promise<Merged> => {
    const project = projectOf(job);
    const present = store.job(job.id) ?? job;
    if (present.prLink !== null) {
      throw new MergeRefusal('This work has a pull request on the code host. Reload the page, and merge it there.');
    }
    if (present.review === 'closed') {
      throw new MergeRefusal('This review is closed. Reload the page.');
    }
    if (jobStatus(store.turns(job.id)).status === 'active') {
      throw new MergeRefusal(BUSY);
    }
    if (present.publishedCommit !== commit || present.baseCommit === null) {
      throw new MergeRefusal('There are newer changes than this page shows. Reload the page and look again.');
    }
    const author = await ports.repository.identity(project.folder);
    const base = { commit: present.baseCommit, branch: present.baseBranch };
    const wish = { commit, branch: branchOf(job.id), jobId: job.id, author, base, shown };
    const merged = await ports.locks.tryHold(job.id, () =>
      mergeWork(ports.git, project.folder, join(ports.mergesFolder, job.id), wish),
    );
    if (merged === undefined) {
      throw new MergeRefusal(BUSY);
    }
    store.setReview(job.id, 'merged');
    return merged;
  };

  const close = async (job: Job): Promise<void> => {
    if (reviewOf(job) === 'merged') {
      throw new MergeRefusal('This work is merged already. Reload the page.');
    }
    store.setReview(job.id, 'closed');
  };

  return {
    state,
    comment: (job, sent) => inTurn.hold(job.id, () => comment(job, sent)),
    merge: (job, request) => inTurn.hold(job.id, () => merge(job, request)),
    close: (job) => inTurn.hold(job.id, () => close(job)),
  };
}

function refuseDecided(review: ReviewState): void {
  if (review !== 'open') {
    throw new MergeRefusal(
      review === 'merged'
        ? 'This work is merged already. To have more done, send a follow-up from the editor.'
        : 'This work is closed already. To have more done, send a follow-up from the editor.',
    );
  }
}
