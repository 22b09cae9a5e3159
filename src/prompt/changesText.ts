import { BUDGETS, count, elide, shareBudget } from './budgets';
import { showControlCharacters } from './contextBlock';

/** A file touched by a change. */
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

export interface Changes {
  /** In the order of the diff. */
  files: readonly ChangedFile[];
  /** Totals of the files that are not listed. */
  more: { files: number; added: number; deleted: number };
  /** The diffs of those files that are shown. */
  patches: ReadonlyMap<ChangedFile, string>;
  /** Multi-line text before the summary, such as commit messages. */
  preface?: string | undefined;
}

/** The number of lines that a change adds or removes in the file; 0 when not counted. */
export function changedLines({ added, deleted }: ChangedFile): number {
  return (added ?? 0) + (deleted ?? 0);
}

/** Splits the output of `git diff` into the diffs of these files. */
export function patchesIn(diff: string, files: readonly ChangedFile[]): Map<ChangedFile, string> {
  const byHeader = new Map(files.map((file) => [patchHeader(file), file]));
  const patches = new Map<ChangedFile, string>();
  for (const part of diff.split(/^(?=diff --git )/m)) {
    // A path that changed from a file to a folder also matches the files in the folder.
    const file = byHeader.get(part.slice(0, Math.max(0, part.indexOf('\n'))));
    if (file !== undefined) {
      patches.set(file, part.trimEnd());
    }
  }
  return patches;
}

/** Describes a change: its size, the files, then the diffs, which share the budget. Says how much was left out. */
export function changesText({ files, more, patches, preface }: Changes, budget: number = BUDGETS.changes): string {
  const sum = files.reduce(
    (total, { added, deleted }) => ({
      files: total.files + 1,
      added: total.added + (added ?? 0),
      deleted: total.deleted + (deleted ?? 0),
    }),
    more,
  );
  const rows = files.map((file) => row(file, patches.has(file)));
  const end = more.files === 0 ? [] : [`… and ${count(more.files, 'more file')}, ${plusMinus(more)}, not shown`];
  const names = elide([...rows, ...end].join('\n'), BUDGETS.changedNames);
  const texts = [...patches.values()];
  const shares = shareBudget(
    texts.map(({ length }) => length),
    budget,
  );
  const shown = texts.map((text, index) => showLines(elide(text, shares[index] ?? 0)));
  const summary = `${count(sum.files, 'file')} changed, ${plusMinus(sum)}\n${names}`;
  return [...(preface === undefined ? [] : [preface]), summary, ...shown].join('\n\n');
}

/** “M src/a.ts, +10 -2”. */
function row({ status, path, from, hidden, added, deleted }: ChangedFile, isShown: boolean): string {
  const name = from === undefined ? quotePath(path) : `${quotePath(from)} -> ${quotePath(path)}`;
  const counts = added === null ? '' : `, ${plusMinus({ added, deleted: deleted ?? 0 })}`;
  const why = hidden === undefined ? '' : `, ${hidden}`;
  return showControlCharacters(`${status} ${name}${counts}${why}${isShown ? '' : ', not shown'}`);
}

/** The lines without carriage returns, with invisible characters shown. */
export function showLines(text: string): string {
  return text
    .split('\n')
    .map((line) => showControlCharacters(line.replace(/\r$/, '')))
    .join('\n');
}

function plusMinus({ added, deleted }: { added: number; deleted: number }): string {
  return `+${added.toLocaleString('en-US')} -${deleted.toLocaleString('en-US')}`;
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

/** The line that starts a file's diff. */
export function patchHeader({ path, from = path }: Pick<ChangedFile, 'path' | 'from'>): string {
  return `diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${path}`)}`;
}

/** A path as git quotes it in a diff with `core.quotePath` off (git-config(1)). */
export function quotePath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is quoted
  const text = path.replace(/[\u0000-\u001F"\\\u007F]/g, (character) => {
    return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`;
  });
  return text === path ? path : `"${text}"`;
}
