import type { NameRole } from '../names';
import { LineMap, type Page } from './page';

/** What of a match is code: its second group, or its first. With a function, only if it has a role. */
export type SpanPattern = readonly [pattern: RegExp, roleOf?: (match: RegExpMatchArray) => NameRole | undefined];

/**
 * Adds the code in a paragraph to a page.
 *
 * @param from the index of its first line
 * @param to the index after its last line
 */
export function addSpans(page: Page, from: number, to: number, patterns: readonly SpanPattern[]): void {
  const lines = page.lines.slice(from, to);
  const text = lines.join('\n');
  const places = new LineMap(lines);
  for (const [pattern, roleOf] of text.includes('`') ? patterns : []) {
    for (const match of text.matchAll(pattern)) {
      const code = match[2] ?? match[1] ?? '';
      const { line, column } = places.place(match.index + match[0].lastIndexOf(code));
      const role = roleOf?.(match);
      if (roleOf === undefined || role !== undefined) {
        const span = { text: code.split(/\n[ \t]*/).join(' '), line: from + line, column };
        page.spans.push(role === undefined ? span : { ...span, role });
      }
    }
  }
}

/** Adds some lines of a page as a block of code, without the indentation that all have. */
export function addBlock(page: Page, language: string, from: number, to: number): void {
  const lines = page.lines.slice(from, to);
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = indents.reduce((least, each) => Math.min(least, each), Infinity);
  if (indents.length > 0) {
    const text = lines.map((line) => `${line.slice(indent)}\n`).join('');
    page.blocks.push({
      language: language.toLowerCase(),
      text,
      line: from + 1,
      column: indent + 1,
    });
  }
}

/** Adds a link on one line to a page. */
export function addLink(
  page: Page,
  kind: Page['links'][number]['kind'],
  target: string,
  line: number,
  column: number,
  length = target.length,
): void {
  page.links.push({ kind, target, line, column, endColumn: column + length });
}
