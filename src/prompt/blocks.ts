import { stripVTControlCharacters } from 'node:util';
import { count, elide } from './budgets';
import { codeSpan, type ContextBlock, placeName } from './contextBlock';

/** A file as a prompt names it, and what else is known of the place: one line of Markdown each. */
export interface TextPlace {
  /** Relative to the workspace folder, or the mere name of a file that is in none. */
  path: string;
  notes: readonly string[];
}

/** The text stands in the editor only: neither the disk nor a commit has it like this. */
export const UNSAVED_NOTE = 'Unsaved: this is the text as it stands in the editor.';

/** Where the file lies on the user's machine is nobody's business. */
export const OUTSIDE_NOTE = 'Not in the workspace: only the file’s name is given.';

export interface FileText extends TextPlace {
  languageId: string;
  text: string;
}

/** A whole file, or as much of it as the budget allows. */
export function fileBlock({ path, notes, languageId, text }: FileText, budget: number): ContextBlock {
  return { heading: `File ${placeName({ path })}`, notes, languageId, text: elide(text, budget) };
}

/** A file or folder of a tree of names. */
export interface TreeEntry {
  /** Its path below the folder, parts joined by slashes. */
  path: string;
  isFolder: boolean;
  /** Why its content is not in the prompt, in a few words; undefined when it is, and for folders that were looked into. */
  leftOut?: string | undefined;
}

/** The names in a folder, each with what is not in the prompt of it. `unlisted` is true when there are more names. */
export function folderBlock(
  folder: { path: string; notes: readonly string[] },
  entries: readonly TreeEntry[],
  { budget, unlisted }: { budget: number; unlisted: boolean },
): ContextBlock {
  const files = entries.filter(({ isFolder }) => !isFolder);
  const inside = files.filter(({ leftOut }) => leftOut === undefined).length;
  const amount = `${count(files.length, 'file')}${unlisted ? ' listed, there are more' : ''}, ${inside.toLocaleString('en-US')} of them with content below`;
  return {
    heading: `Folder ${placeName({ path: folder.path })} (${amount})`,
    notes: folder.notes,
    languageId: 'text',
    text: elide(treeText(entries), budget),
  };
}

/** One line a name, each folder's below it and indented. */
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
  /** What it is, in a word: “Method”. */
  kind: string;
  /** With what it is in: “Client.send”. */
  fullName: string;
  /** Lines count from 1, its comment above included. */
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** One symbol with the comment above it. */
export function symbolBlock(symbol: SymbolText, budget: number): ContextBlock {
  const { kind, fullName, path, notes, startLine, endLine, languageId, text } = symbol;
  const place = placeName({ path, lines: { start: startLine, end: endLine } });
  return { heading: `${kind} ${codeSpan(fullName)} from ${place}`, notes, languageId, text: elide(text, budget) };
}

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

/** What was selected in a terminal. */
export function terminalBlock(text: string, budget: number): ContextBlock {
  return { heading: 'From the terminal', notes: [], languageId: 'text', text: elide(terminalText(text), budget) };
}

/** The text without colours, cursor moves and other control characters, and without blanks that only fill a line. */
export function terminalText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
