import { type ClassifiedName, classify } from './names';
import { namesInBlocks } from './blockNames';
import type { CodeSpan, Page } from './pages/page';
import { isGenerated, pastLines, pastSentences, readPage } from './pages/readPage';
import { pageFormat } from './paths';
import type { CheckLimits, CoverageCounter } from './ports';

/** A name on a page. */
export interface NameOnPage {
  name: ClassifiedName;
  /** Code font, a block of code, or a place that documents something with this name. */
  source: 'span' | 'block' | 'definition';
  path: string;
  line: number;
  column: number;
  endColumn: number;
}

/** The text of a page; undefined when it isn't UTF-8 or is too long, which is counted. */
export function pageText(
  bytes: Uint8Array,
  counter: CoverageCounter,
  limits: Pick<CheckLimits, 'pageBytes'>,
): string | undefined {
  if (bytes.byteLength > limits.pageBytes) {
    counter.skip('size');
    return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    counter.skip('not-utf8');
    return undefined;
  }
}

/** The names on a page, without those that its own examples declare or that it says are gone. */
export function namesOnPage(text: string, path: string, isIgnored: (name: string) => boolean): NameOnPage[] {
  const format = pageFormat(path);
  if (format === undefined || isGenerated(text)) {
    return [];
  }
  return namesOf(readPage(text, format), path, isIgnored);
}

export function namesOf(page: Page, path: string, isIgnored: (name: string) => boolean): NameOnPage[] {
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  const declared = declaredInExamples(page.lines);
  const isKey = keyCells(page);
  return page.spans
    .filter((span) => !isPast(span.line) && !isOfThePast(span))
    .flatMap((span) => namesInSpan(page, isKey(span) ? { role: 'key', ...span } : span, path))
    .filter(({ name: { kind, groups } }) => {
      return (kind !== 'identifier' && kind !== 'keyPath') || !declared.has(groups.at(-1)?.[0] ?? '');
    })
    .concat(namesInBlocks(page, path, declared).filter(({ line }) => !isPast(line)))
    .filter(({ name }) => !isIgnored(name.name));
}

function namesInSpan(page: Page, span: CodeSpan, path: string): NameOnPage[] {
  const source = span.isDefinition === true ? 'definition' : 'span';
  return classify(span.text).map((name) => {
    const { line, column } = placeOf(page, span, name);
    const role =
      name.role === 'any' || name.kind === 'identifier' || name.kind === 'keyPath'
        ? (span.role ?? name.role)
        : name.role;
    return { name: { ...name, role }, source, path, line, column, endColumn: column + name.name.length };
  });
}

/** Maximum number of lines that a code span is read over. */
const MAX_SPAN_LINES = 5;

/** Where the page has the name: markup, or the end of a line, may come before it in the code span. */
function placeOf(
  { lines }: Page,
  { line, column }: CodeSpan,
  { name, offset }: ClassifiedName,
): { line: number; column: number } {
  for (let at = line, from = column - 1; at < line + MAX_SPAN_LINES; at++, from = 0) {
    const text = lines[at - 1] ?? '';
    const found = text.startsWith(name, from + offset) && from > 0 ? from + offset : text.indexOf(name, from);
    if (found !== -1) {
      return { line: at, column: found + 1 };
    }
  }
  return { line, column };
}

/** The heading of a column with names of settings. */
const KEY_COLUMN =
  /^[\W_]*(?:(?:config(?:uration)?|env(?:ironment)?|cli|prop) )?(?:option|setting|key|param(?:eter)?|field|property|name|arg(?:ument)?|attribute|variable)s?\b/i;

/** Returns whether a span is in the first cell of a row of a table that lists settings. */
function keyCells({ tables }: Page): (span: CodeSpan) => boolean {
  const cells = new Map<number, { from: number; to: number }>();
  for (const { header, rows } of tables) {
    for (const {
      line,
      cells: [first, second],
    } of KEY_COLUMN.test(header[0] ?? '') ? rows : []) {
      if (first !== undefined) {
        cells.set(line, { from: first.column, to: second?.column ?? Infinity });
      }
    }
  }
  return ({ line, column }) => {
    const cell = cells.get(line);
    return cell !== undefined && column >= cell.from && column < cell.to;
  };
}

/**
 * A declaration, and the parameters of a function. Types other than classes are left out: examples also show those of
 * the real interface.
 */
const DECLARATION =
  /(?<![\w.])(?:class|(def|function\*?|func|fn|fun)|const|let|var|val)[ \t]{1,9}([A-Za-z_]\w{2,99})(?:\(([^()]{0,300})\))?/g;
const PARAMETER = /^[ \t]{0,9}[*&]{0,2}([A-Za-z_]\w{2,99})[ \t]{0,9}(?:[:=?]|$)/;

const METHOD = /^[ \t]{0,9}(?:&(?:mut[ ])?|mut[ ])?(?:self|cls)\b/;

/**
 * The names that examples on a page declare themselves, in any markup. Methods don't count: they often implement what
 * the code calls.
 */
export function declaredInExamples(lines: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const line of lines) {
    // A line with a backtick is prose, or begins a block.
    for (const [, isFunction, name = '', parameters = ''] of line.includes('`') ? [] : line.matchAll(DECLARATION)) {
      if (!METHOD.test(parameters)) {
        names.add(name);
        for (const parameter of isFunction === undefined ? [] : parameters.split(',')) {
          names.add(PARAMETER.exec(parameter)?.[1] ?? '');
        }
      }
    }
  }
  return names;
}

const DEFINITION =
  /\b(?:class|def|function|func|fn|const|let|var|val|type|interface|struct|enum|trait|record|module)[ \t]{1,9}([A-Za-z_]\w{2,99})|^[ \t]{0,99}([a-z_]\w{2,99})[ \t]{0,9}:?=[^=]/gm;

/** The names that the code blocks of a page define: with a keyword, including types, or by assigning a value. */
export function definedInExamples({ blocks }: Pick<Page, 'blocks'>): Set<string> {
  const names = new Set<string>();
  for (const { text } of blocks) {
    for (const [, byKeyword, byValue] of text.matchAll(DEFINITION)) {
      names.add(byKeyword ?? byValue ?? '');
    }
  }
  return names;
}
