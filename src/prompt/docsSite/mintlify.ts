import { MOST_ENTRIES, type Navigation, type NavigationEntry, asRecord, asText } from './navigation';

/** What names a part of the navigation, from the widest to the narrowest. */
const LABELS = ['language', 'version', 'product', 'dropdown', 'anchor', 'tab', 'item', 'group'];

/** Parts that a reader does not leave by going on to the next page. */
const SCOPES = new Set(['language', 'version', 'product']);

const LISTS = new Set(['languages', 'versions', 'products', 'dropdowns', 'anchors', 'tabs', 'menu', 'groups', 'pages']);

/**
 * The navigation of a Mintlify site: `docs.json`, or `mint.json` as it was before 2025
 * (https://mintlify.com/docs/organize/navigation).
 *
 * @throws an Error when it is no JSON
 */
export function readMintlify(text: string): Navigation {
  const config = asRecord(JSON.parse(text.replace(/^\uFEFF/, '')));
  const walk: Walk = { entries: [], elsewhere: [] };
  visit(walk, config?.['navigation'], [], '');
  return { ...walk, above: tabsOf(config) };
}

/** A page as the navigation names it: from the root, without its extension. */
export function mintlifyKey(page: string): string {
  return page.replace(/^\/+/, '').replace(/\.mdx?$/i, '');
}

/** A longer label is none: all below it would carry it along. */
const MOST_LABEL = 200;

function cutLabel(label: string): string {
  return label.length > MOST_LABEL ? `${label.slice(0, MOST_LABEL)}…` : label;
}

interface Walk {
  entries: NavigationEntry[];
  elsewhere: string[];
}

function visit(walk: Walk, node: unknown, trail: readonly string[], scope: string): void {
  if (walk.entries.length >= MOST_ENTRIES || trail.length > 30) {
    return;
  }
  if (typeof node === 'string') {
    walk.entries.push({ page: mintlifyKey(node), trail, scope });
  } else if (Array.isArray(node)) {
    node.forEach((each) => visit(walk, each, trail, scope));
  } else {
    visitPart(walk, asRecord(node) ?? {}, trail, scope);
  }
}

function visitPart(walk: Walk, part: Record<string, unknown>, trail: readonly string[], scope: string): void {
  const named = LABELS.flatMap((name) => {
    const label = asText(part[name]);
    return label === undefined ? [] : [{ name, label: cutLabel(label) }];
  });
  const below = [...trail, ...named.map(({ label }) => label)];
  const scopes = named.filter(({ name }) => SCOPES.has(name)).map(({ label }) => label);
  const within = [scope, ...scopes].join('\n');
  const reference = asText(part['$ref']);
  if (reference !== undefined) {
    walk.elsewhere.push(reference);
  }
  const root = asText(part['root']);
  if (root !== undefined) {
    visit(walk, root, below, within);
  }
  for (const [name, value] of Object.entries(part)) {
    if (LISTS.has(name)) {
      visit(walk, value, below, within);
    }
  }
}

/** In `mint.json` tabs and anchors stand apart, and a page belongs to the one that its path begins with. */
function tabsOf(config: Record<string, unknown> | undefined): (page: string) => string[] {
  const lists = [config?.['tabs'], config?.['anchors']].filter((list) => Array.isArray(list));
  const tabs = lists.flat().flatMap((each: unknown) => {
    const { name, url } = asRecord(each) ?? {};
    const [label, path] = [asText(name), asText(url)];
    return label === undefined || path === undefined || path.includes('://')
      ? []
      : [{ label, path: mintlifyKey(path) }];
  });
  const primary = asText(asRecord(config?.['primaryTab'])?.['name']);
  return (page) => {
    const tab = tabs.find(({ path }) => path !== '' && (page === path || page.startsWith(`${path}/`)));
    return [tab?.label ?? primary].filter((label) => label !== undefined);
  };
}
