import { FAILSAFE_SCHEMA, load } from 'js-yaml';

/** The lines between the two `---` lines at the start of a text. */
export interface FrontMatterRange {
  start: number;
  end: number;
  /** Where the body starts; undefined when there is no closing `---`. */
  bodyStart: number | undefined;
}

/** Undefined for a text that does not start with a `---` line. */
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
  /** Values as string, list or map; never parsed further, because a name may look like a date or a number. */
  fields: Readonly<Record<string, unknown>>;
  bodyStart: number;
  /** Why the fields can't be read. */
  problem?: string;
}

/**
 * Parses the front matter of a page or a template. Invalid front matter yields no fields, but the body can still be
 * used.
 */
export function readFrontMatter(text: string): FrontMatter {
  const range = frontMatterRange(text);
  if (range?.bodyStart === undefined) {
    const bodyStart = text.startsWith('\uFEFF') ? 1 : 0;
    return { fields: {}, bodyStart, ...(range === undefined ? {} : { problem: 'no second “---”' }) };
  }
  const { start, end, bodyStart } = range;
  const yaml = text.slice(start, end);
  try {
    // The YAML library rejects input without a value.
    const read = yaml.replace(/^[ \t]*#.*$/gm, '').trim() === '' ? {} : load(yaml, { schema: FAILSAFE_SCHEMA });
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? { fields: { ...read }, bodyStart }
      : { fields: {}, bodyStart, problem: 'no keys with values' };
  } catch (error) {
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    return { fields: {}, bodyStart, problem };
  }
}
