/** Where the front matter of a text stands: the lines between the two of `---`, and the text below them. */
export interface FrontMatterRange {
  /** Of the lines between. */
  start: number;
  end: number;
  /** Where the text goes on; undefined when no second `---` ends the front matter. */
  bodyStart: number | undefined;
}

/** Undefined for a text that does not begin with a line of `---`. */
export function frontMatterRange(text: string): FrontMatterRange | undefined {
  const start = /^\uFEFF?---[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length;
  if (start === undefined) {
    return undefined;
  }
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = start;
  const end = closing.exec(text);
  return end === null
    ? { start, end: text.length, bodyStart: undefined }
    : { start, end: end.index, bodyStart: end.index + end[0].length };
}
