/** The maximum nesting of arrays and objects that is parsed. No answer and no record of ours comes near it. */
const MAX_DEPTH = 64;

/**
 * Returns the decoded value, or undefined if the text is not JSON or is nested too deeply. A member named `__proto__`
 * is dropped: copying the value would otherwise change the copy's prototype.
 */
export function decodeJson(text: string): unknown {
  if (isTooDeep(text)) {
    return undefined;
  }
  try {
    // The name may be written with escapes, which only the parser decodes. Without either, the slower path is not
    // needed.
    const named = text.includes('__proto__') || text.includes('\\u');
    return named ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutPrototype(name: string, value: unknown): unknown {
  return name === '__proto__' ? undefined : value;
}

/** Counts only brackets outside of strings, and only if the text has enough brackets at all. */
function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) {
    return false;
  }
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') {
      at = endOfString(text, at);
    } else if (mark === '[' || mark === '{') {
      depth++;
    } else if (mark === ']' || mark === '}') {
      depth--;
    }
    if (depth > MAX_DEPTH) {
      return true;
    }
  }
  return false;
}

/** Uses indexOf, because checking each character takes longer than parsing a short text. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const mark of ['[', '{']) {
    for (let at = text.indexOf(mark); at !== -1 && count <= MAX_DEPTH; at = text.indexOf(mark, at + 1)) {
      count++;
    }
  }
  return count > MAX_DEPTH;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}
