import { codeSpan, type ContextBlock } from './contextBlock';
import { frontMatterRange, readFrontMatter } from './frontMatter';

/** The files of a project. Paths are relative to it, with `/`; the empty path is the project folder itself. */
export interface ProjectFiles {
  /** The names of the files and folders in a folder; empty when the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no text file at this path. */
  read(path: string): Promise<string | undefined>;
}

/** The documentation folder that a page belongs to. */
export interface DocsFolder {
  generator: string;
  /** The generator's configuration file. */
  config: string;
  folder: string;
}

interface Generator {
  name: string;
  config: RegExp;
  /** The folders of its pages, relative to the configuration file, which is searched as text and never executed. */
  folders: (config: string) => readonly string[];
}

const everywhere = (): string[] => [''];

const GENERATORS: readonly Generator[] = [
  // Other tools use the name `docs.json` too.
  { name: 'Mintlify', config: /^(docs|mint)\.json$/, folders: (text) => (text.includes('"navigation"') ? [''] : []) },
  {
    name: 'MkDocs',
    config: /^mkdocs\.ya?ml$/,
    folders: (text) => [/^docs_dir:[ \t]*["']?([^"'#\r\n]{1,1000})/m.exec(text)?.[1] ?? 'docs'],
  },
  {
    name: 'Docusaurus',
    config: /^docusaurus\.config\.[cm]?[jt]s$/,
    folders: (text) => ['docs', 'versioned_docs', 'i18n', 'blog', ...pathsIn(text)],
  },
  { name: 'Sphinx', config: /^conf\.py$/, folders: everywhere },
  { name: 'Antora', config: /^antora\.yml$/, folders: everywhere },
  { name: 'Jekyll', config: /^_config\.ya?ml$/, folders: everywhere },
];

/**
 * How much of the file is searched for paths, in characters, and how many are used: the repository controls the file.
 */
const MAX_SEARCHED = 100_000;
const MAX_PATHS = 100;

function pathsIn(config: string): string[] {
  const found = config.slice(0, MAX_SEARCHED).matchAll(/\bpath:\s{0,99}["'`]([^"'`\n]{1,1000})["'`]/g);
  return Array.from(found, ([, path = '']) => path)
    .slice(0, MAX_PATHS)
    .flatMap((path) => plainPath(path) || []);
}

/**
 * Finds the documentation folder of a page: the nearest parent folder that contains a generator's configuration file.
 */
export async function findDocsFolder(page: string, files: ProjectFiles): Promise<DocsFolder | undefined> {
  for (const root of foldersAbove(page)) {
    const names = await files.list(root);
    for (const generator of GENERATORS) {
      const name = names.find((each) => generator.config.test(each));
      const text = name === undefined ? undefined : await files.read(joinPath(root, name));
      if (name !== undefined && text !== undefined) {
        const folders = pagesFolders(generator.name, text).map((folder) => joinPath(root, folder));
        const folder = folders.find((each) => each === '' || page.startsWith(`${each}/`));
        if (folder !== undefined) {
          return { generator: generator.name, config: joinPath(root, name), folder };
        }
      }
    }
  }
  return undefined;
}

/** The folders that contain a generator's pages, relative to its configuration file. */
export function pagesFolders(generator: string, config: string): string[] {
  const { folders = everywhere } = GENERATORS.find(({ name }) => name === generator) ?? {};
  return folders(config).map(plainPath);
}

/** `./docs/` becomes `docs`, and `.` the empty path. */
function plainPath(path: string): string {
  return path
    .trim()
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function joinPath(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}

/** The parent folders, nearest first; the project folder is last. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return [...parts.map((_, at) => parts.slice(0, parts.length - at).join('/')), ''];
}

export interface Heading {
  /** Counts from 0. */
  line: number;
  text: string;
}

/** How much of a page is searched for headings, in characters. */
const MAX_PAGE = 250_000;

/** The headings of a page in Markdown, AsciiDoc (`.adoc`) or reStructuredText (`.rst`), except those in code blocks. */
export function headingsOf(page: string, path: string): Heading[] {
  const text = page.slice(0, MAX_PAGE);
  const isAsciiDoc = /\.adoc$/i.test(path);
  const mark = isAsciiDoc ? /^={1,6}(?=[ \t])/ : /^ {0,3}#{1,6}(?=[ \t])/;
  const fenceMark = isAsciiDoc ? /^(-{4,}|\.{4,})/ : /^ {0,3}(`{3,}|~{3,})/;
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const firstLine = text.slice(0, frontMatterRange(text)?.bodyStart ?? 0).split('\n').length - 1;
  const found: Heading[] = [];
  let fence: string | undefined;
  for (let line = firstLine; line < lines.length; line++) {
    const here = lines[line] ?? '';
    if (here === '') {
      continue;
    }
    const delimiter = fenceMark.exec(here)?.[1];
    const isUnderlined = !isAsciiDoc && /^[^\s>|#`~*+-]/.test(here) && /^(={2,}|-{2,})\s*$/.test(lines[line + 1] ?? '');
    const start = mark.exec(here)?.[0].length ?? (isUnderlined ? 0 : undefined);
    if (fence !== undefined) {
      fence = delimiter?.startsWith(fence) === true ? undefined : fence;
    } else if (start !== undefined) {
      found.push({ line, text: here.slice(start).trim() });
    } else {
      fence = delimiter;
    }
  }
  return found.filter((heading) => heading.text !== '' && !/^(={2,}|-{2,})$/.test(heading.text));
}

export interface Page {
  /** Relative to the project. */
  path: string;
  /** The current content of the editor. */
  text: string;
  languageId: string;
  /** The cursor's line, counting from 0; undefined when the page is not open. */
  line?: number | undefined;
}

/** A page as context for a prompt: its title, its documentation folder and the heading above the cursor. */
export async function pageContext(page: Page, files: ProjectFiles): Promise<{ block: ContextBlock; section: string }> {
  const docs = await findDocsFolder(page.path, files);
  const headings = headingsOf(page.text, page.path);
  const title = pageTitle(page, headings);
  const { line = -1 } = page;
  // The first heading is the page's title, not a section.
  const section = headings.slice(1).findLast((heading) => heading.line <= line)?.text ?? '';
  const notes = [
    `Title: ${codeSpan(title)}`,
    ...(docs === undefined
      ? []
      : [`Documentation folder: ${codeSpan(docs.folder || '.')} (${docs.generator}, ${codeSpan(docs.config)})`]),
    ...(section === '' ? [] : [`The cursor is under the heading ${codeSpan(section)}`]),
  ];
  const heading = `The documentation page ${codeSpan(page.path)}`;
  return { block: { heading, notes, languageId: page.languageId, text: page.text }, section };
}

/** Longer front matter is not searched for the title. In characters. */
const MAX_FRONT_MATTER = 50_000;

function pageTitle({ path, text }: Page, [first]: readonly Heading[]): string {
  const { title } = readFrontMatter(text.slice(0, MAX_FRONT_MATTER)).fields;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : (first?.text ?? name);
}
