import { frontMatterRange } from '../frontMatterRange';

export interface Heading {
  /** Counts from 0. */
  line: number;
  /** 1 is the widest. */
  level: number;
  /** As it is written, without its marks. */
  text: string;
}

/** The headings of a page, by the markup that its name tells. */
export function headingsOf(text: string, path: string): Heading[] {
  const lines = linesOf(text);
  if (/\.rst$/i.test(path)) {
    return rstHeadings(lines);
  }
  return /\.adoc$/i.test(path)
    ? asciidocHeadings(lines)
    : markdownHeadings(lines, linesOf(text.slice(0, frontMatterRange(text)?.bodyStart ?? 0)).length - 1);
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The headings that a line stands under, the widest first. */
export function headingsAt(headings: readonly Heading[], line: number): Heading[] {
  const above: Heading[] = [];
  for (const heading of headings.filter((each) => each.line <= line)) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) {
      above.pop();
    }
    above.push(heading);
  }
  return above;
}

/** CommonMark 0.31, sections 4.2, 4.3 and 4.5; front matter and comments apart. */
function markdownHeadings(lines: readonly string[], firstLine: number): Heading[] {
  const found: Heading[] = [];
  let fence: string | undefined;
  for (let line = firstLine; line < lines.length; line++) {
    const here = lines[line] ?? '';
    const [lead = '', mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(here) ?? [];
    const rest = here.slice(lead.length);
    if (fence !== undefined) {
      fence = mark.startsWith(fence) && rest.trim() === '' ? undefined : fence;
      continue;
    }
    if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = mark;
      continue;
    }
    const [start = '', marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(here) ?? [];
    const [, under] = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[line + 1] ?? '') ?? [];
    if (marks !== undefined) {
      found.push({ line, level: marks.length, text: withoutClosing(here.slice(start.length).trim()) });
    } else if (under !== undefined && /^ {0,3}[^\s>#|`~*+-]/.test(here)) {
      found.push({ line, level: under.startsWith('=') ? 1 : 2, text: here.trim() });
      line++;
    }
  }
  return found;
}

/** A heading may end with a run of hashes, which is no part of it. Looks at each character once, from the end. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') {
    end--;
  }
  return end === 0 || /[ \t]/.test(title.charAt(end - 1)) ? title.slice(0, end).trim() : title;
}

function asciidocHeadings(lines: readonly string[]): Heading[] {
  const found: Heading[] = [];
  let block: string | undefined;
  lines.forEach((text, line) => {
    const delimiter = /^(-{4,}|\.{4,}|\/{4,}|\+{4,}|```)/.exec(text.trimEnd())?.[0];
    if (block !== undefined || delimiter !== undefined) {
      block = block === undefined ? delimiter : delimiter === block ? undefined : block;
      return;
    }
    const [, marks, title] = /^(={1,6})[ \t]+(\S.*)$/.exec(text) ?? [];
    if (marks !== undefined && title !== undefined) {
      found.push({ line, level: marks.length, text: title.trim() });
    }
  });
  return found;
}

/** A title has a line of one mark below it, maybe above it too; which mark means which level is told by their order. */
function rstHeadings(lines: readonly string[]): Heading[] {
  const found: Heading[] = [];
  const styles: string[] = [];
  lines.forEach((text, line) => {
    const under = (lines[line + 1] ?? '').trimEnd();
    const title = text.trim();
    if (title === '' || isRule(title) || !isRule(under) || under.length < title.length) {
      return;
    }
    const over = (lines[line - 1] ?? '').trimEnd();
    const style = under.slice(0, 1) + (over === under ? '^' : '');
    if (!styles.includes(style)) {
      styles.push(style);
    }
    found.push({ line, level: styles.indexOf(style) + 1, text: title });
  });
  return found;
}

function isRule(line: string): boolean {
  return /^([!-/:-@[-`{-~])\1{1,}$/.test(line);
}
