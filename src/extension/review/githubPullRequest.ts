import { type TrackedJob, isListed } from '../../jobs/trackedJob';
import { safeLink } from '../pullRequestLink';

/** The pages of a pull request, at which a link may point. */
const PAGES = 'files|changes|commits|checks|conflicts';

const PATH = new RegExp(
  `^/([A-Za-z0-9_-]{1,39})/([A-Za-z0-9._-]{1,100})/pull/([1-9][0-9]{0,9})(?:/(?:${PAGES})(?:/.*)?)?/?$`,
);

/**
 * The one form in which the extension “GitHub Pull Requests” takes a link, `https://github.com/OWNER/REPO/pull/N`: without
 * page, query and fragment. Undefined for whatever is no pull request on github.com.
 */
export function githubPullRequest(link: string | null | undefined): string | undefined {
  const url = safeLink(link);
  if (url?.origin !== 'https://github.com') {
    return undefined;
  }
  const [, owner, name, number] = PATH.exec(url.pathname) ?? [];
  const isName = name !== undefined && name !== '.' && name !== '..';
  return owner === undefined || !isName ? undefined : `${url.origin}/${owner}/${name}/pull/${number ?? ''}`;
}

/** Those of the jobs in the list that have ended, newest first. */
export function endedPullRequests(jobs: readonly TrackedJob[]): string[] {
  return jobs
    .filter((job) => isListed(job) && job.endedAt !== undefined)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map((job) => githubPullRequest(job.snapshot?.prLink))
    .filter((link) => link !== undefined);
}
