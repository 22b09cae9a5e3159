import { FAILSAFE_SCHEMA, load } from 'js-yaml';

/** The lines between the two of `---` at the beginning of a text. */
export interface FrontMatterRange {
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

export interface FrontMatter {
  /** Each value as text, list or map: a name may look like a date or a number. */
  fields: Readonly<Record<string, unknown>>;
  bodyStart: number;
  /** Why the fields cannot be read. */
  problem?: string;
}

/** Reads the front matter of a page or a template. A broken one has no fields; the text below it can be used all the same. */
export function readFrontMatter(text: string): FrontMatter {
  const range = frontMatterRange(text);
  if (range?.bodyStart === undefined) {
    const bodyStart = text.startsWith('\uFEFF') ? 1 : 0;
    return { fields: {}, bodyStart, ...(range === undefined ? {} : { problem: 'no second “---”' }) };
  }
  const { start, end, bodyStart } = range;
  const yaml = text.slice(start, end);
  try {
    // The library takes a text without a value for an error.
    const read = yaml.replace(/^[ \t]*#.*$/gm, '').trim() === '' ? {} : load(yaml, { schema: FAILSAFE_SCHEMA });
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? { fields: { ...read }, bodyStart }
      : { fields: {}, bodyStart, problem: 'no keys with values' };
  } catch (error) {
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    return { fields: {}, bodyStart, problem };
  }
}
