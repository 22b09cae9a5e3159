import type { LinkSite } from './links';
import type { CommitInfo, Coverage, Finding, NotCheckedReason } from './finding';

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

/** What a commit did to files. */
export interface Change {
  commit: CommitInfo;
  /** `before` and `after` are the ids of the contents; undefined for a file that was added or removed. */
  files: { path: string; before: string | undefined; after: string | undefined }[];
}

export interface GrepOptions {
  /** Whether only whole words are found. */
  words: boolean;
  /** Where to look; everywhere when empty. */
  paths: readonly string[];
  /** Whether the paths are patterns, such as `*.md`. */
  globs?: boolean;
}

export interface GrepMatch {
  path: string;
  text: string;
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
  /** Where the repository is hosted, and the branches that follow its newest commit. */
  site(): Promise<LinkSite>;
  /** Whether a part of the history is missing: a shallow or a partial clone. */
  lacksHistory(): Promise<boolean>;
  tree(commit: string): Promise<Tree>;
  /**
   * The contents of these objects, by id or as `commit:path`, in their order; undefined for one that doesn't exist. Each
   * stays only until the next one is asked for.
   */
  contents(objects: readonly string[]): AsyncIterable<Buffer | undefined>;
  /** The number of commits up to this one, without merges. */
  countCommits(commit: string): Promise<number>;
  /** The changes up to a commit, newest first, without merges. Ends early where an object is missing. */
  changes(commit: string, maxCommits: number): AsyncIterable<Change>;
  /** The lines that were added to each page; they count from 1. */
  addedLines(base: string, head: string): Promise<Map<string, Set<number>>>;
  /** Where these texts stand in the files of a commit. */
  grep(commit: string, texts: readonly string[], options: GrepOptions): Promise<GrepMatch[]>;
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
  pages: number;
  /** Maximum size of one page, and of all code together, in bytes. */
  pageBytes: number;
  codeBytes: number;
  codeFiles: number;
}

export const DEFAULT_LIMITS: CheckLimits = {
  timeMs: 120_000,
  commits: 50_000,
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

/** Stores what a check found. It may lose that at any time. */
export interface CacheStore {
  load(): Promise<unknown>;
  save(value: unknown): Promise<void>;
}
