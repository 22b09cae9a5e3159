import {
  type ContextVariable,
  type ValueVariable,
  isAskingVariable,
  isContextVariable,
  isValueVariable,
} from './variables';

export type Variable =
  | { readonly kind: 'context'; readonly name: ContextVariable }
  | { readonly kind: 'value'; readonly name: ValueVariable }
  | { readonly kind: 'input'; readonly question: string }
  | { readonly kind: 'pick'; readonly choices: readonly string[] };

export type ProblemKind =
  /** No variable has this name. */
  | 'unknown'
  /** A variable that takes nothing after its name has a colon. */
  | 'argument'
  /** `input` without a question. */
  | 'question'
  /** `pick` with fewer than two different choices. */
  | 'choices'
  /** No `}` on the same line, before the next variable. */
  | 'unclosed';

type Read = { variable: Variable; end: number } | { problem: ProblemKind; name: string; end: number };

/** Reads what begins with the `${` at `start`. */
export function readVariable(source: string, start: number): Read {
  const body = /(?:\\[\\}|$]|(?!\$\{)[^}\r\n])*/y;
  body.lastIndex = start + 2;
  const inside = body.exec(source)?.[0] ?? '';
  const close = start + 2 + inside.length;
  const colon = inside.indexOf(':');
  const name = colon === -1 ? inside : inside.slice(0, colon);
  if (source[close] !== '}') {
    return { problem: 'unclosed', name: /^\w*/.exec(name)?.[0] ?? '', end: close };
  }
  const found = variableOf(name, colon === -1 ? undefined : inside.slice(colon + 1));
  return typeof found === 'string' ? { problem: found, name, end: close + 1 } : { variable: found, end: close + 1 };
}

/** The variable as it stands in a template. */
export function writeVariable(variable: Variable): string {
  switch (variable.kind) {
    case 'context':
    case 'value':
      return `\${${variable.name}}`;
    case 'input':
      return `\${input:${escape(variable.question)}}`;
    case 'pick':
      return `\${pick:${variable.choices.map(escape).join('|')}}`;
  }
}

function variableOf(name: string, argument: string | undefined): Variable | ProblemKind {
  if (isAskingVariable(name)) {
    return name === 'input' ? inputOf(argument ?? '') : pickOf(argument ?? '');
  }
  if (isContextVariable(name)) {
    return argument === undefined ? { kind: 'context', name } : 'argument';
  }
  if (isValueVariable(name)) {
    return argument === undefined ? { kind: 'value', name } : 'argument';
  }
  return 'unknown';
}

function inputOf(argument: string): Variable | ProblemKind {
  const question = unescape(argument).trim();
  return question === '' ? 'question' : { kind: 'input', question };
}

function pickOf(argument: string): Variable | ProblemKind {
  const parts = argument.match(/(?:\\[\\}|$]|[^|])+/g) ?? [];
  const choices = [...new Set(parts.map((part) => unescape(part).trim()).filter((choice) => choice !== ''))];
  return choices.length < 2 ? 'choices' : { kind: 'pick', choices };
}

function unescape(text: string): string {
  return text.replace(/\\([\\}|$])/g, '$1');
}

function escape(text: string): string {
  return text.replace(/[\\}|$]/g, '\\$&');
}
