import type { Comment, CommentThread } from 'vscode';
import type { ReviewComments } from '../../../../../src/extension/features/pull-requests/reviewComments';
import { ReviewFiles } from '../../../../../src/jobs/store/reviewFiles';
import type { SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import type { TrackedJob } from '../../../../../src/jobs/trackedJob';
import { editor, window } from '../../../../support/fakeEditor';

const nothing = (): undefined => undefined;
const log = { info: nothing, warn: nothing, error: nothing };

export const COMMENT: SavedComment = {
  id: 'c1',
  jobKey: 'j',
  uri: 'file:///x',
  path: 'x',
  side: 'new',
  from: 1,
  to: 1,
  quoted: 'q',
  languageId: 'markdown',
  outdated: false,
  text: 'first',
  at: 1,
};

/** The comments on changes in one window; other windows with the same folder share them. */
export interface ReviewWindow {
  files: ReviewFiles;
  review: ReviewComments;
  /** The unsent comments of each job. */
  counts: Map<string, number>;
  threads: CommentThread[];
  shown: () => Comment[];
  /** Reports a change of the only job. */
  change: (job: TrackedJob) => void;
}

let ids = 0;

export const newReviewFiles = (root: string): ReviewFiles => new ReviewFiles({ root, newId: () => `id${++ids}`, log });

export async function openReviewWindow(root: string): Promise<ReviewWindow> {
  const threads: CommentThread[] = [];
  const createCommentThread = (uri: unknown): unknown => {
    const thread = { uri, comments: [], dispose: () => threads.splice(threads.indexOf(thread as never), 1) };
    threads.push(thread as never);
    return thread;
  };
  Object.assign(editor.comments, { createCommentController: () => ({ createCommentThread, dispose: nothing }) });
  Object.assign(window, { showInformationMessage: nothing });
  const { ReviewComments } = await import('../../../../../src/extension/features/pull-requests/reviewComments');
  let listener: (change: unknown) => void = nothing;
  const jobs: TrackedJob[] = [];
  const store = {
    jobs,
    get: (key: string) => jobs.find((job) => job.key === key),
    onDidChange: (listen: typeof listener) => {
      listener = listen;
      return { dispose: nothing };
    },
  };
  const counts = new Map<string, number>();
  const files = newReviewFiles(root);
  const parts = { files, store, counts, localAvailable: true, newId: () => `new${++ids}`, log };
  const review = new ReviewComments(parts as never);
  const change = (job: TrackedJob): void => {
    const [before] = jobs.splice(0, 1, job);
    listener({ job, before, event: {} });
  };
  return { files, review, counts, threads, change, shown: () => threads.flatMap(({ comments }) => comments) };
}
