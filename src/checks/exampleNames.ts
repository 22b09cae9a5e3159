import type { Page } from './pages/page';

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
