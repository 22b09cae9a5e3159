/** A page as a navigation names it. */
export interface NavigationEntry {
  /** The page in the site's own words, as `pageKey` makes them. */
  page: string;
  /** The labels above it, the outermost first. */
  trail: readonly string[];
  title?: string;
  /** Readers go from page to page within it: a language, a version. */
  scope: string;
}

export interface Navigation {
  entries: readonly NavigationEntry[];
  /** What else makes up the navigation and was not read, in the configuration's own words. */
  elsewhere: readonly string[];
  /** The labels above all that is said of a page in `entries`. */
  above?: (page: string) => readonly string[];
}

/** Where a page stands in its site. */
export interface PagePlace {
  /** The labels above each of its places; empty when the navigation does not name it. */
  trails: readonly (readonly string[])[];
  /** What the navigation calls it. */
  title?: string | undefined;
  before?: string | undefined;
  after?: string | undefined;
  /** What else is to be known of it, a sentence each in Markdown. */
  remarks: readonly string[];
}

/** More pages than a site has; a configuration that is made to grow ends here. */
export const MOST_ENTRIES = 20_000;

/** The places of a page, and its neighbours at the first of them. */
export function placeIn({ entries, above }: Navigation, page: string): Omit<PagePlace, 'remarks'> {
  const found = entries.filter((entry) => entry.page === page);
  const [first] = found;
  if (first === undefined) {
    return { trails: [] };
  }
  const near = entries.filter(({ scope }) => scope === first.scope);
  const at = near.indexOf(first);
  const outer = above?.(page) ?? [];
  return {
    trails: found.map(({ trail }) => [...outer, ...trail]),
    title: found.find(({ title }) => title !== undefined)?.title,
    before: near[at - 1]?.page,
    after: near[at + 1]?.page,
  };
}

/** An object of unknown shape, as the configuration gives it. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
