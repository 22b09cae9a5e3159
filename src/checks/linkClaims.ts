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

/** Links to code hosts, with the path of a repository and of a file in it. */
const HOSTED = /^https?:\/\/([^/]+\.[a-z]+)\/([^/]+\/[^/]+)\/(?:-\/)?(?:blob|tree|raw)\/[^/]+\/([^#?]+)/;
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

/** Where a repository without a remote is hosted: where most of the links lead whose files it has. */
function hostOf(links: readonly { link: PageLink }[], index: LinkIndex): LinkSite['hosts'] {
  const counts = new Map<string, number>();
  for (const { link } of links) {
    const [, host = '', path = '', file = ''] = HOSTED.exec(link.target.slice(0, 500)) ?? [];
    if (file !== '' && index.find(file) !== undefined) {
      counts.set(`${host}/${path}`, (counts.get(`${host}/${path}`) ?? 0) + 1);
    }
  }
  const [best] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
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
