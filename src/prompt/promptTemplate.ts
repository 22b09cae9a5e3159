/** Variables that expand to a block of context, on separate lines. */
const CONTEXT_VARIABLES = ['selection', 'symbol', 'changes'] as const;

/** Variables that expand to a word or two within a line. */
const VALUE_VARIABLES = ['file', 'relativeFile', 'branch'] as const;

export type ContextVariable = (typeof CONTEXT_VARIABLES)[number];
export type ValueVariable = (typeof VALUE_VARIABLES)[number];

/** All variables, in completion order. */
export const VARIABLES = [...CONTEXT_VARIABLES, ...VALUE_VARIABLES, 'input', 'pick'] as const;
export type VariableName = (typeof VARIABLES)[number];

/** Input from the user: a placeholder with a question, or a choice. */
export type Question =
  | { readonly kind: 'input'; readonly question: string }
  | { readonly kind: 'pick'; readonly choices: readonly string[] };

type Variable =
  | { readonly kind: 'context'; readonly name: ContextVariable }
  | { readonly kind: 'value'; readonly name: ValueVariable }
  | Question;

export type TemplatePiece = { readonly kind: 'text'; readonly text: string } | Variable;

/**
 * Splits a template into text and variables. As in VS Code snippets, a backslash before `${` makes it plain text, and
 * two backslashes there stand for one; anywhere else, as in paths and code, a backslash is literal. Within the braces,
 * a backslash escapes `}`, `|`, `$` and itself. A variable ends on the line where it starts; unknown variables stay in
 * the text.
 */
export function parseTemplate(source: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let text = '';
  let at = 0;
  const endText = (): void => {
    if (text !== '') {
      pieces.push({ kind: 'text', text });
    }
    text = '';
  };
  for (let start = source.indexOf('${'); start !== -1; start = source.indexOf('${', at)) {
    const slashes = backslashesBefore(source, start, at);
    text += source.slice(at, start - slashes) + '\\'.repeat(Math.floor(slashes / 2));
    at = start + 2;
    const found = slashes % 2 === 1 ? undefined : readVariable(source, start);
    if (found === undefined) {
      text += '${';
    } else {
      endText();
      pieces.push(found.variable);
      at = found.end;
    }
  }
  text += source.slice(at);
  endText();
  return pieces;
}

/** Escapes a text so that parsing it as a template yields exactly that text. */
export function escapeTemplate(text: string): string {
  const parts = text.split('${');
  return parts
    .map((part, at) => (at + 1 < parts.length ? part + '\\'.repeat(backslashesBefore(part, part.length)) : part))
    .join('\\${');
}

/** Number of backslashes right before a position. */
export function backslashesBefore(text: string, at: number, from = 0): number {
  let first = at;
  while (first > from && text[first - 1] === '\\') {
    first--;
  }
  return at - first;
}

function readVariable(source: string, start: number): { variable: Variable; end: number } | undefined {
  const body = /(?:\\[\\}|$]|(?!\$\{)[^}\r\n])*/y;
  body.lastIndex = start + 2;
  const inside = body.exec(source)?.[0] ?? '';
  const close = start + 2 + inside.length;
  const colon = inside.indexOf(':');
  const variable = colon === -1 ? plainVariable(inside) : questionOf(inside.slice(0, colon), inside.slice(colon + 1));
  return variable === undefined || source[close] !== '}' ? undefined : { variable, end: close + 1 };
}

function plainVariable(name: string): Variable | undefined {
  const context = CONTEXT_VARIABLES.find((each) => each === name);
  const value = VALUE_VARIABLES.find((each) => each === name);
  return context !== undefined
    ? { kind: 'context', name: context }
    : value !== undefined
      ? { kind: 'value', name: value }
      : undefined;
}

function questionOf(name: string, argument: string): Question | undefined {
  const question = unescape(argument).trim();
  if (name === 'input' && question !== '') {
    return { kind: 'input', question };
  }
  const choices = new Set<string>();
  for (const part of argument.match(/(?:\\[\\}|$]|[^|])+/g) ?? []) {
    choices.add(unescape(part).trim());
  }
  choices.delete('');
  return name === 'pick' && choices.size > 1 ? { kind: 'pick', choices: [...choices] } : undefined;
}

function unescape(text: string): string {
  return text.replace(/\\([\\}|$])/g, '$1');
}

/** The values of the variables. Missing values expand to nothing. */
export interface TemplateValues {
  values: Partial<Record<ValueVariable, string>>;
  /** Context as Markdown, inserted on separate lines. */
  contexts: Partial<Record<ContextVariable, string>>;
}

/**
 * Expands the variables of a template into texts and the questions left for the user. Values are literal text and never
 * expanded again. A context may be long, so it is inserted only once: a further mention refers to it.
 */
export function fillTemplate(
  pieces: readonly TemplatePiece[],
  { values, contexts }: TemplateValues,
): (string | Question)[] {
  const parts: (string | Question)[] = [];
  const inserted = new Set<ContextVariable>();
  let afterContext = false;
  const add = (text: string): void => {
    const last = parts.at(-1);
    if (typeof last === 'string') {
      parts[parts.length - 1] = last + text;
    } else if (text !== '') {
      parts.push(text);
    }
  };
  /** A blank line separates a block from the text before it. */
  const beginBlock = (): void => {
    const last = parts.at(-1);
    if (typeof last === 'string') {
      parts[parts.length - 1] = last.trimEnd();
    }
    if (parts.some((part) => part !== '')) {
      add('\n\n');
    }
  };
  for (const piece of pieces) {
    if (piece.kind === 'context' && !inserted.has(piece.name)) {
      beginBlock();
      add(contexts[piece.name] ?? '');
      inserted.add(piece.name);
      afterContext = true;
      continue;
    }
    const text = textOf(piece, values);
    if (afterContext && text?.trim() !== '') {
      beginBlock();
      afterContext = false;
      add(withoutLead(text ?? ''));
    } else {
      add(text ?? '');
    }
    if (piece.kind === 'input' || piece.kind === 'pick') {
      parts.push(piece);
    }
  }
  return trimmed(parts);
}

/** Undefined for a question. */
function textOf(piece: TemplatePiece, values: TemplateValues['values']): string | undefined {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'value':
      return values[piece.name] ?? '';
    case 'context':
      return `the ${piece.name} above`;
    default:
      return undefined;
  }
}

/** Text after a block on the same line starts a new line; a line's indentation is kept. */
function withoutLead(text: string): string {
  return text.replace(/^[^\S\n]*(?:\n[^\S\n]*(?=\n))*\n|^[^\S\n]+/, '');
}

function trimmed(parts: readonly (string | Question)[]): (string | Question)[] {
  return parts
    .map((part, at) => {
      const start = typeof part === 'string' && at === 0 ? part.trimStart() : part;
      return typeof start === 'string' && at === parts.length - 1 ? start.trimEnd() : start;
    })
    .filter((part) => part !== '');
}

/** Device names, which Windows reserves with any extension (Microsoft, “Naming Files, Paths, and Namespaces”). */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/;

/** In UTF-16 code units: of a longer name, only the beginning is used for the name of its file. */
const MAX_FILE_NAME_SOURCE = 1_000;

/**
 * “Document an endpoint” → `document-an-endpoint.md`: letters and digits only, which every file system accepts.
 * Undefined when the name has neither.
 */
export function templateFileName(name: string): string | undefined {
  const words =
    name
      .slice(0, MAX_FILE_NAME_SOURCE)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const short = Array.from(words.join('-')).slice(0, 60).join('').replace(/-$/, '');
  return short === '' ? undefined : `${DEVICE.test(short) ? `${short}-template` : short}.md`;
}

/** Parses the setting: an object from names to a text or a list of lines; `null` hides the template of that name. */
export function readSettingTemplates(value: unknown): {
  templates: readonly { name: string; text: string }[];
  /** Names of entries that are neither a text nor lines of text. */
  unreadable: readonly string[];
} {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const read = entries.filter(([, held]) => held !== null).map(([name, held]) => ({ name, text: linesOf(held) }));
  return {
    templates: read.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }])),
    unreadable: read.filter(({ text }) => text === undefined).map(({ name }) => name),
  };
}

function linesOf(held: unknown): string | undefined {
  const lines: unknown[] = Array.isArray(held) ? held : [held];
  const isText = lines.every((line) => typeof line === 'string');
  return isText && lines.join('').trim() !== '' ? lines.join('\n') : undefined;
}
