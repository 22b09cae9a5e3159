import type { NameRole } from '../names';
import type { PageFormat } from '../paths';

/** Text in code font. Lines and columns count from 1. */
export interface CodeSpan {
  /** Without line ends and markup in it. */
  text: string;
  /** Where it starts. */
  line: number;
  column: number;
  /** What the markup says it is. */
  role?: NameRole;
  /** The page documents something with this name here. */
  isDefinition?: true;
}

export interface PageHeading {
  line: number;
  /** 1 for the title of a page. */
  level: number;
  text: string;
}

export interface PageLink {
  target: string;
  /** `include`: a file whose text is shown on the page. */
  kind: 'link' | 'image' | 'include';
  line: number;
  column: number;
  /** Exclusive. */
  endColumn: number;
}

export interface CodeBlock {
  /** In lower case; empty when the page doesn't say. */
  language: string;
  /** Its lines, each of which is the end of a line of the page. */
  text: string;
  /** The line of the first line of code. */
  line: number;
  column: number;
}

/** A table. Rows may have fewer or more cells than the header, which is empty if there is none. */
export interface PageTable {
  header: string[];
  rows: { line: number; cells: TableCell[] }[];
}

/** As the page has it, with markup, but without spaces around it. */
export interface TableCell {
  text: string;
  column: number;
}

/** What a check needs to know about a page. */
export interface Page {
  format: PageFormat;
  /** Without line ends. */
  lines: readonly string[];
  spans: CodeSpan[];
  headings: PageHeading[];
  links: PageLink[];
  blocks: CodeBlock[];
  tables: PageTable[];
  /** Explicit anchors, and texts of components that many generators turn into anchors. */
  ids: string[];
}

export function newPage(format: PageFormat, lines: readonly string[]): Page {
  return { format, lines, spans: [], headings: [], links: [], blocks: [], tables: [], ids: [] };
}

/** Replaces everything but line ends with spaces, so that columns stay the same. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/**
 * Makes all line ends line feeds, and removes a byte order mark. Columns stay the same, except on the first line after
 * such a mark.
 */
export function plainLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** The front matter, including the two lines around it; empty when there is none. */
export function frontMatterOf(text: string): string {
  return /^(---|\+\+\+)[ \t]*\n(?:[^]*?\n)?\1[ \t]*(?:\n|$)/.exec(text)?.[0] ?? '';
}

/** Converts offsets in a text to lines and columns, which count from 1. */
export class LineMap {
  private readonly starts: number[] = [0];

  constructor(lines: readonly string[]) {
    lines.forEach(({ length }) => this.starts.push((this.starts.at(-1) ?? 0) + length + 1));
  }

  place(offset: number): { line: number; column: number } {
    let low = 0;
    for (let high = this.starts.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      [low, high] = (this.starts[middle] ?? 0) <= offset ? [middle, high] : [low, middle];
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }
}
