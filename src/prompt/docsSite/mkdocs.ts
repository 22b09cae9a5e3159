import { readYaml } from '../readYaml';
import { MOST_ENTRIES, type Navigation, type NavigationEntry, asRecord, asText } from './navigation';

export interface MkDocs {
  /** Undefined where the site's navigation is made of its folders. */
  navigation: Navigation | undefined;
  /** The configuration that this one goes on from; not read. */
  inherits: string | undefined;
}

/**
 * The navigation of a MkDocs site (https://www.mkdocs.org/user-guide/configuration/#nav); pages are named from `docs_dir`.
 *
 * @throws an Error that says where it is no YAML
 */
export function readMkDocs(text: string): MkDocs {
  const config = asRecord(readYaml(text));
  const nav = config?.['nav'];
  const inherits = asText(config?.['INHERIT']);
  if (!Array.isArray(nav)) {
    return { navigation: undefined, inherits };
  }
  const walk: Walk = { entries: [], elsewhere: [], steps: 0 };
  visit(walk, nav, []);
  return { navigation: walk, inherits };
}

/** “Getting started” for `getting-started`, as MkDocs names a folder. */
export function folderTitle(name: string): string {
  const words = name.replace(/[-_]/g, ' ');
  return words === words.toLowerCase() ? words.slice(0, 1).toUpperCase() + words.slice(1) : words;
}

interface Walk extends Navigation {
  entries: NavigationEntry[];
  elsewhere: string[];
  /** Aliases can make a small file an endless tree. */
  steps: number;
}

function visit(walk: Walk, items: readonly unknown[], trail: readonly string[]): void {
  for (const item of items) {
    const titled = asRecord(item);
    for (const [title, value] of titled === undefined ? [[undefined, item] as const] : Object.entries(titled)) {
      if (walk.steps++ > MOST_ENTRIES || trail.length > 30) {
        return;
      }
      if (Array.isArray(value)) {
        visit(walk, value, title === undefined ? trail : [...trail, title]);
      } else if (typeof value === 'string') {
        visitPage(walk, value, title, trail);
      }
    }
  }
}

function visitPage(walk: Walk, path: string, title: string | undefined, trail: readonly string[]): void {
  if (/^(?:[a-z][\w+.-]*:)?\/\//i.test(path)) {
    return;
  }
  // Plugins fill in what these stand for.
  if (path.startsWith('!include') || path.includes('*') || path === '...') {
    walk.elsewhere.push(path);
    return;
  }
  const page = path.replace(/^(?:\.?\/)+/, '');
  walk.entries.push({ page, trail, scope: '', ...(title === undefined ? {} : { title }) });
}
