import type { SummarizedFile } from '../../git/diff';
import { escapeHtml } from './html';

/**
 * Options of `git diff` for what `toChangedFiles` reads. A word is a run of letters, a single punctuation mark, or white
 * space, because indentation can have a meaning. The bytes of other scripts count as letters, so that no character is
 * split.
 */
export const WORD_DIFF = ['--word-diff=porcelain', '--word-diff-regex=[^[:space:][:punct:]]+|[[:punct:]]|[[:space:]]+'];

/** The changes of one file. */
export interface ChangedFile {
  /** What the text doesn't show, nearly in git's words, such as `new`, `rename from docs/old.md`, `new mode 100755`. */
  notes: string[];
  /** The places with changes, as HTML. */
  hunks: string[];
}

const NOTE = /^(?:(?:old|new|new file|deleted file) mode \d+|rename from .*|Binary files .*)$/;

/**
 * Reads a diff with the options above, in which each line of text is printed in pieces: `+`, `-`, or a space, and the
 * words; then a line with `~`.
 *
 * @param files the files that differ, in the order of the patches: a name in a patch can be ambiguous
 */
export function toChangedFiles(printed: string, files: readonly Pick<SummarizedFile, 'status'>[]): ChangedFile[] {
  const patches = printed.split(/\n(?=diff --git )/).map(toChangedFile);
  return files.map(({ status }) => {
    // A file that becomes a link, or the other way around, is printed as one that is deleted and a new one.
    const parts = patches.splice(0, status === 'T' ? 2 : 1);
    return { notes: parts.flatMap(({ notes }) => notes), hunks: parts.flatMap(({ hunks }) => hunks) };
  });
}

function toChangedFile(patch: string): ChangedFile {
  const [head = '', ...hunks] = patch.split(/\n@@ .*/);
  const notes = head.split('\n').filter((line) => NOTE.test(line));
  return {
    notes: notes.map((line) => (line.startsWith('Binary') ? 'binary' : line.replace(/ file mode 100644$/, ''))),
    hunks: hunks.map((hunk) => hunk.split('\n').map(pieceOf).join('')),
  };
}

function pieceOf(line: string): string {
  switch (line[0]) {
    case '+':
      return `<ins>${escapeHtml(line.slice(1))}</ins>`;
    case '-':
      return `<del>${escapeHtml(line.slice(1))}</del>`;
    case '~':
      return '\n';
    default:
      return escapeHtml(line.slice(1).replace(/\r$/, ''));
  }
}
