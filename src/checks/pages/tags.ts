import type { Page } from './page';

/** Attributes of a tag that make an anchor, are a link, or name what a `ParamField` documents. */
const ATTRIBUTE =
  /\s(id|name|title|label|href|src|to|path|query|body|header)=(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|\{["'`]([^"'`\n]{1,500})["'`]\})/g;
const FIELD = /^<(?:Param|Response)Field\s/;
const CODE = /<code(?:\s[^>\n]{0,200})?>([^<`\n]{1,300})<\/code>/g;
/** Longer than any match of that. */
const MAX_CODE = 600;

/**
 * Adds the links, anchors, and code of tags to a page.
 *
 * @param placeOf returns the line and column of a tag that starts at this offset
 */
export function readTags(
  page: Page,
  source: string,
  tags: readonly { start: number; text: string }[],
  placeOf: (start: number) => { line: number; column: number },
): void {
  for (const { start, text } of tags) {
    readAttributes(page, text, placesIn(text, placeOf(start)));
    const placeIn = placesIn(text, placeOf(start));
    const code = text.startsWith('<code') ? source.slice(start, start + Math.max(MAX_CODE, text.length)) : text;
    for (const { 0: whole, 1: span = '', index } of code.includes('<code') ? code.matchAll(CODE) : []) {
      // The text after a tag isn't read for other tags, which are in the list as well.
      if (index === 0 || index < text.length) {
        const { line, column } = placeIn(index);
        page.spans.push({ text: span, line, column: column + whole.lastIndexOf(span) });
      }
    }
  }
}

/** Returns the places of offsets in a text, which must not decrease. */
function placesIn(
  text: string,
  first: { line: number; column: number },
): (offset: number) => { line: number; column: number } {
  let { line } = first;
  let lineStart = 1 - first.column;
  let seen = 0;
  return (offset) => {
    for (let end = text.indexOf('\n', seen); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
      line++;
      lineStart = end + 1;
      seen = end + 1;
    }
    return { line, column: offset - lineStart + 1 };
  };
}

function readAttributes(page: Page, text: string, placeIn: ReturnType<typeof placesIn>): void {
  const isField = FIELD.test(text);
  for (const found of text.matchAll(ATTRIBUTE)) {
    const [whole, name = '', double, single, braced] = found;
    const value = double ?? single ?? braced ?? '';
    const isLink = name === 'href' || name === 'src' || name === 'to';
    const isName = /^(?:name|path|query|body|header)$/.test(name);
    if (isLink || (isField && isName)) {
      const { line, column } = placeIn(found.index + whole.indexOf(value));
      if (isLink) {
        page.links.push({
          target: value,
          kind: name === 'src' ? 'image' : 'link',
          line,
          column,
          endColumn: column + value.length,
        });
      } else {
        page.spans.push({ text: value, line, column, role: 'key', isDefinition: true });
      }
    } else if (!isName || name === 'name') {
      page.ids.push(value);
    }
  }
}
