import { addLink } from './lines';
import type { LineMap, Page } from './page';

/** Attributes of a tag that make an anchor, are a link, or name what a `ParamField` documents. */
const ATTRIBUTE =
  /\s(id|name|title|label|href|src|to|path|query|body|header)=(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|\{["'`]([^"'`\n]{1,500})["'`]\})/g;
const FIELD = /^<(?:Param|Response)Field\s/;
const CODE = /<code(?:\s[^>\n]{0,200})?>([^<`\n]{1,300})<\/code>/g;
/** Longer than any match of that. */
const MAX_CODE = 600;

/** Adds the links, anchors, and code of a tag, or of a block of HTML, that starts at an offset in the text. */
export function readTag(page: Page, text: string, start: number, tag: string, lines: LineMap): void {
  const isField = FIELD.test(tag);
  for (const { 0: whole, 1: name = '', 2: double, 3: single, 4: braced, index } of tag.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? braced ?? '';
    const { line, column } = lines.place(start + index + whole.indexOf(value));
    if (/^(?:href|src|to)$/.test(name)) {
      addLink(page, name === 'src' ? 'image' : 'link', value, line, column);
    } else if (isField && /^(?:name|path|query|body|header)$/.test(name)) {
      page.spans.push({ text: value, line, column, role: 'key', isDefinition: true });
    } else if (/^(?:id|name|title|label)$/.test(name)) {
      page.ids.push(value);
    }
  }
  const code = tag.startsWith('<code') ? text.slice(start, start + Math.max(MAX_CODE, tag.length)) : tag;
  for (const { 0: whole, 1: span = '', index } of code.includes('<code') ? code.matchAll(CODE) : []) {
    // The text after a tag isn't read for other tags, which are read on their own.
    if (index === 0 || index < tag.length) {
      page.spans.push({ text: span, ...lines.place(start + index + whole.lastIndexOf(span)) });
    }
  }
}
