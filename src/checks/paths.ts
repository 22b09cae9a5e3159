import { type ChecksConfiguration, globMatcher } from './configuration';

export type PageFormat = 'markdown' | 'mdx' | 'asciidoc' | 'restructuredText';

const FORMATS: Readonly<Record<string, PageFormat>> = {
  ...{ md: 'markdown', markdown: 'markdown', mdoc: 'markdown', qmd: 'markdown', mdx: 'mdx' },
  ...{ adoc: 'asciidoc', asciidoc: 'asciidoc', asc: 'asciidoc', ad: 'asciidoc', rst: 'restructuredText' },
};

/** The endings of documentation pages, without the dot. */
export const PAGE_ENDINGS: readonly string[] = Object.keys(FORMATS);

/** The format of a documentation page; undefined for any other file. */
export function pageFormat(path: string): PageFormat | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
}

/** Pages about the past, where old names are correct: recognized by the name of the file or of a folder above it. */
const ABOUT_THE_PAST =
  /^(?:change-?logs?|changes|(?:change-?|version-?|release-?|revision-?)?history|news|releases?|release-?notes|whats-?new|upgrad(?:e|es|ing)|deprecat(?:ed|ions?)|breaking(?:-?changes)?|archived|legacy|blog|adrs?|rfcs?|[kpst]eps?|enhancement-proposals?|decisions|proposals?(?:-\w+)?|-?posts|design-?docs|versioned-?docs|roadmap|todo|old|credits|acknowledge?ments|contributors|contributions)$/;

/** The same words at the start of a longer name, as in `migrating-from-2-to-3.md`, and numbered proposals (`pep-8.rst`). */
const BEGINS_ABOUT_THE_PAST =
  /^(?:change-?log|release-?notes|whats-?new|upgrad(?:e|ing)|deprecat(?:ed|ion)|breaking-?changes|archived|legacy|proposals?)-|^(?:adr|rfc|[kpst]ep)-?\d|-(?:upgrade|changelog|release-?notes|contributions)$/;

/** Guides to another version. Pages about migrations of data have no such words in their names. */
const MIGRATION = /(?:^|-)migrat(?:e|es|ing|ions?)(?:-|$)/;
const TO_A_VERSION = /(?:^|-)(?:from|to|guides?|v?\d+(?:\.(?:\d+|x))*)(?:-|$)/;

/** Folders whose pages are about the past. Elsewhere, such a word names a feature. */
const FOLDER_OF_THE_PAST = /^(?:archives?|migration|migrating|designs?|proposals?|design-?proposals?)$/;
const DOCUMENTATION_FOLDER = /^(?:docs?|documentation|website|site-docs|wiki|\.docs-agent|\.changeset)$/i;
/** Pages in such folders describe settings for a changelog, or a command about releases. */
const OF_A_REFERENCE = /^(?:config(?:uration)?|settings|options|commands|cli|reference)$/;

/** Copies of other software, files that tests use as input, and what programs write. */
const NOT_WRITTEN_HERE =
  /^(?:node-modules|vendor|third-?party|external|bower-components|fixtures?|--fixtures--|testdata|test-data|--tests--|tests?|specs?|--snapshots--|\.git|-?generated|autogen|api-?generated|typedoc)$/;

/** A folder of an old version, such as `v1.2` or `2.x`; its name doesn't tell whether it is the newest one. */
const VERSION = /^v?\d+(?:\.(?:\d+|x))*$/;

/**
 * Whether the names on a page aren't checked: it is about the past or about one version, where old names are expected,
 * or it isn't written here.
 */
export function isLeftOutPage(path: string): boolean {
  const folders = path.toLowerCase().replaceAll(/[ _]/g, '-').split('/');
  const file = (folders.pop() ?? '').replace(/\.\w+$/, '');
  const isPast = (name: string): boolean =>
    ABOUT_THE_PAST.test(name) || BEGINS_ABOUT_THE_PAST.test(name) || isGuideToVersion(name);
  const documentation = folders.findIndex((name) => DOCUMENTATION_FOLDER.test(name));
  const isFolderOfPages = (at: number): boolean => at === 0 || (documentation !== -1 && documentation < at);
  return (
    VERSION.test(file) ||
    (!folders.some((name) => OF_A_REFERENCE.test(name)) && (isPast(file) || /^migrat(?:e|ing|ion)$/.test(file))) ||
    folders.some(
      (name, at) =>
        NOT_WRITTEN_HERE.test(name) ||
        VERSION.test(name) ||
        isPast(name) ||
        (FOLDER_OF_THE_PAST.test(name) && isFolderOfPages(at)),
    )
  );
}

function isGuideToVersion(name: string): boolean {
  const unnumbered = name.replace(/^\d+-/, '');
  return MIGRATION.test(unnumbered) && TO_A_VERSION.test(unnumbered);
}

/** Files that describe an interface, and therefore count as code wherever they are. */
const INTERFACE = /(?:openapi|swagger|asyncapi|schema)[^/]*\.(?:json|ya?ml)$|\.(?:proto|graphql|gql)$/i;
const NO_TEXT =
  /\.(?:png|jpe?g|gif|webp|ico|svg|pdf|woff2?|ttf|eot|otf|mp[34]|mov|webm|zip|gz|tgz|bz2|xz|jar|class|exe|dll|so|dylib|a|o|wasm|bin|dat|db|sqlite|pyc|map|snap|ipynb|po|pot|mo)$/i;

/** Folders of packages, which may be called `docs` as well. */
const SOURCES = /(?:^|\/)src\/(?:\w+\/)?(?:java|kotlin|groovy|scala)\//;
/** Files that list what has changed, or who wrote it. */
const ABOUT_THE_PROJECT =
  /(?:^|\/)(?:changes|changelog|history|news|authors|contributors|licen[cs]e|copying|todo)(?:\.txt)?$/i;

/** Whether names in this file count as names of the code. */
function isCodeByDefault(path: string): boolean {
  const isOutside = !path
    .split('/')
    .slice(0, -1)
    .some((name) => DOCUMENTATION_FOLDER.test(name));
  return (
    (isOutside || INTERFACE.test(path) || SOURCES.test(path)) &&
    !NO_TEXT.test(path) &&
    !ABOUT_THE_PROJECT.test(path) &&
    pageFormat(path) === undefined
  );
}

/** Long files that programs change, whose history isn't worth reading. Their current content may still count as code. */
export const NOT_IN_HISTORY =
  /\.(?:svg|map|snap|lock|po|ipynb|min\.js|csv|tsv|html?|css|s[ac]ss|less|txt)$|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/;

export interface PathRules {
  /** Whether links and code blocks are checked: any page of the documentation. */
  isDocument(path: string): boolean;
  /** Whether names are checked as well. */
  isPage(path: string): boolean;
  isCode(path: string): boolean;
}

/** The rules of a repository: its own globs replace ours. */
export function pathRules({ documentation, code }: Pick<ChecksConfiguration, 'documentation' | 'code'>): PathRules {
  const isChosenPage = documentation.length === 0 ? undefined : globMatcher(documentation);
  const isChosenCode = code.length === 0 ? undefined : globMatcher(code);
  const isDocument = (path: string): boolean => pageFormat(path) !== undefined && (isChosenPage?.(path) ?? true);
  return {
    isDocument,
    isPage: (path) => isDocument(path) && !isLeftOutPage(path),
    isCode: (path) => (isChosenCode === undefined ? isCodeByDefault(path) : isChosenCode(path) && !NO_TEXT.test(path)),
  };
}
