import { type ProblemKind, type Variable, readVariable } from './readVariable';

/** A stretch of the template, from `start` to before `end` in UTF-16 units. */
export interface TemplateRange {
  readonly start: number;
  readonly end: number;
}

/** Text as it goes into the prompt, or a variable that something takes the place of. */
export type TemplatePiece = TemplateRange & ({ readonly kind: 'text'; readonly text: string } | Variable);

/** What is no variable although it looks like one; it stays in the text as it is. */
export interface TemplateProblem extends TemplateRange {
  readonly kind: ProblemKind;
  /** What stands in the place of the name. */
  readonly name: string;
}

export interface Template {
  /** All of the template without a gap, in its order. */
  readonly pieces: readonly TemplatePiece[];
  readonly problems: readonly TemplateProblem[];
}

/**
 * Takes a template apart. As in VS Code's snippets a backslash before `${` makes it plain text, and two of them stand for
 * one there; anywhere else, as in paths and code, a backslash is a backslash. Within the braces it goes before `}`, `|`,
 * `$` and itself. A variable ends on the line where it begins.
 */
export function parseTemplate(source: string): Template {
  const pieces: TemplatePiece[] = [];
  const problems: TemplateProblem[] = [];
  let text = '';
  let textStart = 0;
  let at = 0;
  const endText = (end: number): void => {
    if (end > textStart) {
      pieces.push({ kind: 'text', text, start: textStart, end });
    }
    text = '';
  };
  for (let start = source.indexOf('${'); start !== -1; start = source.indexOf('${', at)) {
    const slashes = backslashesBefore(source, start, at);
    text += source.slice(at, start - slashes) + '\\'.repeat(Math.floor(slashes / 2));
    if (slashes % 2 === 1) {
      text += '${';
      at = start + 2;
      continue;
    }
    const { end, ...read } = readVariable(source, start);
    if ('problem' in read) {
      problems.push({ kind: read.problem, name: read.name, start, end });
      text += source.slice(start, end);
    } else {
      endText(start);
      pieces.push({ ...read.variable, start, end });
      textStart = end;
    }
    at = end;
  }
  text += source.slice(at);
  endText(source.length);
  return { pieces, problems };
}

/** How many there are right before a place. */
export function backslashesBefore(text: string, at: number, from = 0): number {
  let first = at;
  while (first > from && text[first - 1] === '\\') {
    first--;
  }
  return at - first;
}
