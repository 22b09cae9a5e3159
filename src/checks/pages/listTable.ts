import type { Page, PageTable } from './page';

/** Adds a table of reStructuredText to a page that is a list of lists: the directive in the line with this index. */
export function readListTable(page: Page, start: number, end: number): void {
  const rows: PageTable['rows'] = [];
  let headers = 0;
  for (let at = start + 1; at < end; at++) {
    const line = page.lines[at] ?? '';
    headers = Number(/^\s*:header-rows:\s*(\d)/.exec(line)?.[1] ?? headers);
    const [, before = '', row, text = ''] = /^(\s*(?:(\*)\s+)?-(?:\s|$))(.*)$/.exec(line) ?? [];
    if (row !== undefined) {
      rows.push({ line: at + 1, cells: [] });
    }
    const cells = rows.at(-1)?.cells ?? [];
    if (before !== '') {
      cells.push({ text: text.trim(), column: before.length + text.length - text.trimStart().length + 1 });
    } else {
      const cell = cells.at(-1) ?? { text: '' };
      cell.text = `${cell.text} ${line.trim()}`.trim();
    }
  }
  const header = rows.slice(0, headers)[0]?.cells.map(({ text }) => text) ?? [];
  page.tables.push({ header, rows: rows.slice(headers) });
}
