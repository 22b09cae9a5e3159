import { BUDGETS, count } from './budgets';
import { showControlCharacters } from './contextBlock';

/** A file touched by a change, before its diff is read. */
export interface ChangedFile {
  path: string;
  /** The previous path of a renamed file. */
  from?: string;
  /** The status letter of git (git-diff(1), --diff-filter), or `?` for an untracked file. */
  status: string;
  /** In lines; null when not counted, as in a binary file. */
  added: number | null;
  deleted: number | null;
  /** Why its diff can't be shown: “binary”. */
  hidden?: string;
}

/** The part of a file's diff that is shown. */
export interface Patch {
  file: ChangedFile;
  lines: readonly string[];
  /** How many of the lines are added or removed lines. */
  shown: number;
  /** Whether part of the diff is left out. */
  isCut: boolean;
}

export interface Changes {
  /** In the order of the diff. */
  files: readonly ChangedFile[];
  /** Totals of the files that are not listed. */
  more: ChangeCount;
  patches: readonly Patch[];
  /** Multi-line text before the summary, such as commit messages. */
  preface?: string;
}

interface ChangeCount {
  files: number;
  added: number;
  deleted: number;
}

/** Longer lines are cut. In characters. */
const MAX_LINE = 2_000;

/** Maximum number of lines per file. */
const MAX_LINES = 500;

/** Created once, because creating a formatter takes longer than everything else here. */
const NUMBER = new Intl.NumberFormat('en-US');

/** The number of lines that a change adds or removes in the file; 0 when not counted. */
export function changedLines({ added, deleted }: ChangedFile): number {
  return (added ?? 0) + (deleted ?? 0);
}

/**
 * The first lines of a file's diff, from the output of `git diff` for its path.
 *
 * @param budget characters; if not even the first line fits, returns undefined
 * @param isWhole whether `diff` is the complete output of git
 */
export function patchOf(file: ChangedFile, diff: string, budget: number, isWhole = true): Patch | undefined {
  const header = patchHeader(file);
  const lines: string[] = [];
  const all = diff.split('\n', MAX_LINES * 10);
  let isCut = !isWhole || all.length === MAX_LINES * 10;
  let left = budget;
  let shown = 0;
  let isWanted = false;
  let isInHunk = false;
  for (const raw of all.at(-1) === '' ? all.slice(0, -1) : all) {
    const line = shownLine(raw);
    if (raw.startsWith('diff --git ')) {
      // A path that changed from a file to a folder also matches the files in the folder.
      isWanted = line === header;
      isInHunk = false;
    }
    if (!isWanted) {
      continue;
    }
    left -= line.length + 1;
    if (left < 0 || lines.length >= MAX_LINES) {
      isCut = true;
      break;
    }
    isInHunk ||= line.startsWith('@@ ');
    shown += isInHunk && /^[+-]/.test(line) ? 1 : 0;
    lines.push(line);
  }
  if (isCut && lines.at(-1)?.startsWith('@@ ') === true) {
    lines.pop();
  }
  return lines.length === 0 ? undefined : { file, lines, shown, isCut };
}

/** The line without its line ending, with invisible characters shown. */
function shownLine(raw: string): string {
  const line = raw.replace(/\r$/, '');
  return line.length <= MAX_LINE
    ? showControlCharacters(line)
    : `${showControlCharacters(line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, ''))}… the rest of this line left out`;
}

/** Describes a change: its size, the files, then the patches. Says how much was left out. */
export function changesText({ files, more, patches, preface }: Changes): string {
  const shown = new Set(patches.map(({ file }) => file));
  const listed = new Set<ChangedFile>(shown);
  let left = BUDGETS.changedNames;
  for (const file of files) {
    left -= listed.has(file) ? 0 : row(file, false).length + 1;
    if (left < 0) {
      break;
    }
    listed.add(file);
  }
  const all = countOf(files, more);
  const rest = countOf(
    files.filter((file) => !listed.has(file)),
    more,
  );
  const rows = files.filter((file) => listed.has(file)).map((file) => row(file, shown.has(file)));
  const end = rest.files === 0 ? [] : [`… and ${count(rest.files, 'more file')}, ${plusMinus(rest)}, not shown`];
  const summary = [`${count(all.files, 'file')} changed, ${plusMinus(all)}`, ...rows, ...end].join('\n');
  return [...(preface === undefined ? [] : [preface]), summary, ...patches.map(patchText)].join('\n\n');
}

/** “M src/a.ts, +10 -2”. */
function row(file: ChangedFile, isShown: boolean): string {
  const { status, path, from, hidden, added } = file;
  const name = from === undefined ? quotePath(path) : `${quotePath(from)} -> ${quotePath(path)}`;
  const counts = added === null ? '' : `, ${plusMinus({ added, deleted: file.deleted ?? 0 })}`;
  const why = hidden === undefined ? '' : `, ${hidden}`;
  return showControlCharacters(`${status} ${name}${counts}${why}${isShown ? '' : ', not shown'}`);
}

function plusMinus({ added, deleted }: { added: number; deleted: number }): string {
  return `+${NUMBER.format(added)} -${NUMBER.format(deleted)}`;
}

function patchText({ file, lines, shown, isCut }: Patch): string {
  if (!isCut) {
    return lines.join('\n');
  }
  const left = Math.max(0, changedLines(file) - shown);
  return [...lines, left > 0 ? `… ${count(left, 'changed line')} left out` : '… unchanged lines left out'].join('\n');
}

function countOf(files: readonly ChangedFile[], more: ChangeCount): ChangeCount {
  const sum = { ...more, files: more.files + files.length };
  for (const { added, deleted } of files) {
    sum.added += added ?? 0;
    sum.deleted += deleted ?? 0;
  }
  return sum;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000B': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** The line that starts a file's diff, with control characters shown. */
export function patchHeader({ path, from = path }: Pick<ChangedFile, 'path' | 'from'>): string {
  return shownLine(`diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${path}`)}`);
}

/** A path as git quotes it in a diff with `core.quotePath` off (git-config(1)). */
export function quotePath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is quoted
  const text = path.replace(/[\u0000-\u001F"\\\u007F]/g, (character) => {
    return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`;
  });
  return text === path ? path : `"${text}"`;
}
