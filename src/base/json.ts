/** The deepest nesting of lists and objects that is read. No answer and no record of ours comes near it. */
const MAX_DEPTH = 64;

/**
 * Returns the decoded value, or undefined for what is no JSON or nested too deep. A member named `__proto__` is left out:
 * whoever copies the value would give the copy another prototype.
 */
export function decodeJson(text: string): unknown {
  if (isTooDeep(text)) {
    return undefined;
  }
  try {
    // The name may be written with escapes, which only the parser reads; without either the slower way is not needed.
    const named = text.includes('__proto__') || text.includes('\\u');
    return named ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutPrototype(name: string, value: unknown): unknown {
  return name === '__proto__' ? undefined : value;
}

/** Looks at brackets outside of strings only, and at these only where the text has enough of any. */
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

/** Told without a look at each character, which takes longer than to read a short text. */
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
