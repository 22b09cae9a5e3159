import { join } from 'node:path';
import type { Git, GitPlace } from './git';

/**
 * `git diff` options that make the output independent of the configuration, and keep git from running configured
 * programs.
 */
export const PLAIN_DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--find-renames',
  // Ignores changes inside submodules: a git process there would use the submodule's configuration.
  '--ignore-submodules=dirty',
  '--submodule=short',
];

/**
 * Returns the place such that git reads no attributes from the work tree or the index. Those of a checked-out branch
 * could hide changed text. Throws GitError.
 */
export async function outsideWorkTree(git: Pick<Git, 'run'>, place: GitPlace): Promise<GitPlace> {
  if (place.gitDir !== undefined && place.workTree === undefined) {
    return place;
  }
  const gitDir = place.gitDir ?? (await git.run(place, ['rev-parse', '--absolute-git-dir'])).replace(/\r?\n$/, '');
  // No such file: git takes it for an empty index.
  const environment = { ...place.environment, GIT_INDEX_FILE: join(gitDir, 'no-index') };
  return { folder: gitDir, gitDir, workTree: gitDir, environment };
}

/** Returns where to run `git diff`: outside of the work tree for two commits. Throws GitError. */
export async function placeToCompare(
  { git, place }: { git: Pick<Git, 'run'>; place: GitPlace },
  compared: readonly string[],
): Promise<GitPlace> {
  const areCommits = compared.length === 2 && compared.every((each) => !each.startsWith('-'));
  return areCommits ? outsideWorkTree(git, place) : place;
}

/**
 * Returns which files differ, and by how many lines. Throws GitError, or the signal's reason.
 *
 * @param compared what `git diff` compares, such as two commits
 * @param paths the only files to look at; all if empty
 */
export async function diffSummary(
  { git, place, signal }: { git: Git; place: GitPlace; signal: AbortSignal },
  compared: readonly string[],
  limits?: SummaryLimits,
  paths: readonly string[] = [],
): Promise<SummaryReader> {
  const summary = new SummaryReader(limits);
  const decoder = new TextDecoder();
  const args = [...PLAIN_DIFF, '--raw', '--numstat', '-z', ...compared, '--', ...paths];
  for await (const bytes of git.stream(await placeToCompare({ git, place }, compared), args, signal)) {
    summary.push(decoder.decode(bytes, { stream: true }));
  }
  return summary;
}

/** A file in a diff summary. */
export interface SummarizedFile {
  path: string;
  /** The previous path of a renamed file. */
  from?: string;
  /** The status letter of git (git-diff(1), --diff-filter). */
  status: string;
  /** In lines; null for a binary file. */
  added: number | null;
  deleted: number | null;
}

/** Maximum number of files listed by name, and of characters in their paths; further files are only counted. */
export interface SummaryLimits {
  files: number;
  characters: number;
}

const LIMITS: SummaryLimits = { files: 20_000, characters: Infinity };

/** Maximum length of a field, in characters: longer than any path that a system accepts. The rest is cut off. */
const MAX_FIELD = 16 * 1024;

/**
 * Parses the output of `git diff --raw --numstat -z` in chunks: first `:modes ids STATUS NUL path NUL` for each file,
 * then `added TAB deleted TAB path NUL`. A renamed file has two paths; the second is the new one.
 */
export class SummaryReader {
  readonly files: SummarizedFile[] = [];
  /** Totals of the files that are not in `files`. */
  readonly more = { files: 0, added: 0, deleted: 0 };
  /** In the order of the files, because names that aren't valid UTF-8 can be equal. */
  private readonly statuses: string[] = [];
  private parsed = 0;
  private rest = '';
  /** Fields of an incomplete entry. */
  private entry: string[] = [];
  private characters = 0;

  constructor(private readonly limits: SummaryLimits = LIMITS) {}

  push(text: string): void {
    const parts = (this.rest + text).split('\0');
    this.rest = (parts.pop() ?? '').slice(0, MAX_FIELD);
    for (const part of parts) {
      this.entry.push(part.slice(0, MAX_FIELD));
      this.parseEntry();
    }
  }

  private parseEntry(): void {
    const [head = '', first = '', second] = this.entry;
    if (head.startsWith(':')) {
      const status = head.split(' ').at(-1)?.[0] ?? 'M';
      const isWhole = this.entry.length === (status === 'R' || status === 'C' ? 3 : 2);
      if (isWhole) {
        this.entry = [];
        if (this.statuses.length < this.limits.files) {
          this.statuses.push(status);
        }
      }
      return;
    }
    const [added = '', deleted = '', ...path] = head.split('\t');
    const name = path.join('\t');
    if (path.length > 0 && name === '' && this.entry.length < 3) {
      return;
    }
    this.entry = [];
    if (path.length > 0) {
      this.addFile(name === '' ? { path: second ?? '', from: first } : { path: name }, count(added), count(deleted));
    }
  }

  private addFile(names: { path: string; from?: string }, added: number | null, deleted: number | null): void {
    const status = this.statuses[this.parsed] ?? 'M';
    this.parsed += 1;
    const length = names.path.length + (names.from?.length ?? 0);
    if (this.files.length < this.limits.files && this.characters + length <= this.limits.characters) {
      this.characters += length;
      this.files.push({ ...names, status, added, deleted });
      return;
    }
    this.more.files += 1;
    this.more.added += added ?? 0;
    this.more.deleted += deleted ?? 0;
  }
}

function count(text: string): number | null {
  return text === '-' ? null : Number(text);
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/**
 * A name in the header of a patch. Git quotes names with quotation marks, backslashes, and control characters as C does
 * (git-config(1), core.quotePath), and puts a tab behind names with spaces.
 */
export function pathInHeader(text: string): string {
  const name = text.replace(/\t$/, '');
  return /^".*"$/.test(name)
    ? name
        .slice(1, -1)
        .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
          octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(parseInt(octal, 8)),
        )
    : name;
}
