import type { CodedText } from '../../protocol/codedText';
import type { PullRequestState } from '../../protocol/surroundings';

/** A job's branch with a new commit. */
export interface BranchToPush {
  jobId: string;
  /** The service's own bare git directory, which holds the branch. */
  hostGit: string;
  /** Without `refs/heads/`. */
  branch: string;
  commit: string;
  /** The first line of the pull request: some hosts open it at the push. */
  title: string;
  /** The link that the job already has; null before the first publication. */
  prLink: string | null;
  signal: AbortSignal;
}

export interface PullRequestText {
  /** Markdown. */
  body: string;
  /** The part of the body that says what the check of the added lines has found; undefined if it has none. */
  check?: string | undefined;
}

/** The result of a publication. */
export interface PublishResult {
  /** The pull request, or the page where the user opens one; null if the remote has neither. */
  prLink: string | null;
  /** What the user should know: that the branch was pushed but no pull request could be opened, and why. */
  note?: CodedText;
}

/** A branch that was pushed. */
export interface PushedBranch {
  /** The pull request that the host has opened at the push. */
  prLink?: string | undefined;
  /** Idempotent: the branch's open pull request is reused. Throws only the signal's reason. */
  openPullRequest(text: PullRequestText): Promise<PublishResult>;
}

/** The branch that is looked for on the host. */
export type LookedFor = Pick<BranchToPush, 'hostGit' | 'branch' | 'prLink' | 'signal'>;

/** What is on the host beside a job's own work. Each is undefined if the host didn't tell. */
export interface SeenOnHost {
  /** The commit of the job's branch, which the job's git directory has from then on; null if there is no such branch. */
  branch?: string | null;
  /** The target branch, without `refs/heads/`, and its commit, which the job's git directory has from then on. */
  base?: { branch: string; commit: string };
  /** The job's pull request; null if it has none, or none that can be asked about. */
  pullRequest?: { url: string; state: PullRequestState } | null;
}

/** Where a job's branch is pushed. */
export interface Destination {
  /** The name of the remote. */
  name: string;
  /** Its URL without credentials; null if that isn't known. */
  url: string | null;
  /** Patterns of the references for what it has, and for what the repository has that it is a fork of. */
  references: string[];
  /**
   * Brings what the host has to the job's git directory: the branch as `refs/docs-agent/host/branch`, the target branch
   * as `refs/docs-agent/host/base`. Throws only the signal's reason.
   */
  look(sought: LookedFor): Promise<SeenOnHost>;
  /** Idempotent. Throws HostHasMore if others have added to the branch, another TurnFailure if the branch could not be pushed, or the signal's reason. */
  push(branch: BranchToPush): Promise<PushedBranch>;
}

/** Knows the remotes of repositories. */
export interface Publisher {
  /**
   * The remote that the work on a branch is pushed to; undefined if there is none. Throws TurnFailure, or the signal's
   * reason.
   *
   * @param folder the user's work tree, whose remote and git configuration determine the target and the identity
   * @param baseBranch the branch that the work started from, without `refs/heads/`; null when detached
   */
  destination(folder: string, baseBranch: string | null, signal: AbortSignal): Promise<Destination | undefined>;
}
