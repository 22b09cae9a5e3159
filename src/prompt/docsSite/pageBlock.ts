import type { ContextBlock } from '../contextBlock';
import { codeSpan } from '../fence';
import { type DocsSite, type SiteReader, findSite, joined } from './findSite';
import { type Heading, headingsAt, headingsOf } from './headings';
import type { PagePlace } from './navigation';
import { type Page, placeOfPage, titleOf } from './placeOfPage';
import { SITE_NAMES } from './siteFiles';

export interface PageAtHand extends Page {
  languageId: string;
  /** Where the cursor is, from 0; undefined when the page is not open. */
  line?: number | undefined;
}

/** A page as context of a prompt. */
export interface PageContext {
  block: ContextBlock;
  title: string;
  /** The headings that the cursor stands under, the widest first, without the page's own title. */
  section: readonly Heading[];
  /** Why its place could not be told, in the words of what read the site's configuration. */
  problem?: { file: string; reason: string };
}

/** A page with its place in the docs tree; a site that can't be read takes nothing from the page itself. */
export async function pageContext(page: PageAtHand, reader: SiteReader): Promise<PageContext> {
  const site = await findSite(page.path, reader);
  const { place, reason } = site === undefined ? {} : await placed(site, page, reader);
  const title = titleOf(page, place ?? {});
  const above = page.line === undefined ? [] : headingsAt(headingsOf(page.text, page.path), page.line);
  const section = above.filter(({ level }) => level > 1);
  const block: ContextBlock = {
    heading: `The documentation page ${codeSpan(page.path)}`,
    notes: [`Title: ${codeSpan(title)}`, ...siteNotes(site, place, title), ...sectionNote(section)],
    languageId: page.languageId,
    text: page.text,
  };
  const file = site && joined(site.root, site.configName);
  const problem = file === undefined || reason === undefined ? {} : { problem: { file, reason } };
  return { block, title, section, ...problem };
}

async function placed(site: DocsSite, page: Page, reader: SiteReader): Promise<{ place?: PagePlace; reason?: string }> {
  try {
    return { place: await placeOfPage(site, page, reader) };
  } catch (error) {
    return { reason: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}

/** How many places of one page are named; the others are counted. */
const MOST_PLACES = 3;

function siteNotes(site: DocsSite | undefined, place: PagePlace | undefined, title: string): string[] {
  if (site === undefined) {
    return ['In no documentation site whose configuration is known here'];
  }
  const config = codeSpan(joined(site.root, site.configName));
  const kind = `${SITE_NAMES[site.kind]} site, configured in ${config}`;
  if (place === undefined) {
    return [kind, `Its place in the navigation is not known: ${config} can’t be read`];
  }
  const { trails, before, after, remarks } = place;
  const places = trails
    .slice(0, MOST_PLACES)
    .map((trail) => `Place in the navigation: ${codeSpan([...trail, title].join(' › '))}`);
  const more =
    trails.length > MOST_PLACES ? [`… and ${trails.length - MOST_PLACES} more places in the navigation`] : [];
  const near = [before && `before it ${codeSpan(before)}`, after && `after it ${codeSpan(after)}`].filter(
    (part) => part !== undefined && part !== '',
  );
  const neighbours = near.length === 0 ? [] : [`Neighbours: ${near.join(', ')}`];
  return [kind, ...places, ...more, ...neighbours, ...remarks];
}

function sectionNote(section: readonly Heading[]): string[] {
  const path = section.map(({ text }) => text).join(' › ');
  return path === '' ? [] : [`The cursor stands under the heading ${codeSpan(path)}`];
}
