import type { CoverageCounter, CheckLimits } from './checkOptions';
import { declaredInExamples } from './exampleNames';
import { type ClassifiedName, classify } from './names';
import { isGenerated, pastLines, pastSentences, readPage } from './pages/readPage';
import type { CodeSpan, Page } from './pages/page';
import { pageFormat } from './paths';

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
