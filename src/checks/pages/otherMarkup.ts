import { newPage, type Page, plainLineEnds } from './page';

/** Reads the code spans and headings of AsciiDoc. */
export function readAsciiDoc(source: string): Page {
  const page = newPage('asciidoc', plainLineEnds(source).split('\n'));
  let block: string | undefined;
  for (const [index, line] of page.lines.entries()) {
    const delimiter = /^(?:-{4,}|\.{4,}|\/{4,}|\+{4,}|`{3,})/.exec(line)?.[0];
    const heading = /^(={1,6})[ \t]+(\S.{0,500})$/.exec(line);
    if (block !== undefined) {
      block = delimiter === block && line.trim() === block ? undefined : block;
    } else if (delimiter !== undefined) {
      block = delimiter;
    } else if (heading !== null) {
      page.headings.push({ line: index + 1, level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
    } else if (!/^(?:\/\/|[ \t]+\S|:[\w-]+:)/.test(line)) {
      addSpans(page, line, index + 1, /(`{1,2})\+?([^`\n]{1,300}?)\+?\1/g, 2);
    }
  }
  return page;
}

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
    if (
      /^\s*\.\.[ ](?:code|code-block|sourcecode|parsed-literal|literalinclude|highlight|math|raw|productionlist)::/.test(
        line,
      )
    ) {
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
    addSpans(page, line, index + 1, /(``)([^`\n]{1,300})``/g, 2);
    addSpans(
      page,
      line,
      index + 1,
      /(:(?:func|meth|class|attr|mod|data|obj|exc|const|envvar|option|file|c:func|cpp:func|py:\w{1,9})):`[~!]?([^`<\n]{1,300})`/g,
      2,
    );
    if (line.endsWith('::')) {
      literal = indent;
    }
  }
  return page;
}

function addSpans(page: Page, line: string, number: number, pattern: RegExp, group: number): void {
  if (!line.includes('`')) {
    return;
  }
  for (const found of line.matchAll(pattern)) {
    const text = found[group] ?? '';
    const column = found.index + found[0].indexOf(text, found[1]?.length ?? 0) + 1;
    page.spans.push({ text, line: number, column });
  }
}
