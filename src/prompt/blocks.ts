import { count, elide } from './budgets';
import { codeSpan, type ContextBlock, formatPlace } from './contextBlock';

/** A file as a prompt names it, with further notes on the location: one line of Markdown each. */
export interface TextPlace {
  /** Relative to the workspace folder; just the name for a file outside the workspace. */
  path: string;
  notes: readonly string[];
}

/** The text exists only in the editor, neither on disk nor in a commit. */
export const UNSAVED_NOTE = 'Unsaved: this is the text in the editor.';

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

/** A file or folder in a tree of names. */
export interface TreeEntry {
  /** Path relative to the folder, with slashes. */
  path: string;
  isFolder: boolean;
  /** Why its content is not in the prompt, in a few words; undefined when it is, and for folders that were listed. */
  leftOut?: string | undefined;
}

/** The names in a folder, with the reason where content is left out. `unlisted` is true when there are more names. */
export function folderBlock(
  folder: { path: string; notes: readonly string[] },
  entries: readonly TreeEntry[],
  { budget, unlisted }: { budget: number; unlisted: boolean },
): ContextBlock {
  const files = entries.filter(({ isFolder }) => !isFolder);
  const inside = files.filter(({ leftOut }) => leftOut === undefined).length;
  const amount = `${count(files.length, 'file')}${unlisted ? ' listed, more exist' : ''}, ${inside.toLocaleString('en-US')} with content below`;
  return {
    heading: `Folder ${formatPlace({ path: folder.path })} (${amount})`,
    notes: folder.notes,
    languageId: 'text',
    text: elide(treeText(entries), budget),
  };
}

/** One name per line, with the content of each folder indented below it. */
function treeText(entries: readonly TreeEntry[]): string {
  const parts = (path: string): string[] => path.split('/');
  return entries
    .map((entry) => ({ ...entry, parts: parts(entry.path) }))
    .toSorted((a, b) => compareParts(a.parts, b.parts))
    .map(({ parts: names, isFolder, leftOut }) => {
      const name = (names.at(-1) ?? '').replace(/\s+/g, ' ');
      const why = leftOut === undefined ? '' : ` (${leftOut})`;
      return `${'  '.repeat(names.length - 1)}${name}${isFolder ? '/' : ''}${why}`;
    })
    .join('\n');
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [one, other] = [a[at], b[at]];
  if (one === undefined || other === undefined) {
    return a.length - b.length;
  }
  return one < other ? -1 : 1;
}

export interface SymbolText extends TextPlace {
  /** The kind of symbol, in a word: “Method”. */
  kind: string;
  /** The name with its containers: “Client.send”. */
  fullName: string;
  /** Counts from 1; includes the comment above the symbol. */
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** A symbol with the comment above it. */
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

/** Text selected in a terminal. */
export function terminalBlock(text: string, budget: number): ContextBlock {
  return { heading: 'From the terminal', notes: [], languageId: 'text', text: elide(terminalText(text), budget) };
}

/**
 * Control sequences, commands such as titles and links, and other escape sequences, as ECMA-48 defines them. Node's
 * `stripVTControlCharacters` takes quadratic time for some texts.
 */
const TERMINAL_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- these are control characters
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]/g;

/** Removes colors, cursor movements and other control characters, and trailing padding. */
export function terminalText(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
