import { diffSummary, placeToCompare, PLAIN_DIFF, type SummarizedFile } from './diff';
import type { ChangeRepository } from './git';

/** Limits on the patches of a diff: files, and UTF-16 units of each and of all. */
export interface PatchLimits {
  files: number;
  perFile: number;
  characters: number;
}

/** The patch of one file, without context lines, as `git diff` prints it. */
export interface FilePatch {
  path: string;
  patch: string;
  /** Whether the patch has further lines. */
  isCut: boolean;
}

/**
 * Returns the patches of the first files that differ. Throws GitError, or the signal's reason.
 *
 * @param compared what `git diff` compares, such as two commits
 */
export async function readPatches(
  { git, place: opened, signal }: ChangeRepository,
  compared: readonly string[],
  limits: PatchLimits,
): Promise<FilePatch[]> {
  const place = await placeToCompare({ git, place: opened }, compared);
  // The names in a patch can be ambiguous, those of a summary are not. Both have the same order.
  const { files } = await diffSummary({ git, place, signal }, compared, { files: limits.files, characters: Infinity });
  const reader = new PatchReader(limits, files);
  const decoder = new TextDecoder();
  const args = [...PLAIN_DIFF, '--patch', '--unified=0', '--src-prefix=a/', '--dst-prefix=b/', ...compared, '--'];
  for await (const bytes of git.stream(place, args, signal)) {
    reader.push(decoder.decode(bytes, { stream: true }));
    if (reader.isFull) {
      break;
    }
  }
  return reader.end();
}

/** Splits the output of `git diff` into the patches of its files, and keeps the beginning of each. */
export class PatchReader {
  private readonly patches: { header: string; parts: number; lines: string[]; length: number; isCut: boolean }[] = [];
  private rest = '';
  private isRestCut = false;
  private characters = 0;

  /** @param files the files that differ, in the order of the patches */
  constructor(
    private readonly limits: PatchLimits,
    private readonly files: readonly Pick<SummarizedFile, 'path' | 'status'>[],
  ) {}

  /** Whether nothing more is needed. */
  get isFull(): boolean {
    return this.characters >= this.limits.characters || this.patches.length > this.limits.files;
  }

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    const rest = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) {
      this.addLine(line, index === 0 && this.isRestCut);
    }
    const { perFile } = this.limits;
    this.isRestCut = rest.length > perFile || (this.isRestCut && lines.length === 0);
    this.rest = rest.slice(0, perFile + 1);
  }

  end(): FilePatch[] {
    const { files } = this;
    return this.patches.slice(0, files.length).map(({ lines, isCut }, index) => ({
      path: files[index]?.path ?? '',
      patch: lines.join('\n'),
      // The last patch may have been read in part.
      isCut: isCut || (this.isFull && index === this.patches.length - 1),
    }));
  }

  private addLine(line: string, isCut: boolean): void {
    const last = this.patches.at(-1);
    // The lines of a file's content all begin with another character.
    if (line.startsWith('diff --git ')) {
      // A file that becomes a link has two patches. Two files can have the same header, because names may contain
      // anything.
      const isSecond = line === last?.header && last.parts === 1 && this.files[this.patches.length - 1]?.status === 'T';
      if (!isSecond) {
        this.patches.push({ header: line, parts: 1, lines: [], length: 0, isCut: false });
        return;
      }
      last.parts = 2;
    }
    if (last === undefined || last.isCut) {
      return;
    }
    const left = Math.min(this.limits.perFile - last.length, this.limits.characters - this.characters);
    if (isCut || line.length + 1 > left) {
      last.isCut = true;
      return;
    }
    last.lines.push(line);
    last.length += line.length + 1;
    this.characters += line.length + 1;
  }
}
