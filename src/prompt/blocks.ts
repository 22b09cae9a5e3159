import { count, elide } from './budgets';
import { codeSpan, type ContextBlock, formatPlace } from './contextBlock';

/** A file as a prompt names it, with further notes on the location: one line of Markdown each. */
export interface TextPlace {
  /** Relative to the workspace folder; just the name for a file outside the workspace. */
  path: string;
  notes: readonly string[];
}

/** The location of a file outside the workspace is private. */
export const OUTSIDE_NOTE = 'Not in the workspace: only the file’s name is included.';

export interface FileText extends TextPlace {
  languageId: string;
  text: string;
}

/** A whole file, or as much of it as the budget allows. */
export function fileBlock({ path, notes, languageId, text }: FileText, budget: number): ContextBlock {
  return { heading: `File ${formatPlace({ path })}`, notes, languageId, text: elide(text, budget) };
}

/** The names of the files in a folder, relative to it. */
export function folderBlock({ path, notes }: TextPlace, names: readonly string[], budget: number): ContextBlock {
  const heading = `Folder ${formatPlace({ path })} (${count(names.length, 'file')})`;
  const lines = names.map((name) => name.replace(/\s+/g, ' '));
  return { heading, notes, languageId: 'text', text: elide(lines.join('\n'), budget) };
}

export interface SymbolText extends TextPlace {
  /** The kind of symbol, in a word: “Method”. */
  kind: string;
  /** The name with its containers: “Client.send”. */
  fullName: string;
  /** Counts from 1. */
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

export function symbolBlock(symbol: SymbolText, budget: number): ContextBlock {
  const { kind, fullName, path, notes, startLine, endLine, languageId, text } = symbol;
  const place = formatPlace({ path, lines: { start: startLine, end: endLine } });
  return { heading: `${kind} ${codeSpan(fullName)} from ${place}`, notes, languageId, text: elide(text, budget) };
}

export interface Problem {
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  /** The tool that reported the problem, and its code there: “ts”, “2322”. */
  source?: string | undefined;
  code?: string | undefined;
  /** Counts from 1. */
  line: number;
}

export interface FileProblems extends TextPlace {
  problems: readonly Problem[];
  /** The file's lines, for the code around each problem; empty when the code must not be shown. */
  lines: readonly string[];
}

const LINES_AROUND = 2;
const MAX_LINE = 300;

/** The problems of a file in the style of compiler output, each with the surrounding lines. */
export function problemsBlock({ path, notes, problems, lines }: FileProblems, budget: number): ContextBlock {
  const heading = `${count(problems.length, 'problem')} in ${formatPlace({ path })}`;
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

/** The rest of a minified line adds no information. */
function elideLine(line: string): string {
  return line.length <= MAX_LINE ? line : elide(line, MAX_LINE).replaceAll('\n', ' ');
}

/** How much of a page is searched for its title, in characters. */
const MAX_SEARCHED = 50_000;

/** The title of a page in Markdown, AsciiDoc or reStructuredText: in its front matter, or its first heading. */
export function pageTitle(page: string): string | undefined {
  const text = page
    .slice(0, MAX_SEARCHED)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');
  const end = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) : -1;
  const titled = /^title:[ \t]*(\S.*)$/m.exec(text.slice(0, Math.max(end, 0)))?.[1]?.trim();
  if (titled !== undefined) {
    return /^(["']).*\1$/.test(titled) ? titled.slice(1, -1) : titled;
  }
  const body = end === -1 ? text : text.slice(end + '\n---\n'.length);
  const [, marked, underlined] = /^(?:#{1,6}|=)[ \t]+(\S.*)$|^(\S.*)\n(?:={3,}|-{3,})$/m.exec(body) ?? [];
  return (marked ?? underlined)?.trim();
}

/** A page as a prompt names it: “`docs/a.md` (titled `Retries`)”. */
export function formatPage(path: string, title: string | undefined): string {
  return title === undefined ? codeSpan(path) : `${codeSpan(path)} (titled ${codeSpan(title)})`;
}
