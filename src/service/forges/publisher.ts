/** A pull request to be opened, or to be given another commit. */
export interface Publication {
  jobId: string;
  /** The user's work tree, whose remote and git configuration say where to and as whom. */
  folder: string;
  /** The service's own bare git directory, which holds the branch. */
  hostGit: string;
  /** The job's branch, without `refs/heads/`. */
  branch: string;
  commit: string;
  /** The branch that the work started from, without `refs/heads/`; null when detached. */
  baseBranch: string | null;
  /** First line of the pull request. */
  title: string;
  /** Markdown. */
  body: string;
  /** The link that the job has already; null before the first publication. */
  prLink: string | null;
  signal: AbortSignal;
}

/** What came of it. */
export interface Published {
  /** The pull request, or the page on which the user opens one; null where the repository has no remote of that kind. */
  prLink: string | null;
  /** What the user should know: that the branch was pushed but no pull request could be opened, and why. */
  note?: CodedText;
}

/** Brings a job's branch to the code host and opens the pull request there. */
export interface Publisher {
  /**
   * Idempotent: an open pull request of the branch is found again, and "already exists" is success. Throws TurnFailure
   * when the branch could not be pushed, or the signal's reason.
   */
  publish(publication: Publication): Promise<Published>;
}
import type { CodedText } from '../../shared/protocol/codedText';
