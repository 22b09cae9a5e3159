import { MAX_PARAGRAPH } from '../../base/limits';
import type { SyntaxNode } from '@lezer/common';
import { type MarkdownConfig, type MarkdownParser, parser as commonMark, Table } from '@lezer/markdown';
import { includesOf, plainMarkdown } from './generators';
import { maskMdx } from './mdx';
import { readTags } from './tags';
import { roleOf } from './roles';
import { blank, frontMatterOf, newPage, type Page, plainLineEnds, type TableCell } from './page';

/** A paragraph with more links isn't text that a person wrote. The parser would search the rest of the paragraph for the end of each link. */
const MAX_LINKS = 300;
/** Lines of deeply nested quotations and lists: with more than 50 markers, or a marker far to the right. */
const TOO_DEEP = /^(?:(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){51}|[ \t]{60,}(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])).*/gm;
/**
 * A longer paragraph that begins like a link definition isn't one. The parser would reread its title with each line.
 */
const MAX_DEFINITION = 5_000;
/** Maximum length of a link label, in characters (CommonMark 0.31, 4.7). */
const MAX_LABEL = 999;

/**
 * Makes the parser skip what contains neither code nor links: emphasis, entities, and paragraphs that can't have
 * either.
 */
function trimmed(isMdx: boolean, isMarkdoc: boolean): MarkdownConfig {
  const definitions = new WeakSet<object>();
  return {
    remove: [
      ...['Emphasis', 'Entity', 'HardBreak'],
      ...(isMdx || isMarkdoc ? ['IndentedCode'] : []),
      ...(isMdx ? ['HTMLBlock', 'HTMLTag', 'Autolink'] : []),
    ],
    parseBlock: [
      {
        name: 'EndOfDefinition',
        leaf: (_context, block) => {
          if (block.content.startsWith('[')) {
            definitions.add(block);
          }
          return null;
        },
        // Only the length is read: the text grows line by line, and looking at any of it would copy all of it each
        // time.
        endLeaf: (_context, _line, block) => block.content.length > MAX_DEFINITION && definitions.has(block),
      },
    ],
    parseInline: [
      {
        name: 'Skip',
        before: 'Escape',
        parse: ({ text, offset, end }, _next, at) =>
          at === offset &&
          (text.length > MAX_PARAGRAPH || !/[`[<]/.test(text) || text.split('](', MAX_LINKS + 2).length > MAX_LINKS + 1)
            ? end
            : -1,
      },
    ],
  };
}

const parsers: Record<string, MarkdownParser> = {};

/** A closing tag of Markdoc, which has no indented code. */
const MARKDOC = /\{%[ \t]*\/[a-z]/;

export function readMarkdown(source: string, format: 'markdown' | 'mdx'): Page {
  const text = plainLineEnds(source);
  const page = newPage(format, text.split('\n'));
  const front = frontMatterOf(text);
  const body = blank(front) + text.slice(front.length);
  const isMdx = format === 'mdx';
  const isMarkdoc = !isMdx && MARKDOC.test(text);
  const plain = isMdx ? { lines: page.lines, removed: new Map(), blocks: [] } : plainMarkdown(body);
  const masked = isMdx ? maskMdx(body) : undefined;
  const lines = new LineMap(plain.lines, plain.removed);
  page.blocks.push(...plain.blocks);
  if (masked !== undefined) {
    readTags(page, body, masked.tags, (start) => lines.place(start));
    page.blocks.push(...masked.fences.map(({ start, text: fence }) => blockOf(fence, lines.place(start).line)));
  }
  page.links.push(...includesOf(page.lines));
  const parser = (parsers[`${format} ${isMarkdoc}`] ??= commonMark.configure([Table, trimmed(isMdx, isMarkdoc)]));
  new MarkdownReader(page, masked?.text ?? plain.lines.join('\n'), lines).read(parser);
  return page;
}

/** @param fence a fenced block of MDX, which may be indented */
function blockOf(fence: string, line: number): Page['blocks'][number] {
  const [opening = '', ...code] = fence.split('\n');
  const language = languageOf(opening.replace(/^[ \t]*[`~]+/, ''));
  return { language, text: `${code.slice(0, -1).join('\n')}\n`, line: line + 1, column: 1 };
}

/** The language that the text after an opening fence names, as `js {1}`, `{.js}`, `{code-block} js`, or `js title="a"`. */
function languageOf(info: string): string {
  const words = info
    .trim()
    .toLowerCase()
    .replace(/^\{(?:code|code-block|code-cell|sourcecode)\}\s*/, '');
  return /^\{?\.?([^\s{}:,]*)/.exec(words)?.[1] ?? '';
}

/** A link whose target may be defined further down the page. */
interface PendingLink {
  link: Page['links'][number];
  label: string;
}

interface Range {
  name: string;
  from: number;
  to: number;
}

type Ref = Range & { node: SyntaxNode };

class MarkdownReader {
  private readonly definitions = new Map<string, string>();
  private readonly pending: PendingLink[] = [];

  constructor(
    private readonly page: Page,
    private readonly text: string,
    private readonly lines: LineMap,
  ) {}

  read(parser: MarkdownParser): void {
    parser.parse(this.text.replace(TOO_DEEP, blank)).iterate({ enter: (node) => this.enter(node) });
    for (const { link, label } of this.pending) {
      const target = this.definitions.get(label);
      if (target !== undefined) {
        this.page.links.push({ ...link, target });
      }
    }
  }

  /** @returns false when there is nothing to look for inside the node */
  private enter(node: Ref): boolean | undefined {
    switch (node.name) {
      case 'ATXHeading1':
      case 'ATXHeading2':
      case 'ATXHeading3':
      case 'ATXHeading4':
      case 'ATXHeading5':
      case 'ATXHeading6':
      case 'SetextHeading1':
      case 'SetextHeading2':
        this.readHeading(node);
        return undefined;
      case 'InlineCode':
        this.readCodeSpan(node);
        return false;
      case 'Link':
        this.readLink(node);
        return undefined;
      case 'Image':
        this.readLink(node);
        return false;
      case 'Table':
        this.readTable(node);
        return undefined;
      case 'LinkReference':
        this.readDefinition(node);
        return false;
      case 'CodeBlock':
      case 'FencedCode':
        this.readBlock(node);
        return false;
      case 'HTMLBlock':
      case 'HTMLTag':
        this.readHtml(node);
        return false;
      default:
        return undefined;
    }
  }

  private readHeading(node: Range): void {
    const level = Number(node.name.at(-1));
    const source = this.sliceOf(node);
    const text = node.name.startsWith('ATX')
      ? source.replace(/^#+/, '').replace(/(?<![^ \t])#+$/, '')
      : source.slice(0, source.lastIndexOf('\n'));
    this.page.headings.push({ line: this.lines.place(node.from).line, level, text: text.trim() });
  }

  private readCodeSpan(node: Range): void {
    const source = this.sliceOf(node);
    const ticks = source.search(/[^`]/);
    const { line, column } = this.lines.place(node.from);
    const span = { text: textOf(source.slice(ticks, -ticks)), line, column: column + ticks };
    // A role of MyST, as in {func}`load`.
    const role = /\{(?:[a-z]{1,9}:)?([a-z]{1,20})\}$/.exec(
      this.text.slice(Math.max(0, node.from - 40), node.from),
    )?.[1];
    if (role === undefined) {
      this.page.spans.push(span);
    } else if (roleOf(role) !== undefined) {
      this.page.spans.push({
        ...span,
        text: span.text.replace(/^[^<]*<([^<>]*)>$|^[~!]/, '$1'),
        role: roleOf(role) ?? 'any',
      });
    }
  }

  private readLink(node: Ref): void {
    const children = childrenOf(node);
    const source = this.sliceOf(node);
    const start = this.lines.place(node.from);
    const lineEnd = source.indexOf('\n');
    const endColumn = start.column + (lineEnd === -1 ? source.length : lineEnd);
    const link = {
      target: '',
      kind: node.name === 'Image' ? ('image' as const) : ('link' as const),
      ...start,
      endColumn,
    };
    const url = children.find(({ name }) => name === 'URL');
    const label = children.find(({ name }) => name === 'LinkLabel');
    const isShortcut = children.filter(({ name }) => name === 'LinkMark').length === 2;
    if (url !== undefined) {
      this.page.links.push({ ...link, target: this.targetOf(url) });
    } else if (label !== undefined && label.to - label.from > 2) {
      this.pending.push({ link, label: labelOf(this.sliceOf(label)) });
    } else if (label !== undefined || isShortcut) {
      const end = label === undefined ? source.length : source.length - 2;
      this.pending.push({ link, label: labelOf(source.slice(link.kind === 'image' ? 1 : 0, end)) });
    }
  }

  private readDefinition(node: Ref): void {
    const children = childrenOf(node);
    const label = children.find(({ name }) => name === 'LinkLabel');
    const url = children.find(({ name }) => name === 'URL');
    if (label !== undefined && url !== undefined) {
      const key = labelOf(this.sliceOf(label));
      this.definitions.set(key, this.definitions.get(key) ?? this.targetOf(url));
    }
  }

  private readBlock(node: Ref): void {
    const children = childrenOf(node);
    const info = children.find(({ name }) => name === 'CodeInfo');
    const code = children.filter(({ name }) => name === 'CodeText');
    const text = code.map((each) => this.sliceOf(each)).join('');
    const { line } = this.lines.place(node.from);
    const language = info === undefined ? '' : languageOf(this.sliceOf(info));
    this.page.blocks.push({
      language,
      text: `${text}\n`,
      line: node.name === 'CodeBlock' ? line : line + 1,
      column: 1,
    });
  }

  private readTable(node: Ref): void {
    const [header, ...rows] = childrenOf(node)
      .filter(({ name }) => name === 'TableHeader' || name === 'TableRow')
      .map((row) => {
        const { line, column } = this.lines.place(row.from);
        return { line, cells: cellsOf(this.sliceOf(row), column) };
      });
    this.page.tables.push({ header: header?.cells.map(({ text }) => text) ?? [], rows });
  }

  private readHtml(node: Range): void {
    const place = this.lines.place(node.from);
    readTags(this.page, this.text, [{ start: node.from, text: this.sliceOf(node) }], () => place);
  }

  private targetOf(url: Range): string {
    const target = this.sliceOf(url).replace(/^<(.*)>$/s, '$1');
    return target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');
  }

  private sliceOf({ from, to }: Range): string {
    return this.text.slice(from, to);
  }
}

/** The text of a code span in a line, without the bars that a cell of a table escapes. */
function textOf(source: string): string {
  return source
    .split(/\n[ \t>]*/)
    .join(' ')
    .replaceAll('\\|', '|');
}

function childrenOf({ node }: Ref): Range[] {
  const children: Range[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    children.push(child);
  }
  return children;
}

/** Splits a row of a table into its cells. */
function cellsOf(row: string, column: number): TableCell[] {
  const parts = row.split(/(?<!\\)\|/);
  let at = column;
  const cells = parts.map((part) => {
    const start = at + part.length - part.trimStart().length;
    at += part.length + 1;
    return { text: part.trim().replaceAll('\\|', '|'), column: start };
  });
  // The bars around a row are optional.
  return cells.slice(cells[0]?.text === '' ? 1 : 0, cells.at(-1)?.text === '' ? -1 : cells.length);
}

/** Normalizes a label for comparison: without case, and with a single space for any white space. */
function labelOf(source: string): string {
  return source.slice(1, -1).slice(0, MAX_LABEL).trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Converts offsets in a text to lines and columns, which count from 1. */
export class LineMap {
  private readonly starts: number[] = [];

  /**
   * @param lines without line ends, each of which is one character
   * @param removed how many characters are missing at the start of a line, by its index
   */
  constructor(
    lines: readonly string[],
    private readonly removed: ReadonlyMap<number, number> = new Map(),
  ) {
    let start = 0;
    for (const { length } of lines) {
      this.starts.push(start);
      start += length + 1;
    }
  }

  place(offset: number): { line: number; column: number } {
    let low = 0;
    for (let high = this.starts.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + (this.removed.get(low) ?? 0) + 1 };
  }
}
