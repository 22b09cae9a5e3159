import { FAILSAFE_SCHEMA, YAMLException, load } from 'js-yaml';
import { frontMatterRange } from '../frontMatterRange';
import type { TemplateRange } from './parseTemplate';

/** What a template file's header may say. */
export const HEADER_KEYS = ['name', 'description'] as const;

export type HeaderProblemKind =
  /** No `---` ends it. */
  | 'unclosed'
  /** It is no YAML; `detail` is the parser's word. */
  | 'yaml'
  /** It is YAML, and no list of keys with values. */
  | 'shape'
  /** The value of this key is no text. */
  | 'value'
  /** A key that nothing reads. */
  | 'unknownKey'
  /** The file's name stands for it. */
  | 'noName';

/** More keys than a header has; what is wrong with further ones is not told. */
const MOST_KEYS = 100;

export interface HeaderProblem extends TemplateRange {
  readonly kind: HeaderProblemKind;
  /** The key, or the parser's word. */
  readonly detail: string;
}

export interface TemplateFile {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Where the text of the template begins. */
  readonly bodyStart: number;
  readonly problems: readonly HeaderProblem[];
}

/** Reads the header of a template file; what is wrong with it costs no more than what it was to say. */
export function readFrontMatter(source: string): TemplateFile {
  const range = frontMatterRange(source);
  if (range === undefined) {
    return { bodyStart: source.startsWith('\uFEFF') ? 1 : 0, problems: [] };
  }
  const { start, end, bodyStart } = range;
  if (bodyStart === undefined) {
    const problem = { kind: 'unclosed' as const, detail: '', start: 0, end: source.slice(0, start).trimEnd().length };
    return { bodyStart: 0, problems: [problem] };
  }
  return { bodyStart, ...readHeader(source.slice(start, end), start) };
}

function readHeader(header: string, offset: number): Omit<TemplateFile, 'bodyStart'> {
  const whole = { start: offset, end: offset + Math.max(1, header.trimEnd().length) };
  let read: unknown;
  try {
    // All values are texts: a name may be a date or a number.
    read = header.replace(/^[ \t]*#.*$/gm, '').trim() === '' ? {} : load(header, { schema: FAILSAFE_SCHEMA });
  } catch (error) {
    const at = error instanceof YAMLException ? error.mark?.position : undefined;
    const detail = error instanceof YAMLException ? error.reason : String(error);
    const range = at === undefined ? whole : lineAt(header, Math.min(at, header.length), offset);
    return { problems: [{ kind: 'yaml', detail, ...range }] };
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    return { problems: [{ kind: 'shape', detail: '', ...whole }] };
  }
  const fields = new Map(Object.entries(read));
  const places = keyRanges(header, offset);
  const problems = [...fields].slice(0, MOST_KEYS).flatMap(([key, value]): HeaderProblem[] => {
    const known = HEADER_KEYS.some((each) => each === key);
    const kind = !known ? 'unknownKey' : typeof value === 'string' ? undefined : 'value';
    return kind === undefined ? [] : [{ kind, detail: key, ...(places.get(key) ?? whole) }];
  });
  const name = textOf(fields.get('name'));
  if (name === undefined && !problems.some(({ detail }) => detail === 'name')) {
    problems.push({ kind: 'noName', detail: '', start: 0, end: 3 });
  }
  return { name, description: textOf(fields.get('description')), problems };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Where each key stands for the first time. */
function keyRanges(header: string, offset: number): Map<string, TemplateRange> {
  const places = new Map<string, TemplateRange>();
  // The lookahead with its reference takes a key once and never tries a shorter one.
  for (const match of header.matchAll(/^(["']?)(?=([^\s:#"'][^:\n"']*))\2\1[ \t]*:/gm)) {
    const key = match[2]?.trim() ?? '';
    if (!places.has(key)) {
      const start = offset + match.index;
      places.set(key, { start, end: start + match[0].length - 1 });
    }
  }
  return places;
}

function lineAt(header: string, at: number, offset: number): TemplateRange {
  const start = header.lastIndexOf('\n', at - 1) + 1;
  const next = header.indexOf('\n', start);
  const end = next === -1 ? header.length : next;
  return { start: offset + start, end: offset + Math.max(start + 1, end) };
}
