import { FAILSAFE_SCHEMA, YAMLException, load } from 'js-yaml';
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
  const opening = /^\uFEFF?---[ \t]*(?:\r?\n|$)/.exec(source)?.[0];
  if (opening === undefined) {
    return { bodyStart: source.startsWith('\uFEFF') ? 1 : 0, problems: [] };
  }
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening.length;
  const end = closing.exec(source);
  if (end === null) {
    const problem = { kind: 'unclosed' as const, detail: '', start: 0, end: opening.trimEnd().length };
    return { bodyStart: 0, problems: [problem] };
  }
  const header = source.slice(opening.length, end.index);
  return { bodyStart: end.index + end[0].length, ...readHeader(header, opening.length) };
}

function readHeader(header: string, offset: number): Omit<TemplateFile, 'bodyStart'> {
  const whole = { start: offset, end: offset + Math.max(1, header.trimEnd().length) };
  let read: unknown;
  try {
    // All values are texts: a name may be a date or a number.
    read = header.replace(/^\s*#.*$/gm, '').trim() === '' ? {} : load(header, { schema: FAILSAFE_SCHEMA });
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
  const problems = [...fields].flatMap(([key, value]): HeaderProblem[] => {
    const known = HEADER_KEYS.some((each) => each === key);
    const kind = !known ? 'unknownKey' : typeof value === 'string' ? undefined : 'value';
    return kind === undefined ? [] : [{ kind, detail: key, ...(keyRange(header, key, offset) ?? whole) }];
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

function keyRange(header: string, key: string, offset: number): TemplateRange | undefined {
  const lines = header.matchAll(/^(["']?)([^\s:#"'][^:\n"']*)\1[ \t]*:/gm);
  const found = [...lines].find((match) => match[2]?.trim() === key);
  return found && { start: offset + found.index, end: offset + found.index + found[0].length - 1 };
}

function lineAt(header: string, at: number, offset: number): TemplateRange {
  const start = header.lastIndexOf('\n', at - 1) + 1;
  const next = header.indexOf('\n', start);
  const end = next === -1 ? header.length : next;
  return { start: offset + start, end: offset + Math.max(start + 1, end) };
}
