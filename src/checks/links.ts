import { CORE_SCHEMA, defineMappingTag, defineScalarTag, defineSequenceTag, loadAll, realMapTag } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import { MAX_PARAGRAPH } from '../base/limits';
import type { Finding } from './finding';
import type { CodeBlock, Page, PageLink } from './pages/page';

/** What links may lead to. */
export interface LinkTargets {
  /** Whether there is such a file or folder at the commit. */
  has: (path: string) => boolean;
  /** The anchors of a page; undefined when they can't be determined. */
  anchors: (path: string) => Promise<ReadonlySet<string> | undefined>;
}

type LinkFinding = Extract<Finding, { rule: 'broken-link' | 'missing-image' }>;

const PAGE_ENDINGS = [
  '',
  '.md',
  '.mdx',
  '.markdown',
  '.adoc',
  '.rst',
  '/index.md',
  '/index.mdx',
  '/README.md',
  '/_index.md',
];
const MAX_TARGET = 1_000;
/** How many levels of folders, from the top of the repository, are tried as the root of a site. */
const MAX_FOLDERS = 20;

/** Checks one link; undefined when its target exists, or can't be checked, such as one on another site. */
export async function checkLink(link: PageLink, path: string, targets: LinkTargets): Promise<LinkFinding | undefined> {
  const target = link.target.trim();
  const isImage = link.kind === 'image';
  // Not checked: URLs with a scheme, and placeholders that a generator or a template fills in.
  if (
    link.kind === 'include' ||
    target === '' ||
    target.length > MAX_TARGET ||
    /^[a-z][a-z0-9+.-]*:|^\/\/|[{}<>$]|^@/i.test(target)
  ) {
    return undefined;
  }
  const [file = '', anchor = ''] = target.split('#', 2);
  const [plain = ''] = file.split('?', 1);
  const place = { path, line: link.line, column: link.column, endColumn: link.endColumn };
  const about = { place, target, certainty: 'certain', evidence: null, successor: null } as const;
  const found = plain === '' ? path : findTarget(decoded(plain), path, isImage, targets);
  if (found === undefined) {
    return isImage ? { rule: 'missing-image', ...about } : { rule: 'broken-link', ...about, problem: 'file' };
  }
  if (found === null || anchor === '' || isImage || /^L\d/.test(anchor)) {
    return undefined;
  }
  const anchors = await targets.anchors(found);
  return anchors === undefined || anchors.has(looseAnchor(decoded(anchor)))
    ? undefined
    : { rule: 'broken-link', ...about, problem: 'anchor' };
}

/** The file that a link leads to; null when that can't be determined; undefined when there is none. */
function findTarget(target: string, from: string, isImage: boolean, { has }: LinkTargets): string | null | undefined {
  const folder = from.split('/').slice(0, -1);
  if (target.startsWith('/')) {
    return findFromRoot(target.slice(1), folder, has);
  }
  // Many generators serve `page.md` as `page/`, so links are relative to one more folder.
  const bases = isImage || /\.\w{2,5}$/.test(target) ? [folder] : [folder, from.replace(/\.\w+$/, '').split('/')];
  for (const base of bases) {
    const path = resolvePath(base, target);
    // A link out of the repository can't be checked.
    if (path === undefined) {
      return null;
    }
    const found = withEnding(path, has);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/**
 * Finds the target of a link that starts at the root of a site: some folder above the page, or a folder for files in
 * one of these.
 */
function findFromRoot(
  target: string,
  folder: readonly string[],
  has: (path: string) => boolean,
): string | null | undefined {
  const above = folder.slice(0, MAX_FOLDERS);
  const roots = above.map((_, at) => above.slice(0, above.length - at)).concat([[]]);
  for (const root of roots) {
    for (const files of ['', 'public', 'static', 'docs', 'src/pages', 'src/content/docs', 'content', 'src', 'pages']) {
      const path = resolvePath([...root, ...files.split('/')], target);
      const found = path === undefined ? undefined : withEnding(path, has);
      if (found !== undefined) {
        return found;
      }
    }
  }
  // A site may generate pages from files with other names, so only targets with a known file extension count as
  // missing.
  return /\.(?:mdx?|png|jpe?g|gif|svg|webp)$/i.test(target) ? undefined : null;
}

function withEnding(path: string, has: (path: string) => boolean): string | undefined {
  if (path === '') {
    return '';
  }
  const page = path.replace(/\.html?$/, '');
  return PAGE_ENDINGS.map((ending) => page + ending).find(has) ?? (has(path) ? path : undefined);
}

function resolvePath(base: readonly string[], target: string): string | undefined {
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Generators turn headings into anchors in different ways, but all keep the letters and digits in order. */
export function looseAnchor(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** The anchors of a page: its headings, explicit ids, and texts of components. A repeated heading gets a number. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set(['', 'top']);
  for (const heading of page.headings) {
    const text = heading.text.slice(0, MAX_TARGET);
    const explicit = /\{\s{0,9}#([^}\s]{1,200})\s{0,9}\}\s*$|\[#([^\]\s]{1,200})\]\s*$/.exec(text);
    const plain = text.slice(0, explicit?.index ?? text.length).replace(/\]\([^)\n]{0,500}\)/g, ']');
    const anchor = looseAnchor(plain.replace(/<[^>\n]{0,200}>/g, ''));
    if (explicit !== null) {
      anchors.add(looseAnchor(explicit[1] ?? explicit[2] ?? ''));
    }
    for (let count = 1; anchors.has(anchor) && count < 50; count++) {
      anchors.add(`${anchor}${count}`);
    }
    anchors.add(anchor);
  }
  page.ids.forEach((id) => anchors.add(looseAnchor(id)));
  return anchors;
}

type InvalidCode = Extract<Finding, { rule: 'invalid-code' }>;

/** Placeholders for parts that were left out: a block with one isn't meant to be complete. */
const LEFT_OUT = /\.\.\.|…|<[A-Za-z][\w -]*>|\{\{|\$\{|\{%|^[ \t]*[-+][ \t]{2}/m;

/** What the parsers say about a block that is nested too deeply to be read to its end, so it may be valid. */
const TOO_DEEP = /^nesting exceeded maxDepth|excessively nested|^Maximum call stack/;

/** Accepts tags of other programs, such as `!Ref`, and keys of any type: what a tag means isn't for a reader to say. */
const YAML_SCHEMA = CORE_SCHEMA.withTags(
  realMapTag,
  defineScalarTag('', { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  defineSequenceTag('', { matchByTagPrefix: true, create: () => [], addItem: () => undefined, identify: () => false }),
  defineMappingTag('', { ...realMapTag, matchByTagPrefix: true }),
);

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  yaml: (text) => loadAll(text, { schema: YAML_SCHEMA }),
  yml: (text) => loadAll(text, { schema: YAML_SCHEMA }),
  toml: (text) => parseToml(text),
};

/** Returns what is wrong with a JSON, YAML, or TOML block; undefined when it can be read, or isn't such a block. */
export function checkCodeBlock(block: CodeBlock, path: string): InvalidCode | undefined {
  const parse = Object.hasOwn(PARSERS, block.language) ? PARSERS[block.language] : undefined;
  const { text } = block;
  if (parse === undefined || text.length > MAX_PARAGRAPH || text.trim() === '' || LEFT_OUT.test(text)) {
    return undefined;
  }
  // Comments are common in examples of configuration files whose programs allow them.
  if (block.language === 'json' && /^[ \t]*(?:\/\/|\/\*)|,[ \t]{0,99}\/\//m.test(text)) {
    return undefined;
  }
  try {
    parse(text);
    return undefined;
  } catch (error) {
    const { message, line } = describe(error, text);
    if (TOO_DEEP.test(message)) {
      return undefined;
    }
    const lines = text.trimEnd().split('\n');
    const at = Math.min(line, lines.length - 1);
    const place = { path, line: block.line + at, column: 1, endColumn: (lines[at]?.length ?? 0) + 1 };
    return { rule: 'invalid-code', place, language: block.language, message, certainty: 'certain' };
  }
}

/** The first line of a parser's message, and the 0-based line that it refers to. */
function describe(error: unknown, text: string): { message: string; line: number } {
  const { message, mark, line } = error as { message: string; mark?: { line?: number }; line?: number };
  const position = /at position (\d+)/.exec(message)?.[1];
  // The rest of this message quotes the block, and may contain a line break.
  const [first = ''] = /^Unexpected token '.{1,2}'(?=, )/.exec(message) ?? message.split('\n', 1);
  const at = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length - 1;
  return { message: first.slice(0, 200), line: Math.max(0, at ?? mark?.line ?? (line === undefined ? 0 : line - 1)) };
}
