import { MAX_JSON_DEPTH, MAX_JSON_PARTS, MAX_JSON_WITH_PROTOTYPE } from './limits';

/** A member named `__proto__`, in whose name any character may be written as an escape. */
const PROTOTYPE =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/**
 * Returns the decoded value, or undefined if the text is not JSON, is nested too deeply, or has too many values. A
 * member named `__proto__` is dropped: copying the value would otherwise change the copy's prototype. That takes much
 * longer than decoding, so a long text with such a member is not decoded at all.
 *
 * @param maxParts the maximum number of brackets and commas outside of strings
 */
export function decodeJson(text: string, maxParts = MAX_JSON_PARTS): unknown {
  const isNamed = PROTOTYPE.test(text);
  if ((isNamed && text.length > MAX_JSON_WITH_PROTOTYPE) || isTooLarge(text, maxParts)) {
    return undefined;
  }
  try {
    return isNamed ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutPrototype(name: string, value: unknown): unknown {
  return name === '__proto__' ? undefined : value;
}

/** Counts only outside of strings, and only if the text has enough brackets and commas at all. */
function isTooLarge(text: string, maxParts: number): boolean {
  if (!hasMore(text, ['[', '{'], MAX_JSON_DEPTH) && !hasManyParts(text, maxParts)) {
    return false;
  }
  let [depth, parts] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') {
      at = endOfString(text, at);
    } else if (mark === '[' || mark === '{') {
      depth++;
      parts++;
    } else if (mark === ']' || mark === '}') {
      depth--;
    } else if (mark === ',') {
      parts++;
    }
    if (depth > MAX_JSON_DEPTH || parts > maxParts) {
      return true;
    }
  }
  return false;
}

/** Whether a text has more than `most` brackets and commas, so that it may consist of that many values. */
export function hasManyParts(text: string, most: number): boolean {
  return hasMore(text, ['[', '{', ','], most);
}

/** Uses indexOf, because checking each character takes longer than parsing a short text. */
function hasMore(text: string, marks: readonly string[], most: number): boolean {
  let count = 0;
  for (const mark of marks) {
    for (let at = text.indexOf(mark); at !== -1 && count <= most; at = text.indexOf(mark, at + 1)) {
      count++;
    }
  }
  return count > most;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}
