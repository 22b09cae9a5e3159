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

/** Longer lines are data, or written by a program. */
const MAX_LINE = 2_000;
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
      this.take(whole.slice(start, end));
      start = end + 1;
    }
    // The rest of a very long line is dropped piece by piece.
    this.rest = whole.slice(start).slice(0, MAX_LINE + 1);
  }

  end(): void {
    this.take(this.rest);
    this.rest = '';
    this.endCommit();
  }

  private take(line: string): void {
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
        if (this.inHunk && this.words.size > 0 && this.added.length < MAX_HUNK_LINES && line.length <= MAX_LINE) {
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
    if (line.length > MAX_LINE) {
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
