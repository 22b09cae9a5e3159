import { type ClassifiedName, classify } from './names';
import type { CodeSpan, Page } from './pages/page';
import { isGenerated, pastLines, pastSentences, readPage } from './pages/readPage';
import { pageFormat } from './paths';
import type { CheckLimits, CoverageCounter } from './ports';

/** A name on a page. */
export interface NameOnPage {
  name: ClassifiedName;
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
  if (format === undefined || !text.includes('`') || isGenerated(text)) {
    return [];
  }
  return namesOf(readPage(text, format, { onlyCode: true }), path, isIgnored);
}

export function namesOf(page: Page, path: string, isIgnored: (name: string) => boolean): NameOnPage[] {
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  const declared = declaredInExamples(page.lines);
  return page.spans
    .filter((span) => !isPast(span.line) && !isOfThePast(span))
    .flatMap((span) => namesInSpan(span, path))
    .filter(({ name }) => !isIgnored(name.name) && !isExample(name, declared));
}

/** Whether a name belongs to one of the page's own examples. */
function isExample({ kind, groups }: ClassifiedName, declared: ReadonlySet<string>): boolean {
  return (kind === 'identifier' || kind === 'keyPath') && declared.has(groups.at(-1)?.[0] ?? '');
}

function namesInSpan(span: CodeSpan, path: string): NameOnPage[] {
  return classify(span.text).map((name) => {
    const column = span.column + name.offset;
    return { name, path, line: span.line, column, endColumn: column + name.name.length };
  });
}

/**
 * A declaration, and the parameters of a function. Types other than classes are left out: examples also show those of
 * the real interface.
 */
const DECLARATION =
  /(?<![\w.])(?:class|(def|function\*?|func|fn|fun)|const|let|var|val)[ \t]{1,9}([A-Za-z_]\w{2,99})(?:\(([^()]{0,300})\))?/g;
/** No shorter line declares anything. In characters. */
const SHORTEST = 'fn abc'.length;

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
    const isSearched = line.length >= SHORTEST && !line.includes('`');
    for (const [, isFunction, name = '', parameters = ''] of isSearched ? line.matchAll(DECLARATION) : []) {
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
