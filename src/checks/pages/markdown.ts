import type { SyntaxNode } from '@lezer/common';
import { type MarkdownParser, parser as commonMark, Table } from '@lezer/markdown';
import { addIncludes } from './includes';
import { hasIndentedText, languageOf, maskMarkdown } from './mask';
import { readTag } from './tags';
import { roleOf } from './roles';
import { blank, frontMatterOf, LineMap, newPage, type Page, plainLineEnds, type TableCell } from './page';

/** A longer line isn't text that a person wrote. The parser would take long for what isn't closed or is nested deeply. */
const MAX_LINE = 5_000;

const parsers: Record<string, MarkdownParser> = {};

/** Leaves out what contains neither code nor links. */
function parserOf(isMdx: boolean, isIndented: boolean): MarkdownParser {
  return (parsers[`${isMdx} ${isIndented}`] ??= commonMark.configure([
    Table,
    {
      remove: [
        ...['Emphasis', 'Entity', 'HardBreak'],
        ...(isIndented ? ['IndentedCode'] : []),
        ...(isMdx ? ['HTMLBlock', 'HTMLTag', 'Autolink'] : []),
      ],
    },
  ]));
}

export function readMarkdown(source: string, format: 'markdown' | 'mdx'): Page {
  const text = plainLineEnds(source);
  const page = newPage(format, text.split('\n'));
  const front = frontMatterOf(text);
  const body = (blank(front) + text.slice(front.length)).replace(/.+/g, (line) =>
    line.length > MAX_LINE ? blank(line) : line,
  );
  const lines = new LineMap(page.lines);
  const masked = maskMarkdown(page, body, (tag, start) => readTag(page, body, start, tag, lines));
  addIncludes(page);
  const isMdx = format === 'mdx';
  new MarkdownReader(page, masked, lines).read(parserOf(isMdx, isMdx || hasIndentedText(body)));
  return page;
}

interface Range {
  name: string;
  from: number;
  to: number;
}

type Ref = Range & { node: SyntaxNode };

class MarkdownReader {
  private readonly definitions = new Map<string, string>();
  /** Links whose targets may be defined further down the page. */
  private readonly pending: [link: Page['links'][number], label: string][] = [];

  constructor(
    private readonly page: Page,
    private readonly text: string,
    private readonly lines: LineMap,
  ) {}

  read(parser: MarkdownParser): void {
    parser.parse(this.text).iterate({ enter: (node) => this.enter(node) });
    for (const [link, label] of this.pending) {
      const target = this.definitions.get(label);
      if (target !== undefined) {
        this.page.links.push({ ...link, target });
      }
    }
  }

  private enter(node: Ref): boolean {
    const { name } = node;
    if (name === 'InlineCode') {
      this.readCodeSpan(node);
    } else if (name === 'Link' || name === 'Image') {
      this.readLink(node);
    } else if (name === 'Table') {
      this.readTable(node);
    } else if (name === 'LinkReference') {
      this.readDefinition(node);
    } else if (name === 'CodeBlock' || name === 'FencedCode') {
      this.readBlock(node);
    } else if (name === 'HTMLBlock' || name === 'HTMLTag') {
      readTag(this.page, this.text, node.from, this.sliceOf(node), this.lines);
    } else if (/Heading\d$/.test(name)) {
      this.readHeading(node);
    }
    return name !== 'Image';
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
    const known = role === undefined ? undefined : roleOf(role);
    if (known !== undefined) {
      this.page.spans.push({ ...span, text: span.text.replace(/^[^<]*<([^<>]*)>$|^[~!]/, '$1'), role: known });
    } else if (role === undefined) {
      this.page.spans.push(span);
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
    if (url !== undefined) {
      this.page.links.push({ ...link, target: this.targetOf(url) });
    } else if (label !== undefined || children.filter(({ name }) => name === 'LinkMark').length === 2) {
      const own = label === undefined ? source : source.slice(0, label.from - node.from);
      const hasLabel = label !== undefined && label.to - label.from > 2;
      this.pending.push([link, labelOf(hasLabel ? this.sliceOf(label) : own.replace(/^!/, ''))]);
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
    this.page.blocks.push({
      language: info === undefined ? '' : languageOf(this.sliceOf(info)),
      text: `${code.map((each) => this.sliceOf(each)).join('')}\n`,
      line: this.lines.place(node.from).line + (node.name === 'CodeBlock' ? 0 : 1),
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
  return source.slice(1, -1).trim().replace(/\s+/g, ' ').toLowerCase();
}
