import type { JobStatus } from '../runner/jobState';
import type { Turn } from '../store/jobStore';
import type { Language } from './language';
import type { MergeOutlook } from './merge/mergeOutlook';
import type { ChangedFile } from './numstat';

/** What was decided of a job's work on its page; open while nothing was. */
export type ReviewState = 'open' | 'merged' | 'closed';

/** What the page of a job is made of. */
export interface Review {
  status: JobStatus;
  /** Why the newest message failed, in words for the user. */
  error?: string;
  review: ReviewState;
  /** Oldest first. */
  turns: readonly Pick<Turn, 'prompt' | 'state'>[];
  repository: string;
  folder: string;
  baseBranch: string | null;
  baseCommit: string;
  /** The commit that is shown. */
  commit: string;
  branch: string;
  /** The page of the code host where this is reviewed instead; undefined without one. */
  pullRequest?: string;
  /** How a merge would go, and into what. */
  merge: MergeOutlook;
  files: readonly ChangedFile[];
  /** What `git diff` prints; undefined when it is too large to show. */
  diff: string | undefined;
  /** What lets this page change something. */
  token: string;
  /** The page's script; empty for a page that is only read. */
  script: string;
  language: Language;
}
