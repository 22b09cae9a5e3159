import { BUDGETS, count } from './budgets';
import { showControlCharacters } from './contextBlock';

/** A file that a change touches, before its text is read. */
export interface ChangedFile {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  /** What happened to it: git's letter (git-diff(1), --diff-filter), or `?` for a file that git does not know yet. */
  status: string;
  /** Lines; null where they are not counted, as in a binary file. */
  added: number | null;
  deleted: number | null;
  /** Why its text can't be shown: “binary”. */
  hidden?: string;
}

/** What is shown of one file's change. */
export interface Patch {
  file: ChangedFile;
  lines: readonly string[];
  /** How many of them add or remove a line. */
  shown: number;
  /** Something of it is left out. */
  isCut: boolean;
}

export interface Changes {
  /** Each file, in the order of the diff. */
  files: readonly ChangedFile[];
  /** Files that are not named. */
  more: ChangeCount;
  patches: readonly Patch[];
  /** What comes before the summary, such as the messages of commits; several lines. */
  preface?: string;
}

interface ChangeCount {
  files: number;
  added: number;
  deleted: number;
}

/** A longer line is cut, in characters. */
const MAX_LINE = 2_000;

/** No file shows more lines than this. */
const MAX_LINES = 500;

/** Created once: to create it for each number takes longer than all else here. */
const NUMBER = new Intl.NumberFormat('en-US');

/** The lines that a change adds or removes in the file; 0 where they are not counted. */
export function changedLines({ added, deleted }: ChangedFile): number {
  return (added ?? 0) + (deleted ?? 0);
}

/**
 * The first lines of a file's change, of what `git diff` prints for its path.
 *
 * @param budget characters; undefined is returned where not even the first line fits
 * @param isWhole whether `diff` is all that git prints
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
      // A path that was a file and is a folder now matches the files in it, too.
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

/** A line in which nothing is hidden, without its end. */
function shownLine(raw: string): string {
  const line = raw.replace(/\r$/, '');
  return line.length <= MAX_LINE
    ? showControlCharacters(line)
    : `${showControlCharacters(line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, ''))}… the rest of this line left out`;
}

/** What was changed: how much, in which files, and then the patches. What is left out is counted. */
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

/** The line with which git begins the diff of a file, with its control characters shown. */
export function patchHeader({ path, from = path }: Pick<ChangedFile, 'path' | 'from'>): string {
  return shownLine(`diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${path}`)}`);
}

/** A path as git quotes it in a diff with `core.quotePath` off (git-config(1)). */
export function quotePath(path: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is quoted
  const text = path.replace(/[\u0000-\u001F"\\\u007F]/g, (character) => {
    return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`;
  });
  return text === path ? path : `"${text}"`;
}
