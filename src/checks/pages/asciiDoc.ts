import { addBlock, addSpans, type SpanPattern } from './lines';
import { newPage, type Page, type PageTable, plainLineEnds } from './page';

/** Code between one or two backticks. Next to quotation marks, backticks are part of the quotation marks. */
const PATTERNS: readonly SpanPattern[] = [
  [/(?<![\w"'`\\])`(?!\s)\+?([^`]{1,300}?)\+?(?<!\s)`(?![\w`])|``\+?([^`]{1,300}?)\+?``/g],
];

/** An indented paragraph is code. Items of lists may be indented as well. */
const LITERAL_LINE = /^[ \t]+(?![ \t]|[-*.]{1,5}[ \t]|\d{1,3}\.[ \t])/;
const DELIMITER = /^(?:-{4,}|\.{4,}|\/{4,}|\+{4,}|`{3,})/;
/** Attributes of a block of code, with its language. */
const CODE = /^\[(?:source|listing|literal|,)[^,\]]{0,99}(?:,[ ]?([\w+#-]{1,30}))?.*\]$/;
/** Begins a line that is no paragraph, or ends one. */
const NO_TEXT = /^(?:\/\/|:[\w!-]+:|\[.*\]$|\+$|$)/;
const LINK =
  /(?<!\\)(?:\b(xref|link|image|include)::?|(<<))([^\s[\]<>,`"]{1,300}?)(?:\[([^\]\n]{0,200})\]|,[^>\n]{0,200}>>|>>)/g;

/** Reads AsciiDoc: code, headings, links, and tables. */
export function readAsciiDoc(source: string): Page {
  const page = newPage('asciidoc', plainLineEnds(source).split('\n'));
  const { lines } = page;
  let language: string | undefined;
  let table: number | undefined;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const isBegun = (lines[at - 1] ?? '').trim() === '';
    const delimiter = DELIMITER.exec(line)?.[0];
    const heading = /^(={1,6})[ \t]+(\S.{0,500})$/.exec(line);
    const attributes = CODE.exec(line);
    const start = at;
    at++;
    if (delimiter !== undefined) {
      let end = at;
      while (end < lines.length && lines[end]?.trimEnd() !== delimiter) {
        end++;
      }
      at = Math.min(end + 1, lines.length);
      readLinks(page, start + 1, at, true);
      if (!/^[/+]/.test(delimiter)) {
        const info = /^`+\s*([\w+#-]+)/.exec(line)?.[1];
        addBlock(page, info ?? language ?? '', start + 1, end);
      }
    } else if (attributes !== null) {
      language = attributes[1] ?? '';
      continue;
    } else if (language !== undefined && line.startsWith('.') && !line.startsWith('..')) {
      // The title of a block of code.
      continue;
    } else if (heading !== null) {
      page.headings.push({ line: start + 1, level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
      addSpans(page, start, at, PATTERNS);
    } else if (/^\|={3,}$/.test(line.trimEnd())) {
      if (table === undefined) {
        table = start;
      } else {
        page.tables.push(readTable(lines, table, start));
        table = undefined;
      }
    } else if (line.trim() !== '' && (language !== undefined || (isBegun && LITERAL_LINE.test(line)))) {
      while (at < lines.length && (lines[at] ?? '').trim() !== '' && !/^\+$/.test(lines[at] ?? '')) {
        at++;
      }
      addBlock(page, language ?? '', start, at);
    } else if (!NO_TEXT.test(line)) {
      while (at < lines.length && !endsParagraph(lines[at] ?? '')) {
        at++;
      }
      addSpans(page, start, at, PATTERNS);
      readLinks(page, start, at, false);
    }
    language = undefined;
  }
  return page;
}

function endsParagraph(line: string): boolean {
  return (
    line.trim() === '' ||
    NO_TEXT.test(line) ||
    DELIMITER.test(line) ||
    /^\s*(?:={1,6}[ \t]|\||[*.-]{1,5}[ \t]|\d{1,3}\.[ \t])/.test(line)
  );
}

/** @param isCode whether there are only includes */
function readLinks(page: Page, from: number, to: number, isCode: boolean): void {
  for (let index = from; index < to; index++) {
    const line = (page.lines[index] ?? '').slice(0, 5_000);
    const mayHave = isCode ? line.startsWith('include::') : /[a-z]:|<</.test(line);
    for (const { 1: name, 3: shown = '', 4: attributes = '', ...found } of mayHave ? line.matchAll(LINK) : []) {
      const column = line.indexOf(shown, found.index) + 1;
      // Without a file, an internal reference is an anchor.
      const anchor = name === undefined && !/[#.]/.test(shown) ? '#' : '';
      const tag = name === 'include' ? /\btags?=([\w-]+)(?:\]|,|$)/.exec(attributes)?.[1] : undefined;
      const target = `${anchor}${shown}${tag === undefined ? '' : `#${tag}`}`;
      const kind = name === 'image' || name === 'include' ? name : 'link';
      page.links.push({ kind, target, line: index + 1, column, endColumn: column + shown.length });
    }
  }
}

/** A bar before a cell, possibly with a number of columns or a style, as in `2+|` and `a|`. */
const BAR = /(?<!\\)(?:(?<=^|\s)(?:\d+(?:\.\d+)?[+*]|\.\d+\+)?[<^>.]{0,3}[a-z]?)?\|/g;

/** @param from the index of the line that begins the table; `to`: of the one that ends it */
function readTable(lines: readonly string[], from: number, to: number): PageTable {
  const cells: { line: number; text: string; column: number }[] = [];
  let width = Number(/\bcols="?(\d+)\*/.exec(lines[from - 1] ?? '')?.[1] ?? 0);
  const first = lines.findIndex((line, index) => index > from && line.trim() !== '');
  for (let index = from + 1; index < to; index++) {
    const line = lines[index] ?? '';
    const bars = [...line.matchAll(BAR)];
    const last = cells.at(-1);
    if (last !== undefined && line.trim() !== '') {
      last.text = `${last.text} ${line.slice(0, bars[0]?.index ?? line.length).trim()}`.trim();
    }
    for (const [at, { 0: bar, index: start }] of bars.entries()) {
      const text = line.slice(start + bar.length, bars[at + 1]?.index ?? line.length);
      cells.push({
        line: index + 1,
        text: text.trim(),
        column: start + bar.length + text.length - text.trimStart().length + 1,
      });
    }
    width = width === 0 && index === first ? bars.length : width;
  }
  const rows: PageTable['rows'] = [];
  for (let at = 0; width > 0 && at < cells.length; at += width) {
    const row = cells.slice(at, at + width);
    rows.push({ line: row[0]?.line ?? from, cells: row.map(({ text, column }) => ({ text, column })) });
  }
  const hasHeader = (lines[from - 1] ?? '').includes('header') || (lines[first + 1] ?? '').trim() === '';
  return { header: hasHeader ? (rows.shift()?.cells.map(({ text }) => text) ?? []) : [], rows };
}
