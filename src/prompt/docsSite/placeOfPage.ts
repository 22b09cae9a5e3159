import { codeSpan } from '../fence';
import { docusaurusPlace } from './docusaurus';
import { type DocsSite, type SiteReader, joined } from './findSite';
import { frontMatterOf } from './frontMatter';
import { headingsOf } from './headings';
import { mintlifyKey, readMintlify } from './mintlify';
import { folderTitle, readMkDocs } from './mkdocs';
import { type Navigation, type PagePlace, asText, placeIn } from './navigation';

export interface Page {
  /** Relative to the project. */
  path: string;
  /** As it stands in the editor. */
  text: string;
}

/** More pages of one folder are not read only to tell which two stand beside this one. */
const MOST_SIBLINGS = 100;

/**
 * Where a page stands in its site.
 *
 * @throws an Error with what is wrong when the site's configuration can't be read
 */
export async function placeOfPage(site: DocsSite, page: Page, reader: SiteReader): Promise<PagePlace> {
  const base = joined(site.root, site.pagesFolder);
  const own = base === '' ? page.path : page.path.slice(base === '' ? 0 : base.length + 1);
  switch (site.kind) {
    case 'mintlify':
      return inNavigation(readMintlify(site.config), mintlifyKey(own));
    case 'mkdocs': {
      const { navigation, inherits } = readMkDocs(site.config);
      if (navigation !== undefined) {
        return inNavigation(navigation, own);
      }
      return inherits === undefined ? inFolders(own, base, reader) : { trails: [], remarks: [notRead([inherits])] };
    }
    case 'docusaurus':
      return docusaurusPlace(await readAround(site, base, own, page.text, reader));
    default:
      return { trails: [], remarks: ['The navigation of a site of this kind is not read here'] };
  }
}

/** The page's title: what the navigation calls it, or what it calls itself. */
export function titleOf({ path, text }: Page, place: Pick<PagePlace, 'title'>): string {
  const { sidebarTitle, title } = frontMatterOf(text);
  const first = headingsOf(text, path).find(({ level }) => level === 1)?.text;
  return place.title ?? asText(sidebarTitle) ?? asText(title) ?? first ?? nameOf(path);
}

function inNavigation(navigation: Navigation, key: string): PagePlace {
  const place = placeIn(navigation, key);
  const missing = place.trails.length === 0 ? ['Not in the navigation'] : [];
  const { elsewhere } = navigation;
  return { ...place, remarks: [...missing, ...(elsewhere.length === 0 ? [] : [notRead(elsewhere)])] };
}

function notRead(parts: readonly string[]): string {
  const named = parts.slice(0, 3).map((part) => codeSpan(part));
  return `Parts of the navigation are made elsewhere and were not read here: ${named.join(', ')}`;
}

/** The navigation of a MkDocs site that has none: its folders, and in each the index before the others. */
async function inFolders(own: string, base: string, reader: SiteReader): Promise<PagePlace> {
  const folders = own.split('/').slice(0, -1);
  const names = await reader.list(joined(base, ...folders));
  const rank = (name: string): string => (/^(index|readme)\./i.test(name) ? '' : name);
  const pages = names
    .filter((name) => /\.(md|markdown)$/i.test(name))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
  const at = pages.indexOf(own.split('/').at(-1) ?? '');
  const remarks = ['The navigation is made of the folders'];
  const near = at === -1 ? {} : { before: pages[at - 1], after: pages[at + 1] };
  return { trails: [folders.map((folder) => folderTitle(folder))], ...near, remarks };
}

async function readAround(
  site: DocsSite,
  base: string,
  own: string,
  text: string,
  reader: SiteReader,
): Promise<Parameters<typeof docusaurusPlace>[0]> {
  const parts = own.split('/');
  const name = parts.pop() ?? '';
  const folders = await Promise.all(
    parts.map(async (folder, at) => {
      const path = joined(base, ...parts.slice(0, at + 1));
      const file = (await reader.list(path)).find((each) => /^_category_\.(json|ya?ml)$/.test(each));
      return { name: folder, category: file && (await reader.read(joined(path, file))) };
    }),
  );
  const beside = joined(base, ...parts);
  const names = (await reader.list(beside)).filter((each) => /\.mdx?$/i.test(each) && !each.startsWith('_'));
  const siblings =
    names.length > MOST_SIBLINGS
      ? undefined
      : await Promise.all(
          names.map(async (each) => ({ name: each, text: (await reader.read(joined(beside, each))) ?? '' })),
        );
  const file = (await reader.list(site.root)).find((each) => /^sidebars\.[cm]?[jt]s$/.test(each));
  const program = file && (await reader.read(joined(site.root, file)));
  const sidebars = file !== undefined && program !== undefined ? { name: file, text: program } : undefined;
  return { name, text, folders, siblings, sidebars };
}

function nameOf(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/\.\w+$/, '');
}
