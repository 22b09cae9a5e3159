import type { Git, GitPlace } from './git';

/** `git diff` that prints the same whatever the configuration says, and runs no program of it. */
export const PLAIN_DIFF = [
  ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '--find-renames'],
  // What is in a submodule is its own: a git that looks there follows its configuration.
  ...['--ignore-submodules=dirty', '--submodule=short'],
];

/**
 * Which files differ, by how many lines. Throws GitError, or the signal's reason.
 *
 * @param compared what `git diff` compares, such as two commits
 */
export async function diffSummary(
  { git, place, signal }: { git: Git; place: GitPlace; signal: AbortSignal },
  compared: readonly string[],
  limits?: SummaryLimits,
): Promise<SummaryReader> {
  const summary = new SummaryReader(limits);
  const decoder = new TextDecoder();
  const args = [...PLAIN_DIFF, '--raw', '--numstat', '-z', ...compared, '--'];
  for await (const bytes of git.stream(place, args, signal)) {
    summary.push(decoder.decode(bytes, { stream: true }));
  }
  return summary;
}

/** A file in the summary of a diff. */
export interface SummarizedFile {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  /** What happened to it: git's letter (git-diff(1), --diff-filter). */
  status: string;
  /** Lines; null in a binary file. */
  added: number | null;
  deleted: number | null;
}

/** So many files are kept by name, and paths of so many characters; the rest are counted. */
export interface SummaryLimits {
  files: number;
  characters: number;
}

const LIMITS: SummaryLimits = { files: 20_000, characters: Infinity };

/**
 * Reads what `git diff --raw --numstat -z` prints, in pieces as they come: first `:modes ids STATUS NUL path NUL` for each
 * file, then `added TAB deleted TAB path NUL`; a renamed file has two paths, of which the second is the new one.
 */
export class SummaryReader {
  readonly files: SummarizedFile[] = [];
  /** Files that are not among `files`, and their lines. */
  readonly more = { files: 0, added: 0, deleted: 0 };
  private readonly statuses = new Map<string, string>();
  private rest = '';
  /** Parts of an entry that is not whole yet. */
  private entry: string[] = [];
  private characters = 0;

  constructor(private readonly limits: SummaryLimits = LIMITS) {}

  push(text: string): void {
    const parts = (this.rest + text).split('\0');
    this.rest = parts.pop() ?? '';
    for (const part of parts) {
      this.entry.push(part);
      this.takeWhole();
    }
  }

  private takeWhole(): void {
    const [head = '', first = '', second] = this.entry;
    if (head.startsWith(':')) {
      const status = head.split(' ').at(-1)?.[0] ?? 'M';
      const isWhole = this.entry.length === (status === 'R' || status === 'C' ? 3 : 2);
      if (isWhole) {
        this.entry = [];
        if (this.statuses.size < this.limits.files) {
          this.statuses.set(second ?? first, status);
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
      this.take(name === '' ? { path: second ?? '', from: first } : { path: name }, count(added), count(deleted));
    }
  }

  private take(names: { path: string; from?: string }, added: number | null, deleted: number | null): void {
    const length = names.path.length + (names.from?.length ?? 0);
    if (this.files.length < this.limits.files && this.characters + length <= this.limits.characters) {
      this.characters += length;
      this.files.push({ ...names, status: this.statuses.get(names.path) ?? 'M', added, deleted });
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
