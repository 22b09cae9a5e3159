import type { Certainty, Finding } from './finding';
import type { Page, PageLink } from './pages/page';

/** What links from the pages of a repository may lead to. */
export interface LinkSite {
  /** Where the repository is hosted: host and path, such as `github.com` and `owner/name`. */
  hosts: readonly { host: string; path: string }[];
  /** The branches whose URLs follow the newest commit. `HEAD`, `main`, and `master` are added. */
  branches: readonly string[];
}

export interface LinkTarget {
  /** Paths that the link may lead to, best first, as `LinkIndex` finds them. */
  candidates: readonly string[];
  anchor: string;
  kind: PageLink['kind'];
  /** Whether the link is broken if there is none of the candidates; otherwise a generator may make such a page. */
  isCheckable: boolean;
}

export type LinkFinding = Extract<Finding, { rule: 'broken-link' | 'missing-image' }>;

const MAX_TARGET = 1_000;
/** How many levels of folders, from the top of the repository, are tried as the root of a site. */
const MAX_FOLDERS = 20;
/** Folders for files in the root of a site. */
const CONTENT = ['', 'public', 'static', 'docs', 'src/pages', 'src/content/docs', 'content', 'src', 'pages'];
const PAGE_ENDING = /\.(?:mdx?|markdown|mdoc|qmd|adoc|asciidoc|asc|ad|rst)$/i;
/** Pages whose settings say which folders their links and images start from. */
const WITH_FOLDERS = /\.(?:adoc|asciidoc|asc|ad|rst)$/i;
const WITH_ENDING = /\.\w{2,5}$/;

/** Finds files and folders by the names that links have for them: pages also without their endings. */
export class LinkIndex {
  private readonly files = new Set<string>();
  private readonly names = new Map<string, string>();

  constructor(paths: Iterable<string>) {
    const folders = new Set<string>(['']);
    for (const path of paths) {
      this.files.add(path);
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const folder = path.slice(0, end);
        if (folders.has(folder)) {
          break;
        }
        folders.add(folder);
      }
      const name = path.replace(PAGE_ENDING, '');
      if (name !== path) {
        this.names.set(name, path);
        const folder = /^(?:(.*)\/)?(?:_?index|readme)$/i.exec(name);
        if (folder !== null && !this.names.has(folder[1] ?? '')) {
          this.names.set(folder[1] ?? '', path);
        }
      }
    }
    folders.forEach((folder) => this.names.has(folder) || this.names.set(folder, folder));
  }

  /** The path of a file or folder. */
  find(name: string): string | undefined {
    const plain = name.replace(/\/$/, '');
    return this.files.has(plain) ? plain : (this.names.get(plain) ?? this.names.get(plain.replace(/\.html?$/, '')));
  }

  /** Whether a folder on this path is a file: a symbolic link, which may have the rest of the path. */
  isBehindFile(name: string): boolean {
    for (let end = name.indexOf('/'); end > 0; end = name.indexOf('/', end + 1)) {
      if (this.files.has(name.slice(0, end))) {
        return true;
      }
    }
    return false;
  }
}

export type LinkReader = (link: PageLink, path: string) => LinkTarget | undefined;

/** Reads the targets of links; undefined for one that leads elsewhere, or has placeholders. */
export function linkReader({ hosts, branches }: LinkSite): LinkReader {
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const branch = [...new Set(['HEAD', 'main', 'master', ...branches])].map(escaped).join('|');
  const views = '(?:-/)?(?:blob|tree|raw|edit|blame|src/branch|src)/(?:refs/heads/)?';
  const roots = hosts.flatMap(({ host, path }) => [
    `(?:www\\.)?${escaped(host)}/${escaped(path)}/${views}`,
    ...(host === 'github.com' ? [`raw\\.githubusercontent\\.com/${escaped(path)}/(?:refs/heads/)?`] : []),
  ]);
  const own = new RegExp(`^https?://(?:${roots.join('|')})(?:${branch})(?:/|$)`, 'i');
  return (link, path) => {
    const target = link.target.trim();
    const [file = '', anchor = ''] = target.split('#', 2);
    const [plain = ''] = file.split('?', 1);
    const read = (candidates: readonly string[], isCheckable: boolean): LinkTarget | undefined =>
      candidates.length === 0
        ? undefined
        : {
            candidates,
            anchor: decoded(anchor),
            kind: link.kind,
            isCheckable: isCheckable && !WITH_FOLDERS.test(path),
          };
    if (target === '' || target.length > MAX_TARGET) {
      return undefined;
    }
    if (hosts.length > 0 && /^https?:/i.test(plain)) {
      const start = own.exec(plain);
      const candidate = start === null ? undefined : resolvePath([], decoded(plain.slice(start[0].length)));
      // A branch of this name may have what the commit that is checked doesn't have yet.
      return candidate === undefined || candidate === '' ? undefined : read([candidate], false);
    }
    // Not checked: URLs with a scheme, and placeholders that a generator or a template fills in.
    const at = link.kind === 'include' ? /^(?:@site|[@~])?\// : /^\//;
    if (/^[a-z][a-z0-9+.-]*:|^\/\/|[{}<>$*]/i.test(target) || (target.startsWith('@') && !at.test(target))) {
      return undefined;
    }
    const folder = path.split('/').slice(0, -1);
    const name = decoded(plain);
    if (name === '') {
      return read([path], true);
    }
    if (at.test(name)) {
      // A site may generate pages from files with other names, so only files with a known ending count as missing.
      const isCheckable = link.kind !== 'include' && /\.(?:mdx?|png|jpe?g|gif|svg|webp)$/i.test(name);
      return read(fromRoots(name.replace(at, ''), folder), isCheckable);
    }
    if (link.kind === 'include') {
      // Generators resolve these from the page, the folder of pages, or the folder in which they run.
      const isCheckable = /^\.{1,2}\//.test(name);
      const fromPage = resolvePath(folder, name);
      return read([...(fromPage === undefined ? [] : [fromPage]), ...fromRoots(name, folder)], isCheckable);
    }
    // Many generators serve `page.md` as `page/`, so links are relative to one more folder.
    const isExact = link.kind === 'image' || WITH_ENDING.test(name);
    const bases = isExact ? [folder] : [folder, path.replace(/\.\w+$/, '').split('/')];
    const candidates = bases.map((base) => resolvePath(base, name));
    // A link out of the repository can't be checked.
    return candidates[0] === undefined
      ? undefined
      : read(
          candidates.filter((each) => each !== undefined),
          true,
        );
  };
}

/** Where a target may be that starts at the root of a site: a folder above the page, or one for files in it. */
function fromRoots(target: string, folder: readonly string[]): string[] {
  const above = folder.slice(0, MAX_FOLDERS);
  const roots = above.map((_, at) => above.slice(0, above.length - at)).concat([[]]);
  return roots.flatMap((root) =>
    CONTENT.flatMap((files) => resolvePath(files === '' ? root : [...root, ...files.split('/')], target) ?? []),
  );
}

/** Checks one link; undefined when its target exists, or can't be checked, such as one on another site. */
export async function checkLink(
  link: PageLink,
  path: string,
  { read, index, anchors }: { read: LinkReader; index: LinkIndex; anchors: (path: string) => Promise<AnchorTest> },
): Promise<LinkFinding | undefined> {
  const target = read(link, path);
  if (target === undefined) {
    return undefined;
  }
  const found = findTarget(target, index);
  if (found === undefined) {
    return target.isCheckable && !target.candidates.some((each) => index.isBehindFile(each))
      ? linkFinding(link, path, 'file', 'certain')
      : undefined;
  }
  const { anchor, kind } = target;
  const isChecked = anchor !== '' && kind === 'link' && !/^(?:L\d|[/!:]|fn:?\d|user-content-|readme)/i.test(anchor);
  return !isChecked || ((await anchors(found))?.(anchor) ?? true)
    ? undefined
    : linkFinding(link, path, 'anchor', 'certain');
}

/** The file or folder that a link leads to. */
export function findTarget({ candidates }: LinkTarget, index: LinkIndex): string | undefined {
  for (const candidate of candidates) {
    const found = index.find(candidate);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

export function linkFinding(
  { target, kind, line, column, endColumn }: PageLink,
  path: string,
  problem: 'file' | 'anchor',
  certainty: Certainty,
): LinkFinding {
  const place = { path, line, column, endColumn };
  const found = { place, target: target.trim(), certainty, evidence: null, successor: null };
  return kind === 'image' ? { rule: 'missing-image', ...found } : { rule: 'broken-link', ...found, problem };
}

export function resolvePath(base: readonly string[], target: string): string | undefined {
  const parts = base.filter((part) => part !== '');
  for (const part of target.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) {
        return undefined;
      }
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Generators turn headings into anchors in different ways, but most keep the letters and digits in order. */
export function looseAnchor(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Tells whether a page has an anchor; undefined when that can't be told. */
export type AnchorTest = ((anchor: string) => boolean) | undefined;

/** What adds anchors that can't be seen in the page: parts of other files, and names that plugins document. */
const MORE_ANCHORS = /^import\s.*\.mdx?['"]|\{%|\{\{[<%#]|^:::[ \t]+[\w.]+\s*$|^<!--\s*@include|--8<--/m;
const SOURCE_ANCHORS =
  /\{:?[^{}\n]{0,200}?#([\w.:-]{1,200})[^{}\n]{0,200}\}|<h[1-6][^>\n]{0,200}>([^<\n]{1,300})|^={3}[!+]?[ \t]+"([^"\n]{1,200})"/gm;

/**
 * The anchors of a page: its headings, explicit ids, and texts of components. A repeated heading gets a number.
 * Components of MDX, and directives of other formats than Markdown, may add some that can't be seen.
 */
export function anchorsOf(page: Page): AnchorTest {
  const source = page.lines.join('\n');
  const { format } = page;
  if (MORE_ANCHORS.test(source) || (format === 'mdx' ? /^import\s/m.test(source) : format !== 'markdown')) {
    return undefined;
  }
  const anchors = new Set(['', 'top']);
  const add = (text: string): void => {
    const anchor = looseAnchor(text);
    // Some drop what isn't ASCII, or digits at the start.
    for (const each of [anchor, anchor.replace(/[^a-z0-9]/g, ''), anchor.replace(/^[^\p{L}]+/u, '')]) {
      anchors.add(each);
    }
  };
  for (const { text } of page.headings) {
    const plain = text
      .slice(0, MAX_TARGET)
      .trimEnd()
      .replace(/\{[^{}\n]{0,200}\}$|\[#[^\]\n]{0,200}\]$/, '')
      .replace(/\]\([^)\n]{0,500}\)/g, ']');
    add(plain.replace(/<[^>\n]{0,200}>/g, ''));
    add(plain.replaceAll('&', 'and'));
  }
  page.ids.forEach(add);
  for (const [, id = '', heading = '', tab = ''] of source.matchAll(SOURCE_ANCHORS)) {
    add(id + heading + tab);
  }
  return (anchor) => {
    const loose = looseAnchor(anchor);
    return anchors.has(loose) || anchors.has(loose.replace(/\d{1,2}$/, ''));
  };
}
