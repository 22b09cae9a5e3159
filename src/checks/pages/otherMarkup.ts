import { newPage, type Page, plainLineEnds } from './page';

/** Code between one or two backticks. Next to quotation marks, backticks are part of the quotation marks. */
const MONOSPACE = /(?<![\w"'`\\])`(?!\s)\+?([^`\n]{1,300}?)\+?(?<!\s)`(?![\w`])|``\+?([^`\n]{1,300}?)\+?``/g;

/** An indented paragraph is code. Items of lists may be indented as well. */
const LITERAL_LINE = /^[ \t]+(?![ \t]|[-*.]{1,5}[ \t]|\d{1,3}\.[ \t])/;

/** Reads the code spans and headings of AsciiDoc. */
export function readAsciiDoc(source: string): Page {
  const page = newPage('asciidoc', plainLineEnds(source).split('\n'));
  let block: string | undefined;
  let wasLiteral = false;
  for (const [index, line] of page.lines.entries()) {
    const isBegun = (page.lines[index - 1] ?? '').trim() === '';
    wasLiteral = (wasLiteral && !isBegun && /^[ \t]/.test(line)) || (isBegun && LITERAL_LINE.test(line));
    const delimiter = /^(?:-{4,}|\.{4,}|\/{4,}|\+{4,}|`{3,})/.exec(line)?.[0];
    const heading = /^(={1,6})[ \t]+(\S.{0,500})$/.exec(line);
    if (block !== undefined) {
      block = delimiter === block && line.trim() === block ? undefined : block;
    } else if (delimiter !== undefined) {
      block = delimiter;
    } else if (heading !== null) {
      page.headings.push({ line: index + 1, level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
    } else if (!/^(?:\/\/|:[\w-]+:)/.test(line) && !wasLiteral) {
      addSpans(page, line, index + 1, MONOSPACE);
    }
  }
  return page;
}

/** Directives whose indented text is code, or is about what has changed. */
const NO_TEXT =
  /^\s*\.\.[ ](?:code|code-block|sourcecode|parsed-literal|literalinclude|highlight|testcode|testsetup|testoutput|doctest|prompt|math|raw|productionlist|deprecated|deprecated-removed|versionchanged|versionremoved)::/;
const DOUBLE_BACKTICKS = /``([^`\n]{1,300})``/g;
/** A role that names code, with or without a domain (`:py:func:`), and with or without a text before the name. */
const ROLE =
  /:(?:[a-z]{1,9}:)?(?:func|function|meth|class|attr|mod|data|obj|exc|const|type|struct|enum|member|macro|var|code|envvar|option|file|setting|confval):`(?:[^`<\n]{1,200}<)?[~!]?([^`<>\n]{1,300})>?`/g;

/** Reads the code spans and headings of reStructuredText: literals, and roles that name code. */
export function readRestructuredText(source: string): Page {
  const page = newPage('restructuredText', plainLineEnds(source).split('\n'));
  const levels: string[] = [];
  /** The indentation of the paragraph or directive whose indented text is code. */
  let literal: number | undefined;
  for (const [index, line] of page.lines.entries()) {
    const indent = line.length - line.trimStart().length;
    if (line.trim() === '') {
      continue;
    }
    if (literal !== undefined && indent > literal) {
      continue;
    }
    literal = undefined;
    if (NO_TEXT.test(line)) {
      literal = indent;
      continue;
    }
    const underline = page.lines[index + 1] ?? '';
    if (/^([=\-~^"'`#*+.:_])\1{2,}\s*$/.test(underline) && underline.trimEnd().length >= line.trim().length) {
      const mark = underline[0] ?? '';
      const level = levels.includes(mark) ? levels.indexOf(mark) : levels.push(mark) - 1;
      page.headings.push({ line: index + 1, level: level + 1, text: line.trim() });
      continue;
    }
    addSpans(page, line, index + 1, DOUBLE_BACKTICKS);
    addSpans(page, line, index + 1, ROLE);
    if (line.endsWith('::') && !/^\s*\.\.\s/.test(line)) {
      literal = indent;
    }
  }
  return page;
}

function addSpans(page: Page, line: string, number: number, pattern: RegExp): void {
  if (!line.includes('`')) {
    return;
  }
  for (const { 0: whole, 1: one, 2: other, index } of line.matchAll(pattern)) {
    const text = one ?? other ?? '';
    page.spans.push({ text, line: number, column: index + whole.lastIndexOf(text) + 1 });
  }
}
