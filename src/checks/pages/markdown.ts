import { MAX_PARAGRAPH } from '../../base/limits';
import type { SyntaxNode } from '@lezer/common';
import { type MarkdownConfig, type MarkdownParser, parser as commonMark, Table } from '@lezer/markdown';
import { maskMdx } from './mdx';
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
function trimmed(isMdx: boolean, onlyCode: boolean): MarkdownConfig {
  const definitions = new WeakSet<object>();
  const marks = onlyCode ? /`/ : /[`[<]/;
  return {
    remove: ['Emphasis', 'Entity', 'HardBreak', ...(isMdx ? ['IndentedCode', 'HTMLBlock', 'HTMLTag', 'Autolink'] : [])],
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
          (text.length > MAX_PARAGRAPH || !marks.test(text) || text.split('](', MAX_LINKS + 2).length > MAX_LINKS + 1)
            ? end
            : -1,
      },
    ],
  };
}

const parsers: Record<string, MarkdownParser> = {};

/** @param onlyCode leaves out links and anchors, which halves the time */
export function readMarkdown(source: string, format: 'markdown' | 'mdx', onlyCode: boolean): Page {
  const text = plainLineEnds(source);
  const page = newPage(format, text.split('\n'));
  const front = frontMatterOf(text);
  const body = blank(front) + text.slice(front.length);
  const masked = format === 'mdx' ? maskMdx(body) : undefined;
  const lines = new LineMap(page.lines);
  if (masked !== undefined && !onlyCode) {
    readTags(page, masked.tags, (start) => lines.place(start));
    page.blocks.push(...masked.fences.map(({ start, text: fence }) => blockOf(fence, lines.place(start).line)));
  }
  const parser = (parsers[`${format} ${onlyCode}`] ??= commonMark.configure([
    Table,
    trimmed(format === 'mdx', onlyCode),
  ]));
  new MarkdownReader(page, masked?.text ?? body, lines, onlyCode).read(parser);
  return page;
}

/** @param fence a fenced block of MDX, which may be indented */
function blockOf(fence: string, line: number): Page['blocks'][number] {
  const [opening = '', ...code] = fence.split('\n');
  const language = languageOf(opening.replace(/^[ \t]*[`~]+/, ''));
  return { language, text: `${code.slice(0, -1).join('\n')}\n`, line: line + 1, column: 1 };
}

/** The first word after an opening fence. */
function languageOf(info: string): string {
  return (
    info
      .trim()
      .toLowerCase()
      .split(/[\s{:,]/, 1)[0] ?? ''
  );
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
    private readonly onlyCode: boolean,
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
      case 'FencedCode':
        this.readFence(node);
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
    if (!source.includes('\n')) {
      const ticks = source.search(/[^`]/);
      const { line, column } = this.lines.place(node.from);
      this.page.spans.push({ text: source.slice(ticks, -ticks), line, column: column + ticks });
    }
  }

  private readLink(node: Ref): void {
    if (this.onlyCode) {
      return;
    }
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

  private readFence(node: Ref): void {
    if (this.onlyCode) {
      return;
    }
    const children = childrenOf(node);
    const info = children.find(({ name }) => name === 'CodeInfo');
    const [language = ''] =
      info === undefined
        ? []
        : this.sliceOf(info)
            .toLowerCase()
            .split(/[\s{:,]/, 1);
    const code = children.filter(({ name }) => name === 'CodeText');
    const text = code.map((each) => this.sliceOf(each)).join('');
    const line = this.lines.place(node.from).line + 1;
    this.page.blocks.push({ language, text: `${text}\n`, line, column: 1 });
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
    if (!this.onlyCode) {
      const place = this.lines.place(node.from);
      readTags(this.page, [{ start: 0, text: this.sliceOf(node) }], () => place);
    }
  }

  private targetOf(url: Range): string {
    const target = this.sliceOf(url).replace(/^<(.*)>$/s, '$1');
    return target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');
  }

  private sliceOf({ from, to }: Range): string {
    return this.text.slice(from, to);
  }
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

  /** @param lines without line ends, each of which is one character */
  constructor(lines: readonly string[]) {
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
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }
}

/** Attributes of a tag that make an anchor or are a link. */
const ATTRIBUTE =
  /\s(id|name|title|label|href|src|to)=(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|\{["'`]([^"'`\n]{1,500})["'`]\})/g;

/**
 * Adds the links and anchors of tags to a page.
 *
 * @param placeOf returns the line and column of a tag that starts at this offset
 */
export function readTags(
  page: Page,
  tags: readonly { start: number; text: string }[],
  placeOf: (start: number) => { line: number; column: number },
): void {
  for (const { start, text } of tags) {
    readTag(page, text, placeOf(start));
  }
}

function readTag(page: Page, text: string, first: { line: number; column: number }): void {
  let line = first.line;
  let lineStart = 1 - first.column;
  let seen = 0;
  for (const found of text.matchAll(ATTRIBUTE)) {
    const [whole, name, double, single, braced] = found;
    const value = double ?? single ?? braced ?? '';
    for (let end = text.indexOf('\n', seen); end !== -1 && end < found.index + 1; end = text.indexOf('\n', end + 1)) {
      line++;
      lineStart = end + 1;
      seen = end + 1;
    }
    if (name === 'href' || name === 'src' || name === 'to') {
      const kind = name === 'src' ? 'image' : 'link';
      const column = found.index + whole.indexOf(value) - lineStart + 1;
      page.links.push({ target: value, kind, line, column, endColumn: column + value.length });
    } else {
      page.ids.push(value);
    }
  }
}
