import type { Page, PageTable, TableCell } from './page';

/** A line of a simple table above, below, and between its rows. */
const RULE = /^\s*=+(?:\s+=+)+\s*$/;

/** Adds the tables of reStructuredText to a page: those drawn with lines, and lists of lists. */
export function readRstTables(page: Page): void {
  const { lines } = page;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (/^\s*\.\. list-table::/.test(line)) {
      at = readList(page, at);
    } else if (/^\s*\+(?:-+\+)+\s*$/.test(line) || RULE.test(line)) {
      at = readDrawn(page, at);
    }
  }
}

type Row = PageTable['rows'][number];

function add(page: Page, rows: Row[], headers: number): void {
  const [header] = rows.slice(0, headers);
  page.tables.push({ header: header?.cells.map(({ text }) => text) ?? [], rows: rows.slice(headers) });
}

function cellOf(text: string, start: number): TableCell {
  return { text: text.trim(), column: start + text.length - text.trimStart().length + 1 };
}

/** Adds the text of a further line to cells. */
function append(cells: readonly TableCell[], more: readonly TableCell[]): void {
  for (const [at, cell] of cells.entries()) {
    cell.text = `${cell.text} ${more[at]?.text ?? ''}`.trim();
  }
}

function readList(page: Page, start: number): number {
  const indent = page.lines[start]?.search(/\S/) ?? 0;
  const rows: Row[] = [];
  let headers = 0;
  let at = start + 1;
  for (; at < page.lines.length; at++) {
    const line = page.lines[at] ?? '';
    if (line.trim() !== '' && line.search(/\S/) <= indent) {
      break;
    }
    headers = Number(/^\s*:header-rows:\s*(\d)/.exec(line)?.[1] ?? headers);
    const [, before = '', row, text = ''] = /^(\s*(?:(\*)\s+)?-(?:\s|$))(.*)$/.exec(line) ?? [];
    if (row !== undefined) {
      rows.push({ line: at + 1, cells: [] });
    }
    const cells = rows.at(-1)?.cells;
    if (before !== '') {
      cells?.push(cellOf(text, before.length));
    } else if (cells !== undefined) {
      append(cells.slice(-1), [cellOf(line, 0)]);
    }
  }
  add(page, rows, headers);
  return at - 1;
}

/** Reads a table whose lines show where its columns begin. */
function readDrawn(page: Page, start: number): number {
  const first = page.lines[start] ?? '';
  const isGrid = first.includes('+');
  const columns = Array.from(first.matchAll(isGrid ? /\+(?=-)/g : /=+/g), ({ index }) => index + (isGrid ? 1 : 0));
  const rows: Row[] = [];
  let headers = 0;
  let isNew = true;
  let at = start + 1;
  for (; isGrid ? /^\s*[+|]/.test(page.lines[at] ?? '') : at < page.lines.length; at++) {
    const line = page.lines[at] ?? '';
    if (isGrid ? /^\s*\+/.test(line) : RULE.test(line)) {
      // The last line of a simple table is followed by an empty one.
      if (!isGrid && (rows.length === 0 || (page.lines[at + 1] ?? '').trim() === '')) {
        break;
      }
      headers = line.includes('=') ? rows.length : headers;
      isNew = true;
      continue;
    }
    const cells = columns.map((from, index) =>
      cellOf(line.slice(from, columns[index + 1] ?? line.length).replace(isGrid ? /\|\s*$/ : '', ''), from),
    );
    if (isNew || (!isGrid && cells[0]?.text !== '')) {
      rows.push({ line: at + 1, cells });
    } else {
      append(rows.at(-1)?.cells ?? [], cells);
    }
    isNew = false;
  }
  add(page, rows, Math.min(headers, 1));
  return isGrid ? at - 1 : at;
}
