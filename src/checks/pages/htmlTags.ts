import type { Page } from './page';

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
      const column = found.index + whole.indexOf(value) - lineStart + 1;
      page.links.push({ target: value, isImage: name === 'src', line, column, endColumn: column + value.length });
    } else {
      page.ids.push(value);
    }
  }
}
