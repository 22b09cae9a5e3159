import type { Coverage, Finding, NotCheckedReason } from './finding';

export interface TreeFile {
  path: string;
  /** The id of its content. */
  id: string;
  /** In bytes. */
  size: number;
}

export interface Tree {
  files: readonly TreeFile[];
  /** Submodules, whose files are in another repository. */
  submodules: number;
  /** Whether there are more files than were read. */
  isCut: boolean;
}

/** Who last touched a line. */
export interface LineCommit {
  commit: string;
  /** When it was committed, in milliseconds. */
  date: number;
}

/** How much of a history is read. */
export interface HistoryLimits {
  commits: number;
  bytes: number;
  /**
   * Without a limit, git could take forever for the next piece: a small tree can list the same folder billions of
   * times.
   */
  timeMs: number;
}

/**
 * Read-only access to a repository. When the signal that it was created with aborts, every method throws its reason.
 */
export interface Repository {
  /** The full id of a commit; undefined when there is no such commit. */
  resolve(revision: string): Promise<string | undefined>;
  /** The newest commit up to this date, starting from HEAD; undefined when there is none. */
  commitAt(date: number): Promise<string | undefined>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** Whether a part of the history is missing: a shallow or a partial clone. */
  lacksHistory(): Promise<boolean>;
  tree(commit: string): Promise<Tree>;
  /** The contents of these objects, by id or as `commit:path`, in their order; undefined for one that doesn't exist. */
  contents(objects: readonly string[]): AsyncIterable<Uint8Array | undefined>;
  /** The number of commits up to this one, without merges. */
  countCommits(commit: string): Promise<number>;
  /**
   * The text that `HistoryReader` reads, newest commit first.
   *
   * @param onCut called when it ends early: after a limit, or where an object is missing
   */
  history(commit: string, limits: HistoryLimits, onCut: (reason: 'commits' | 'time') => void): AsyncIterable<string>;
  /**
   * The commit of each line, counted from 1, except uncommitted lines. Without a commit, blames the page in the working
   * tree.
   */
  blame(path: string, lines: readonly number[], commit: string | undefined): Promise<Map<number, LineCommit>>;
  /** The lines that were added to each page; they count from 1. */
  addedLines(base: string, head: string): Promise<Map<string, Set<number>>>;
  /** Returns the words that occur in these files, or in any file when none are given. */
  find(commit: string, words: readonly string[], paths: readonly string[]): Promise<Set<string>>;
  /** The file in the working tree; undefined when it is missing, too long, or not a plain file. */
  read(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/** The names that installed packages declare. */
export interface DependencyNames {
  /** Returns the words that some package declares. */
  find(words: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Whether everything that the project depends on was looked at; call this after `find`. */
  isComplete(): boolean;
}

export interface CheckListener {
  finding(finding: Finding): void;
  progress(done: number, total: number): void;
}

export interface CheckLimits {
  /** Time limit for a whole check, in milliseconds. */
  timeMs: number;
  commits: number;
  historyBytes: number;
  pages: number;
  /** Maximum size of one page, and of all code together, in bytes. */
  pageBytes: number;
  codeBytes: number;
  codeFiles: number;
}

export const DEFAULT_LIMITS: CheckLimits = {
  timeMs: 120_000,
  commits: 50_000,
  historyBytes: 1_500_000_000,
  pages: 20_000,
  pageBytes: 400_000,
  codeBytes: 1_500_000_000,
  codeFiles: 200_000,
};

/** Counts what was looked at, and what was not. */
export class CoverageCounter {
  pages = 0;
  leftOut = 0;
  names = 0;
  links = 0;
  defaults = 0;
  private readonly counts = new Map<NotCheckedReason, number>();

  skip(reason: NotCheckedReason, count = 1): void {
    if (count > 0) {
      this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
    }
  }

  coverage(): Coverage {
    const { pages, leftOut, names, links, defaults, counts } = this;
    return {
      pages,
      leftOut,
      names,
      links,
      defaults,
      notChecked: [...counts].map(([reason, count]) => ({ reason, count })),
    };
  }
}
