import type { Loss } from './codeHistory';
import type { Evidence } from './finding';
import {
  findTarget,
  type LinkFinding,
  linkFinding,
  LinkIndex,
  linkReader,
  type LinkSite,
  type LinkTarget,
} from './links';
import type { PageLink } from './pages/page';
import type { RemovedFiles } from './removedFiles';

/** A link of a page, of which nothing is there. */
export interface DeadLink {
  link: PageLink;
  path: string;
  target: LinkTarget;
}

/** A link to a repository on a code host, and one to a file in it. */
const REPOSITORY = /^https?:\/\/([^/]+\.[a-z]+)\/([^/]+\/[^/#?]+)/;
const HOSTED = /^https?:\/\/[^/]+\.[a-z]+\/[^/]+\/[^/]+\/(?:-\/)?(?:blob|tree|raw)\/[^/]+\/([^#?]+)/;

/** Returns the links that lead nowhere now. */
export function deadLinks(
  links: readonly { link: PageLink; path: string }[],
  paths: Iterable<string>,
  site: LinkSite,
): DeadLink[] {
  const index = new LinkIndex(paths);
  const hosts = site.hosts.length === 0 ? hostOf(links, index) : site.hosts;
  const read = linkReader({ ...site, hosts });
  return links.flatMap(({ link, path }) => {
    const target = read(link, path);
    const isDead =
      target !== undefined &&
      findTarget(target, index) === undefined &&
      !target.candidates.some((each) => index.isBehindFile(each));
    return isDead ? [{ link, path, target }] : [];
  });
}

/** How many links to a repository make it the one of the pages, if none of them leads to a file that is there. */
const MANY_LINKS = 5;

/** Where a repository without a remote is hosted: where most of the links lead that have any of its files. */
function hostOf(links: readonly { link: PageLink }[], index: LinkIndex): LinkSite['hosts'] {
  const counts = new Map<string, number>();
  const own = new Set<string>();
  for (const { link } of links) {
    const target = link.target.slice(0, 500);
    const [, host = '', path = ''] = REPOSITORY.exec(target) ?? [];
    counts.set(`${host}/${path}`, (counts.get(`${host}/${path}`) ?? 0) + 1);
    if (index.find(HOSTED.exec(target)?.[1] ?? ' ') !== undefined) {
      own.add(`${host}/${path}`);
    }
  }
  const hosted = [...counts.keys()].filter((each) => each !== '/' && (counts.get(each) ?? 0) >= MANY_LINKS);
  const [best] = (own.size > 0 ? [...own] : hosted).toSorted(
    (one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0),
  );
  const slash = best?.indexOf('/') ?? 0;
  return best === undefined ? [] : [{ host: best.slice(0, slash), path: best.slice(slash + 1) }];
}

/** The part of a link's target that leads to a file. */
export function fileOf({ target }: PageLink): string {
  return target.trim().split(/[#?]/, 1)[0] ?? '';
}

/** Returns the finding about a link whose target a commit has removed. */
export function goneLink(
  { link, path, target }: DeadLink,
  loss: Loss,
  removed: RemovedFiles,
  isThere: (path: string) => boolean,
): LinkFinding {
  const file = removed.target(target).find((each) => each.loss === loss);
  return {
    ...linkFinding(link, path, 'file', 'certain'),
    evidence: evidenceOfFile(loss),
    successor: (file && removed.movedTo(file, isThere)) ?? null,
  };
}

export function evidenceOfFile({ commit, repository, path }: Loss): Evidence {
  return { commit, repository, path, line: null, before: '', after: null };
}
