/** A text that stands in JSON as a value. */
export interface JsonString {
  /** The names it is found by, from the outside; undefined for a place in a list. */
  readonly path: readonly (string | undefined)[];
  /** Where it is written, from quote to quote. */
  readonly offset: number;
  readonly length: number;
}

/** What tells the structure of JSON with comments. A text ends with its line at the latest. */
const TOKENS = /"(?:[^"\\\r\n]|\\[^\r\n])*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)|[[\]{},:]/g;

interface Level {
  isList: boolean;
  /** Of the value that stands here or comes next, in an object. */
  name?: string | undefined;
  isValue: boolean;
}

/**
 * The texts in JSON with comments, as editors write settings: what is being typed, and what is left out or too much, costs no
 * more than itself. The libraries that read such files are eight times as large as what is needed here.
 */
export function* jsonStrings(source: string): Generator<JsonString> {
  const levels: Level[] = [];
  for (const { 0: token, index: offset } of source.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      levels.push({ isList: token === '[', isValue: token === '[' });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (level === undefined) {
      continue;
    } else if (token === ',') {
      level.isValue = level.isList;
    } else if (token === ':') {
      level.isValue = true;
    } else if (token.startsWith('"')) {
      if (level.isValue) {
        yield { path: levels.map(({ name }) => name), offset, length: token.length };
      } else {
        level.name = nameIn(token);
      }
    }
  }
}

function nameIn(token: string): string | undefined {
  try {
    return String(JSON.parse(token));
  } catch {
    return undefined;
  }
}
