/** The programs that make a site of pages, as far as they are known here. */
export type SiteKind = 'mintlify' | 'mkdocs' | 'docusaurus' | 'sphinx' | 'antora';

export const SITE_NAMES: Record<SiteKind, string> = {
  mintlify: 'Mintlify',
  mkdocs: 'MkDocs',
  docusaurus: 'Docusaurus',
  sphinx: 'Sphinx',
  antora: 'Antora',
};

/** The files that make a folder a site's root, the surest first. */
const SITE_FILES: readonly (readonly [SiteKind, RegExp, RegExp])[] = [
  ['mintlify', /^(docs|mint)\.json$/, /\.mdx?$/i],
  ['mkdocs', /^mkdocs\.ya?ml$/, /\.(md|markdown)$/i],
  ['docusaurus', /^docusaurus\.config\.[cm]?[jt]s$/, /\.mdx?$/i],
  ['sphinx', /^conf\.py$/, /\.(rst|md)$/i],
  ['antora', /^antora\.yml$/, /\.adoc$/i],
];

const PAGE = /\.(mdx?|markdown|rst|adoc)$/i;

/** Whether a file can be a page of a site at all, by its name. */
export function isPageName(path: string): boolean {
  return PAGE.test(path);
}

/** The configuration among a folder's files that makes it the root of a site with pages like this one. */
export function siteFileIn(names: readonly string[], page: string): { kind: SiteKind; name: string } | undefined {
  for (const [kind, file, pages] of SITE_FILES) {
    const name = pages.test(page) ? names.toSorted().find((each) => file.test(each)) : undefined;
    if (name !== undefined) {
      return { kind, name };
    }
  }
  return undefined;
}

/**
 * The folder that holds the pages and this one, relative to the site's root and empty for the root itself; undefined
 * when the file is not among the site's pages. Looks at the configuration as text, so that it costs next to nothing.
 *
 * @param page the file's path, relative to the site's root
 */
export function pagesFolderOf(kind: SiteKind, config: string, page: string): string | undefined {
  return foldersOf(kind, config).find((folder) => folder === '' || page.startsWith(`${folder}/`));
}

function foldersOf(kind: SiteKind, config: string): string[] {
  switch (kind) {
    case 'mkdocs': {
      const [, value = ''] = /^docs_dir:([^\n\r]*)/m.exec(config) ?? [];
      return [plainFolder(yamlText(value) || 'docs')];
    }
    case 'docusaurus': {
      const named = [...config.matchAll(/\bpath:\s*["'`]([^"'`\n]+)["'`]/g)].map(([, path = '']) => plainFolder(path));
      return ['docs', ...named.filter((folder) => folder !== ''), 'versioned_docs', 'i18n', 'blog'];
    }
    case 'mintlify':
      // Other programs have a `docs.json` too.
      return config.includes('"navigation"') ? [''] : [];
    default:
      return [''];
  }
}

/** A value of one line, without its quotes or the comment behind it. Configuration can be made to take long: no search in it may go back. */
function yamlText(value: string): string {
  const text = value.trim();
  const quote = text.slice(0, 1);
  const [inside = ''] = quote === '"' || quote === "'" ? text.slice(1).split(quote, 1) : text.split('#', 1);
  return inside.trim();
}

/** `./docs/` is `docs`, and `.` the root. */
function plainFolder(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
