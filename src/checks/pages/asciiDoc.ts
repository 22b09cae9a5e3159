import { addBlock, addLink, addSpans, type SpanPattern } from './lines';
import { newPage, type Page, plainLineEnds } from './page';

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
const NO_TEXT = /^(?:\/\/|\|={3,}\s*$|:[\w!-]+:|\[.*\]$|\+$|$)/;
const LINK =
  /(?<!\\)(?:\b(xref|link|image|include)::?|(<<))([^\s[\]<>,`"]{1,300}?)(?:\[([^\]\n]{0,200})\]|,[^>\n]{0,200}>>|>>)/g;

/** Reads AsciiDoc: code, headings, and links. */
export function readAsciiDoc(source: string): Page {
  const page = newPage('asciidoc', plainLineEnds(source).split('\n'));
  const { lines } = page;
  let language: string | undefined;
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
      addLink(page, kind, target, index + 1, column, shown.length);
    }
  }
}
