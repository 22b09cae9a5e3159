import { remoteLines } from '../git/pushFailure';
import type { ForgeKind } from './hostKind';

/**
 * The page on which the user opens the pull request of a branch themselves; undefined where there is none known.
 *
 * @param forkOwner whose fork holds the branch, where the page is another repository's (GitHub, Gitea)
 */
export function compareLink(
  kind: ForgeKind,
  webUrl: string,
  branch: string,
  base: string | null,
  forkOwner?: string,
): string | undefined {
  const head = `${forkOwner === undefined ? '' : `${encodeURIComponent(forkOwner)}:`}${inPath(branch)}`;
  switch (kind) {
    case 'github':
      return `${webUrl}/compare/${base === null ? '' : `${inPath(base)}...`}${head}?expand=1`;
    case 'gitlab': {
      const target = base === null ? '' : `&merge_request%5Btarget_branch%5D=${encodeURIComponent(base)}`;
      return `${webUrl}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}${target}`;
    }
    case 'gitea':
      return `${webUrl}/compare/${base === null ? '' : `${inPath(base)}...`}${head}`;
    case 'bitbucket': {
      const target = base === null ? '' : `&dest=${encodeURIComponent(base)}`;
      return `${webUrl}/pull-requests/new?source=${encodeURIComponent(branch)}${target}`;
    }
    case 'unknown':
      return undefined;
  }
}

/** True for the link of a pull request itself, and not of the page on which to open one. */
export function isPullRequestLink(link: string): boolean {
  return /\/(pull|pulls|pull-requests|-\/merge_requests)\/\d+$/.test(link);
}

/**
 * The link of the pull request that the host printed while it took the push; only one of the repository's own.
 *
 * @param stderr of `git push`
 */
export function printedLink(stderr: string, webUrl: string): string | undefined {
  const links = remoteLines(stderr).flatMap((line) => line.match(/https?:\/\/\S+/g) ?? []);
  const { hostname, pathname } = new URL(webUrl);
  return links.find((link) => {
    if (!isPullRequestLink(link) || !URL.canParse(link)) {
      return false;
    }
    const url = new URL(link);
    return url.hostname === hostname && url.username === '' && url.pathname.startsWith(`${pathname}/`);
  });
}

function inPath(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/');
}
