import { safeLink } from '../pullRequestLink';

/**
 * True when `given` is the address of this pull request, or of a page of it (“/files”, “/diffs”): what a person copies is
 * seldom the address that the service told.
 */
export function isPullRequestOf(prLink: string | null | undefined, given: string): boolean {
  const [own, other] = [safeLink(prLink), safeLink(given)];
  if (own === undefined || own.origin !== other?.origin) {
    return false;
  }
  const [path, page] = [pathOf(own), pathOf(other)];
  const hasSameQuery = own.search === '' || own.search === other.search;
  return hasSameQuery && path !== '' && (page === path || page.startsWith(`${path}/`));
}

/** True for what is meant as the address of a pull request. */
export function looksLikePullRequest(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * Owners and repositories are the same in small and capital letters on every code host. The lookbehind keeps the search
 * for slashes at the end linear: no attempt starts in the middle of a run of them.
 */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').toLowerCase();
}
