import type { ChangedFile } from './changedFile';
import { LineReader } from './lineReader';
import { fairShare, guessedSize } from './planPatches';
import { patchHeader } from './patchHeader';

/** What is shown of one file's change. */
export interface Patch {
  file: ChangedFile;
  lines: string[];
  /** How many of them add or remove a line. */
  shown: number;
  /** Something of it is left out. */
  isCut: boolean;
}

/**
 * Reads a diff in git's format in pieces as they come, and keeps a fair share of each file's: small ones whole, of a large
 * one its beginning.
 */
export class PatchReader {
  private readonly patches = new Map<ChangedFile, Patch>();
  private readonly byHeader: Map<string, ChangedFile>;
  private readonly waiting: Set<ChangedFile>;
  private readonly lines = new LineReader((line) => this.take(line));
  private current: Patch | undefined;
  /** The characters that the current file may still use. */
  private share = 0;
  private isInHunk = false;

  /**
   * @param files those that are wanted, in the order of the diff
   * @param budget characters for all of them
   */
  constructor(
    files: readonly ChangedFile[],
    private budget: number,
  ) {
    this.byHeader = new Map(files.map((file) => [patchHeader(file), file]));
    this.waiting = new Set(files);
  }

  /** What was read, in the order of the diff. */
  get read(): Patch[] {
    return [...this.patches.values()];
  }

  /** @returns false when nothing that may still come is wanted */
  push(bytes: Uint8Array): boolean {
    return this.lines.push(bytes);
  }

  /** The diff has ended, or another follows. */
  end(): void {
    this.lines.end();
    this.current = undefined;
  }

  private take(line: string): boolean {
    if (line.startsWith('diff --git ')) {
      this.begin(line);
    } else if (line.startsWith('@@ ')) {
      this.isInHunk = true;
    }
    const { current } = this;
    if (current === undefined || current.isCut) {
      return this.waiting.size > 0;
    }
    const size = line.length + 1;
    if (size > this.share) {
      this.cut(current);
      return this.waiting.size > 0;
    }
    this.share -= size;
    this.budget -= size;
    current.lines.push(line);
    current.shown += this.isInHunk && /^[+-]/.test(line) ? 1 : 0;
    return true;
  }

  private begin(header: string): void {
    this.isInHunk = false;
    const file = this.byHeader.get(header);
    this.current = file && this.patches.get(file);
    if (file === undefined || this.current !== undefined) {
      // A file that became a link, say, comes in two parts.
      return;
    }
    this.share = Math.floor(fairShare([...this.waiting].map(guessedSize), this.budget));
    // Guesses may be too small: what nobody else asks for is the file's as well.
    const others = [...this.waiting].reduce((sum, each) => sum + (each === file ? 0 : guessedSize(each)), 0);
    this.share = Math.max(this.share, this.budget - others);
    this.waiting.delete(file);
    this.current = { file, lines: [], shown: 0, isCut: false };
    this.patches.set(file, this.current);
  }

  private cut(patch: Patch): void {
    patch.isCut = true;
    if (patch.lines.length === 0) {
      // Not even its name: then it is one of those that are not shown.
      this.patches.delete(patch.file);
    }
    if (patch.lines.at(-1)?.startsWith('@@ ') === true) {
      this.budget += (patch.lines.pop()?.length ?? 0) + 1;
    }
  }
}
