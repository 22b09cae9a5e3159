import { load } from 'js-yaml';
import { globMatcher } from './configuration';
import type { Certainty } from './finding';
import { type AnchorTest, decoded, LinkIndex, type LinkFinding, linkFinding, looseAnchor, resolvePath } from './links';
import { frontMatterOf, type Page, type PageLink } from './pages/page';
import { readPage } from './pages/readPage';
import { isLeftOutPage } from './paths';
import type { TreeFile } from './ports';

export interface MintlifyResult {
  findings: LinkFinding[];
  /** The pages of Mintlify sites, whose links need no other check. */
  pages: ReadonlySet<string>;
}

type JsonObject = Record<string, unknown>;

/** A text in a manifest: its key, and the key of the object that it is in. */
interface Entry {
  value: string;
  key: string;
  within: string;
  /** This object. */
  beside: JsonObject;
  file: string;
}

const MANIFEST = /(?:^|\/)(?:docs|mint)\.json$/;
const READ = /\.(?:mdx?|json|ya?ml)$|(?:^|\/)\.mintignore$/;
const IS_PAGE = /\.mdx?$/;
/** Files that are no pages of a site, wherever they are. */
const NO_PAGE = /(?:^|\/)(?:\.\w[^/]*|node_modules)\/|(?:^|\/)(?:README|LICENSE|CHANGELOG|CONTRIBUTING)\.md$/;
const ENDPOINT = /^(?:(\S+)[ \t]+)?(get|post|put|patch|delete|options|head|trace|webhook)[ \t]+(\S+)$/i;
/** Where pages that are made from an API description are, unless the manifest names another folder. */
const IS_API = /^(?:open|async)api$/;
const API_FOLDER = 'api-reference';
/** What is served without being in the repository. */
const SERVED = /^(?:llms(?:-full)?\.txt|robots\.txt|sitemap\.xml|mcp|skill\.md|\.well-known\/.*|(?:.*\/)?rss\.xml)$/;
/** URLs with a scheme, and placeholders that something fills in. */
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:|^\/\/|[{}<>$]/i;
const IMPORT = /^import\s[^'"]{0,500}['"]([./][^'"]{0,500})['"]|<Snippet\s[^>]{0,200}?file=["']([^"']{1,500})["']/;
const MAX_FILE = 10_000_000;

/**
 * Checks the sites of Mintlify in a tree. Their manifests say what is a page and what is redirected, so that links from
 * the root of a site can be checked, too.
 *
 * @param contents reads objects by their ids
 */
export async function checkMintlify(
  files: readonly TreeFile[],
  contents: (ids: readonly string[]) => AsyncIterable<Uint8Array | undefined>,
): Promise<MintlifyResult> {
  const read = async (wanted: readonly TreeFile[]): Promise<Map<string, string>> => {
    const texts = new Map<string, string>();
    let at = 0;
    for await (const content of wanted.length === 0 ? [] : contents(wanted.map(({ id }) => id))) {
      texts.set(wanted[at++]?.path ?? '', new TextDecoder().decode(content));
    }
    return texts;
  };
  const sites = new Map<string, string>();
  for (const [path, text] of await read(files.filter((file) => MANIFEST.test(file.path) && !NO_PAGE.test(file.path)))) {
    const root = path.slice(0, path.lastIndexOf('/') + 1);
    if (!sites.has(root) && 'navigation' in asObject(parsed(text, true))) {
      sites.set(root, path);
    }
  }
  const roots = [...sites.keys()].toSorted((one, other) => other.length - one.length);
  const result = { findings: new Array<LinkFinding>(), pages: new Set<string>() };
  for (const [root, manifest] of sites) {
    const own = files.filter(({ path }) => roots.find((each) => path.startsWith(each)) === root);
    const texts = await read(own.filter(({ path, size }) => READ.test(path) && size < MAX_FILE));
    new Site(root, own, texts, result).check(manifest);
  }
  return result;
}

class Site {
  private readonly index: LinkIndex;
  private redirects = /^$/;
  private readonly specs: string[] = [];
  private readonly endpoints = new Set<string>();
  /** The last parts of pages that are made from API descriptions, and folders of such pages. */
  private readonly generated = new Set<string>();
  private readonly folders = new Set([API_FOLDER]);
  /** Those whose API description isn't here. */
  private readonly unknown = new Set<string>();
  private readonly pages = new Map<string, { page: Page; imports: string[] }>();
  private readonly importers = new Map<string, string[]>();
  private readonly included = new Set<string>();
  private readonly anchors = new Map<string, AnchorTest>();

  constructor(
    private readonly root: string,
    files: readonly TreeFile[],
    private readonly texts: ReadonlyMap<string, string>,
    private readonly result: { findings: LinkFinding[]; pages: Set<string> },
  ) {
    this.index = new LinkIndex(files.map(({ path }) => path.slice(root.length)));
  }

  check(manifest: string): void {
    const ignored = this.texts.get(`${this.root}.mintignore`)?.match(/^[^#!\s].*(?=\S)/gm) ?? [];
    const isIgnored = globMatcher(
      ignored.flatMap((line) => (/\/./.test(line) ? [line, `${line}/**`] : [`**/${line}`, `**/${line}/**`])),
    );
    for (const [full, text] of this.texts) {
      const path = full.slice(this.root.length);
      if (IS_PAGE.test(path) && !NO_PAGE.test(path) && !isIgnored(path)) {
        this.result.pages.add(full);
        this.addPage(path, readPage(text, 'mdx'));
      } else if (!NO_PAGE.test(path) && /\b(?:openapi|swagger)["']?:\s*["']?\d/.test(text)) {
        this.addSpec(path, asObject(parsed(text)));
      }
    }
    const entries: Entry[] = [];
    this.include(manifest, { key: '', within: '', file: '', beside: {} }, entries);
    for (const { key, within, value, beside } of entries) {
      if (isSpec(key, within)) {
        const { directory } = IS_API.test(within) ? beside : {};
        const folder = plainPath(typeof directory === 'string' ? directory : API_FOLDER);
        (this.specs.includes(plainPath(value)) ? this.folders : this.unknown).add(folder);
      }
    }
    const sources = entries.filter(({ key, within }) => key === 'source' && within === 'redirects');
    const escaped = sources.map(({ value }) => plainPath(value).replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const patterns = escaped.map((each) => each.replace(/\/:\w+\*|\*/g, '(?:/?.*)').replace(/:\w+/g, '[^/]+'));
    this.redirects = new RegExp(`^(?:${patterns.join('|')})$`);
    for (const entry of entries.filter((each) => !this.isRight(each))) {
      this.reportEntry(entry);
    }
    for (const [path, { page, imports }] of this.pages) {
      this.checkEndpoint(path, page);
      for (const link of page.links) {
        this.checkLink(link, path, imports);
      }
    }
  }

  /** Collects the texts of a manifest, or of a file that it includes. */
  private include(file: string, about: Omit<Entry, 'value'>, into: Entry[]): void {
    if (!this.included.has(file)) {
      this.included.add(file);
      this.collect(parsed(this.texts.get(file) ?? '', true), { ...about, file }, into);
    }
  }

  private collect(value: unknown, about: Omit<Entry, 'value'>, into: Entry[]): void {
    if (typeof value === 'string') {
      into.push({ ...about, value });
    } else {
      for (const [key, each] of Object.entries(value ?? {})) {
        if (key === '$ref' && typeof each === 'string') {
          this.include(resolvePath(folderOf(about.file), each) ?? '', about, into);
        } else {
          const inner = Array.isArray(value) ? about : { ...about, key, within: about.key, beside: asObject(value) };
          this.collect(each, inner, into);
        }
      }
    }
  }

  /** Adds what an API description has, and the names of the pages that are made from it. */
  private addSpec(path: string, spec: JsonObject): void {
    this.specs.push(path);
    const webhooks = Object.entries(asObject(spec['webhooks'])).map(([name, webhook]) => [name, { webhook }] as const);
    for (const [name, item] of [...Object.entries(asObject(spec['paths'])), ...webhooks]) {
      for (const [method, operation] of Object.entries(asObject(item))) {
        const { summary, 'x-mint': mint } = asObject(operation);
        const plain = name.replace(/\{[^{}]*\}/g, '');
        this.endpoints.add(endpointOf(method, name));
        for (const title of [summary, plain, method + plain, asObject(mint)['href']]) {
          this.generated.add(looseAnchor(String(title)));
        }
      }
    }
  }

  /** Adds a page, and reports the imported files that don't exist. */
  private addPage(path: string, page: Page): void {
    const code = new Set(page.blocks.flatMap(({ text, line }) => text.split('\n').map((_, at) => line + at)));
    const imports: string[] = [];
    for (const [at, line] of page.lines.entries()) {
      const [whole = '', file, snippet = ''] = (code.has(at + 1) ? null : IMPORT.exec(line)) ?? [];
      const target = file ?? snippet;
      const folders =
        file === undefined ? ['snippets', '_snippets', ''] : [file.startsWith('/') ? '' : folderOf(path).join('/')];
      const there = folders.flatMap((folder) => this.index.find(resolvePath([folder], target) ?? '') ?? []);
      if (there[0] !== undefined && target !== '') {
        imports.push(there[0]);
        this.importers.set(there[0], [...(this.importers.get(there[0]) ?? []), path]);
      } else if (target !== '') {
        this.report(pageLink(target, at + 1, line.indexOf(whole) + whole.lastIndexOf(target) + 1), path, 'file');
      }
    }
    this.pages.set(path, { page, imports });
  }

  /** Whether what a text of the manifest refers to exists, if it refers to something. */
  private isRight({ key, within, value }: Entry): boolean {
    const path = plainPath(value);
    if (key === 'pages' || key === 'root') {
      const isPage = IS_PAGE.test(this.index.find(path) ?? '') || ELSEWHERE.test(value) || this.isGenerated(path);
      return ENDPOINT.test(value) ? this.hasEndpoint(value) : isPage;
    }
    if (isSpec(key, within)) {
      return ELSEWHERE.test(value) || this.index.find(path) !== undefined;
    }
    const isFixed = key === 'href' ? value.startsWith('/') : key === 'destination' && !/[:*]/.test(path);
    return !isFixed || ELSEWHERE.test(value) || this.exists(path);
  }

  /** Whether an API description has an endpoint such as `openapi.json GET /users`; true if that can't be told. */
  private hasEndpoint(text: string): boolean {
    const [, file = '', method = '', path = ''] = ENDPOINT.exec(text) ?? [];
    const isNamed = file !== '' && this.specs.some((spec) => spec.includes(plainPath(file)));
    const isKnown =
      isNamed || (this.unknown.size === 0 && this.specs.length + file.length > 0 && !ELSEWHERE.test(file));
    return !isKnown || ['$ref', method].some((each) => this.endpoints.has(endpointOf(each, path)));
  }

  /** Checks the endpoint that a page is about. */
  private checkEndpoint(path: string, page: Page): void {
    const front = isLeftOutPage(path) ? '' : frontMatterOf(page.lines.slice(0, 200).join('\n'));
    for (const [at, line] of front.split('\n').entries()) {
      const [, start = '', value = ''] = /^(openapi: ?["']?)([^"'#]+)/.exec(line) ?? [];
      if (ENDPOINT.test(value.trim()) && !this.hasEndpoint(value.trim())) {
        this.report(pageLink(value.trim(), at + 1, start.length + 1), path, 'file');
      }
    }
  }

  private checkLink(link: PageLink, path: string, imports: readonly string[]): void {
    const target = link.target.trim();
    if (target === '' || link.kind === 'include' || ELSEWHERE.test(target) || imports.includes(target)) {
      return;
    }
    const [plain = ''] = target.split('#', 1);
    const anchor = target.slice(plain.length + 1);
    const file = decoded(plain.split('?', 1)[0] ?? '');
    // Links in a snippet are relative to the pages that show it.
    const isSnippet = this.importers.has(path) || /^_?snippets\//.test(path);
    const from = isSnippet && !file.startsWith('/') ? this.pagesWith(path) : [path];
    const there = from.flatMap((each) => this.find(file, each) ?? []);
    if (there.length < from.length) {
      this.report(link, path, 'file', there.length === 0 ? 'certain' : 'likely');
    } else if (there[0] !== undefined && anchor !== '' && link.kind === 'link' && !(isSnippet && file === '')) {
      if (this.anchorsOf(there[0])?.(decoded(anchor)) === false) {
        this.report(link, path, 'anchor');
      }
    }
  }

  /** The pages that show a snippet, also through other snippets. */
  private pagesWith(path: string, seen = new Set([path])): string[] {
    const direct = (this.importers.get(path) ?? []).filter((each) => !seen.has(each));
    direct.forEach((each) => seen.add(each));
    return direct.flatMap((each) => (this.importers.has(each) ? this.pagesWith(each, seen) : each));
  }

  /** What a link leads to: a path, possibly of what isn't in the repository. */
  private find(target: string, from: string): string | undefined {
    const own = folderOf(from);
    const bases = target.startsWith('/') ? [[]] : target.startsWith('.') ? [own] : [own, []];
    const path =
      target === '' ? from : bases.flatMap((base) => resolvePath(base, target) ?? []).find((each) => this.exists(each));
    return path === undefined ? undefined : (this.index.find(path) ?? path);
  }

  private exists(path: string): boolean {
    // A page is also served as Markdown, and a site may be served below a folder of this name.
    const names = [path, path.replace(IS_PAGE, ''), path.replace(/^docs\/?/, '')];
    return (
      names.some((name) => this.index.find(name) !== undefined) ||
      this.isGenerated(path) ||
      this.redirects.test(path) ||
      SERVED.test(path)
    );
  }

  private isGenerated(path: string): boolean {
    const isIn = (folder: string): boolean => folder === '' || path === folder || path.startsWith(`${folder}/`);
    const name = looseAnchor(path.slice(path.lastIndexOf('/') + 1).replace(/-\d+$/, ''));
    return (
      [...this.unknown].some(isIn) ||
      this.generated.has(looseAnchor(path)) ||
      ([...this.folders].some(isIn) && this.generated.has(name))
    );
  }

  /** The anchors of a page, with those of its snippets; undefined for one whose components can add any. */
  private anchorsOf(path: string, depth = 0): AnchorTest {
    const { page, imports = [] } = this.pages.get(path) ?? {};
    if (!this.anchors.has(path)) {
      // A page of an endpoint has anchors of its parameters.
      const isOpen =
        depth > 5 || page?.lines.slice(0, 50).some((line) => /^(?:openapi|asyncapi|api):/.test(line)) !== false;
      const tests = isOpen
        ? [undefined]
        : imports.map((each) => this.anchorsOf(each, depth + 1)).concat(anchorTest(page));
      this.anchors.set(path, tests.includes(undefined) ? undefined : (anchor) => tests.some((test) => test?.(anchor)));
    }
    return this.anchors.get(path);
  }

  private report(link: PageLink, path: string, problem: 'file' | 'anchor', certainty: Certainty = 'certain'): void {
    this.result.findings.push(linkFinding(link, this.root + path, problem, certainty));
  }

  private reportEntry({ value, file, beside: { source } }: Entry): void {
    const text = this.texts.get(file) ?? '';
    const near = typeof source === 'string' ? text.indexOf(JSON.stringify(source)) : 0;
    const at = text.indexOf(JSON.stringify(value), text.lastIndexOf('{', near));
    const lines = text.slice(0, Math.max(0, at)).split('\n');
    const link = pageLink(value, lines.length, (lines.at(-1)?.length ?? 0) + 2);
    this.result.findings.push(linkFinding(link, file, 'file', 'certain'));
  }
}

function endpointOf(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/\{[^{}]*\}|\/$/g, '')}`;
}

function pageLink(target: string, line: number, column: number): PageLink {
  return { target, kind: 'link', line, column, endColumn: column + target.length };
}

const EMOJI =
  /\p{Emoji_Modifier}|\p{Emoji_Modifier_Base}|\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u200D|\uFE0E|\uFE0F/gu;
const TAG = /<([A-Za-z]\w*)((?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*)/g;
const TAG_ATTRIBUTE = /\s(id|title|label|query|path|body|header|name)=(?:\{?["`]([^"`\n]{1,500})|'([^'\n]{1,500}))/g;

/** The anchors of a page by Mintlify's own rules; some of those of components are compared loosely. */
function anchorTest(page: Page): (anchor: string) => boolean {
  const source = page.lines.join('\n');
  const exact = new Set(['', 'top']);
  const loose = new Set<string>();
  for (const { text } of page.headings) {
    const own = /\{\s*#([^{}]+)\}$/.exec(text);
    const title = text.slice(0, own?.index).replace(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/g, '$1');
    const plain = title.replace(/`([^`]*)`|<[^<>]*>|\*|\\(?=[!-/:-@[-`{-~])/g, '$1');
    exact.add(slugOf(plain)).add(cleanId(own?.[1]?.trim() ?? ''));
  }
  for (const [, title = ''] of source.matchAll(/<h[1-6][^<>]*>([^<]+)/g)) {
    exact.add(slugOf(title));
  }
  for (const [, tag = '', attributes = ''] of source.matchAll(TAG)) {
    for (const [, name = '', double = '', single = ''] of attributes.matchAll(TAG_ATTRIBUTE)) {
      const value = double + single;
      if (name === 'id') {
        exact.add(value).add(cleanId(value));
      } else if (/^(?:Step|Tab|Update|Accordion|View|Expandable)$/.test(tag) && /title|label/.test(name)) {
        exact.add(slugOf(value));
        loose.add(looseAnchor(value)).add(looseAnchor(value.replaceAll('&', 'and')));
      } else if (/^(?:ParamField|Param|ResponseField)$/.test(tag)) {
        loose.add(looseAnchor(`param${value}`));
      }
    }
  }
  return (anchor) => {
    const ids = [anchor.replace(EMOJI, ''), anchor.replace(EMOJI, '').replace(/-\d+$/, '')];
    return ids.some((id) => exact.has(id) || loose.has(looseAnchor(id)));
  };
}

/** The slug of a heading, which keeps most signs but those that URLs have, as well as spaces, as hyphens. */
function slugOf(title: string): string {
  const parts = title
    .trim()
    .toLowerCase()
    .split(/[\s.!~*'()-]/);
  return cleanId(
    parts
      .filter((part) => part !== '')
      .join('-')
      .replace(/(?<=[^_-])-(?=[ts](?:-|$))/g, ''),
  );
}

function cleanId(id: string): string {
  return decoded(id)
    .replace(/[?,;:!'"()[\]{}]/g, '')
    .replace(EMOJI, '');
}

/** The path of a link from the root, without its anchor and query. */
function plainPath(target: string): string {
  return decoded(target.split(/[#?]/, 1)[0] ?? '').replace(/^\.?\/|\/$/g, '');
}

function folderOf(path: string): string[] {
  return path.split('/').slice(0, -1);
}

/** Whether a text of a manifest is where an API description is. */
function isSpec(key: string, within: string): boolean {
  return IS_API.test(key) || (IS_API.test(within) && key === 'source');
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Parses JSON, or YAML; undefined when it is neither. */
function parsed(text: string, isJson = /^\s*[{[]/.test(text)): unknown {
  try {
    return isJson ? (JSON.parse(text.replace(/^\uFEFF/, '')) as unknown) : load(text);
  } catch {
    return undefined;
  }
}
