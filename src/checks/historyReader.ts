import { MAX_CODE_LINE, MAX_NAME } from '../base/limits';
import { pathInHeader } from '../git/diff';
import type { CommitInfo } from './finding';
import { wordsOf } from './names';
import { isCodeAt } from './ownNames';

/** A place where lines were replaced, with words that were looked for. */
export interface DeletionHunk {
  commit: CommitInfo;
  path: string;
  deleted: readonly string[];
  added: readonly string[];
  /** The words found, and whether each was used as code. */
  words: ReadonlyMap<string, boolean>;
}

/** The files that a commit removed and added. */
export interface FileChanges {
  commit: CommitInfo;
  removed: readonly string[];
  added: readonly string[];
}

export interface HistoryHandler {
  wants(word: string): boolean;
  hunk(hunk: DeletionHunk): void;
  files(changes: FileChanges): void;
  /** Called at the start of each commit. */
  commit(commit: CommitInfo): void;
}

/** The format of the line above each commit: a mark that no line of a diff starts with, then id, time, and subject. */
export const HISTORY_FORMAT = '%x01%H %ct %s';

/** A larger change of one file was made by a program, and so was one of more files. */
const MAX_HUNK_LINES = 400;
const MAX_FILES = 2_000;

/** Reads `git log -p -U0` in pieces. */
export class HistoryReader {
  private rest = '';
  private commit: CommitInfo | undefined;
  private path = '';
  private inHunk = false;
  private deleted: string[] = [];
  private added: string[] = [];
  private words = new Map<string, boolean>();
  private removedFiles: string[] = [];
  private addedFiles: string[] = [];
  private state: 'changed' | 'removed' | 'added' = 'changed';

  constructor(private readonly handler: HistoryHandler) {}

  push(text: string): void {
    const whole = this.rest + text;
    let start = 0;
    for (let end = whole.indexOf('\n'); end !== -1; end = whole.indexOf('\n', start)) {
      this.parseLine(whole.slice(start, end));
      start = end + 1;
    }
    // The rest of a very long line is dropped piece by piece.
    this.rest = whole.slice(start).slice(0, MAX_CODE_LINE + 1);
  }

  end(): void {
    this.parseLine(this.rest);
    this.rest = '';
    this.endCommit();
  }

  private parseLine(line: string): void {
    switch (line.charCodeAt(0)) {
      case 1:
        this.endCommit();
        this.startCommit(line);
        return;
      case 45: // -
        if (this.inHunk) {
          this.takeDeleted(line);
        }
        return;
      case 43: // +
        if (this.inHunk && this.words.size > 0 && this.added.length < MAX_HUNK_LINES && line.length <= MAX_CODE_LINE) {
          this.added.push(line.slice(1));
        }
        return;
      case 64: // @
        if (line.startsWith('@@')) {
          this.endHunk();
          this.inHunk = true;
        }
        return;
      case 100: // d
        this.takeHeader(line);
        return;
      case 110: // n
        if (line.startsWith('new file mode')) {
          this.state = 'added';
          this.keepFile(this.addedFiles);
        }
    }
  }

  private takeHeader(line: string): void {
    if (line.startsWith('diff --git ')) {
      this.endHunk();
      this.inHunk = false;
      this.state = 'changed';
      // Both names are the same, because rename detection is off.
      this.path = pathInHeader(line.slice(11, (line.length + 10) / 2)).slice(2);
    } else if (line.startsWith('deleted file mode')) {
      this.state = 'removed';
      this.keepFile(this.removedFiles);
    }
  }

  private keepFile(files: string[]): void {
    if (files.length < MAX_FILES) {
      files.push(this.path);
    }
  }

  private takeDeleted(line: string): void {
    if (line.length > MAX_CODE_LINE) {
      return;
    }
    const text = line.slice(1);
    let keep = this.words.size > 0;
    for (const word of wordsOf(text)) {
      if (this.handler.wants(word)) {
        keep = true;
        this.words.set(word, this.words.get(word) === true || isCodeAt(text, word));
      }
    }
    if (keep && this.deleted.length < MAX_HUNK_LINES) {
      this.deleted.push(text);
    }
  }

  private startCommit(line: string): void {
    const [id = '', time = ''] = line.slice(1, 120).split(' ', 2);
    const subject = line.slice(id.length + time.length + 3, 500);
    this.commit = { commit: id, subject, date: Number(time) * 1000 };
    this.handler.commit(this.commit);
  }

  private endHunk(): void {
    if (this.words.size > 0 && this.commit !== undefined) {
      const { commit, path, deleted, added, words } = this;
      this.handler.hunk({ commit, path, deleted, added, words });
      this.words = new Map();
      this.deleted = [];
      this.added = [];
    }
  }

  private endCommit(): void {
    this.endHunk();
    this.inHunk = false;
    if (this.commit !== undefined && this.removedFiles.length > 0) {
      this.handler.files({ commit: this.commit, removed: this.removedFiles, added: this.addedFiles });
    }
    this.removedFiles = [];
    this.addedFiles = [];
  }
}

/** The spelling of longer words isn't compared. */
const MAX_WORD = 60;
/** Maximum number of words that are compared with a name. */
const MAX_CANDIDATES = 500;
/**
 * Maximum number of lines with the word that are compared with their replacements, and maximum length of such a line.
 */
const [MAX_LINES, MAX_LINE] = [20, 500];

/**
 * Returns the word that probably replaced another one: a word that is new in the replaced lines, at the same place in
 * its line or spelled alike. Undefined when there is none.
 *
 * @param isThere whether a word is in the code now
 */
export function successorIn(
  word: string,
  { deleted, added }: { deleted: readonly string[]; added: readonly string[] },
  isThere: (word: string) => boolean,
): string | undefined {
  const before = wordsIn(deleted);
  const candidates = [...wordsIn(added)]
    .filter((each) => each.length > 2 && each.length <= MAX_NAME && !before.has(each) && isThere(each))
    .slice(0, MAX_CANDIDATES);
  const lines = new Set(added.map((line) => line.trim()));
  const withWord = deleted.filter((line) => line.length <= MAX_LINE && line.includes(word)).slice(0, MAX_LINES);
  const replaced = candidates.find((each) => withWord.some((line) => lines.has(line.replaceAll(word, each).trim())));
  return replaced ?? mostAlike(word, candidates, 0.5);
}

/** The different words of these lines. */
function wordsIn(lines: readonly string[]): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    wordsOf(line).forEach((word) => words.add(word));
  }
  return words;
}

/** Returns the word that is spelled almost the same; undefined when none is. */
export function alike(word: string, words: Iterable<string>): string | undefined {
  const near: string[] = [];
  for (const each of words) {
    if (Math.abs(each.length - word.length) <= 2 && each.startsWith(word.charAt(0)) && each !== word) {
      near.push(each);
    }
    if (near.length === 20 * MAX_CANDIDATES) {
      break;
    }
  }
  return word.length < 6 ? undefined : mostAlike(word, near, 0.8);
}

function mostAlike(word: string, candidates: readonly string[], least: number): string | undefined {
  let best: string | undefined;
  let most = least;
  for (const candidate of candidates) {
    const score = likeness(word, candidate);
    if (score >= most && (best === undefined || score > most)) {
      best = candidate;
      most = score;
    }
  }
  return best;
}

/**
 * Similarity from 0 to 1: the share of parts that the names have in common, or of equal characters, whichever is
 * larger.
 */
export function likeness(one: string, other: string): number {
  const parts = partsOf(one);
  const others = partsOf(other);
  const common = [...parts].filter((part) => others.has(part)).length;
  const byParts = common === 0 ? 0 : (2 * common) / (parts.size + others.size);
  const longest = Math.max(one.length, other.length);
  const bySpelling =
    longest > MAX_WORD ? 0 : 1 - distance(one.toLowerCase(), other.toLowerCase()) / Math.max(1, longest);
  return Math.max(byParts, bySpelling);
}

/** `maxRetryCount`, `max_retry_count` and `max-retry-count` have the same parts. */
function partsOf(name: string): Set<string> {
  const spaced = name.slice(0, 200).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return new Set(spaced.toLowerCase().match(/[a-z0-9]+/g));
}

/** The number of characters to change, add, or remove (Levenshtein distance). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/**
 * The path of an added file that probably replaced a removed one: the same name in another folder, or a similar path.
 */
export function successorOfFile(path: string, added: readonly string[]): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = /\.\w+$/.exec(name)?.[0] ?? '';
  const same = added.find((each) => each.endsWith(`/${name}`) || each === name);
  const candidates = added.filter((each) => each.endsWith(ending)).slice(0, MAX_CANDIDATES);
  return same ?? mostAlike(path, candidates, 0.6);
}
