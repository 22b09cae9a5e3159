import { type ContextBlock, placeName } from './contextBlock';
import { count, elide } from './elide';
import type { TextPlace } from './textPlace';

export interface Problem {
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  /** Who found it, and its name there: “ts”, “2322”. */
  source?: string | undefined;
  code?: string | undefined;
  /** Counts from 1. */
  line: number;
}

export interface FileProblems extends TextPlace {
  problems: readonly Problem[];
  /** The file's lines, for the code around each problem; none where it is not to be shown. */
  lines: readonly string[];
}

const LINES_AROUND = 2;
const MAX_LINE = 300;

/** The problems of a file as a compiler would print them, each with the lines around it. */
export function problemsBlock({ path, notes, problems, lines }: FileProblems, budget: number): ContextBlock {
  const heading = `${count(problems.length, 'problem')} in ${placeName({ path })}`;
  const text = problems
    .map((problem) => [summary(problem), around(problem.line, lines)].filter((part) => part !== '').join('\n'))
    .join('\n\n');
  return { heading, notes, languageId: 'text', text: elide(text, budget) };
}

function summary({ severity, message, source, code, line }: Problem): string {
  const name = [source, code].filter((part) => part !== undefined && part !== '').join(' ');
  return `Line ${line}: ${severity}${name === '' ? '' : ` (${name})`}: ${message.trim()}`;
}

function around(line: number, lines: readonly string[]): string {
  const first = Math.max(1, line - LINES_AROUND);
  const last = Math.min(lines.length, line + LINES_AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const code = elideLine(lines[number - 1] ?? '');
    shown.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${code}`.trimEnd());
  }
  return shown.join('\n');
}

/** A line of a minified file says nothing more when it is whole. */
function elideLine(line: string): string {
  return line.length <= MAX_LINE ? line : elide(line, MAX_LINE).replaceAll('\n', ' ');
}
