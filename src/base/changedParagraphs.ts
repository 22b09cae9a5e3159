import { showInvisible } from './text';
import type { WordChange, WordDiff } from './wordDiff';

export interface ChangedPart {
  readonly kind: 'unchanged' | 'deleted' | 'inserted';
  readonly text: string;
}

export type Paragraph = readonly ChangedPart[];

/** What the changed paragraphs of a file depend on besides its patch. */
interface ParagraphOptions {
  diffWords: WordDiff;
  /** Whether the file is Markdown, in which new spaces and line breaks within a paragraph say nothing. */
  isProse: boolean;
}

/** Returns the changed paragraphs of a file, from a patch without context lines (`git diff --unified=0`). */
export function changedParagraphs(patch: string, { diffWords, isProse }: ParagraphOptions): Paragraph[] {
  // Otherwise, a code point that is written out would look like the invisible character itself.
  const shown = showInvisible(patch.replaceAll('⟨U+', '⟨U+27E8⟩U+'));
  return blocksOf(shown).flatMap(({ deleted, added }) => {
    const join = isProse && isWrapped(deleted) && isWrapped(added) ? unwrap : keepColumns;
    const [before, after] = [join(deleted), join(added)];
    const pieces = diffWords(before, after);
    const isWhole = pieces.every(({ isChanged }) => isChanged) || pieces.some(hidesChange);
    return isWhole
      ? [...split([part('deleted', before)]), ...split([part('inserted', after)])]
      : split(
          pieces.flatMap((piece) =>
            piece.isChanged
              ? [part('deleted', piece.before), part('inserted', piece.after)]
              : [part('unchanged', piece.after)],
          ),
        );
  });
}

/** Decoding replaces bytes that aren't UTF-8 with this character, so different bytes look the same. */
const UNKNOWN = '\uFFFD';

/** Whether the marks of a word diff wouldn't show that something has changed, or could have. */
function hidesChange({ isChanged, before, after }: WordChange): boolean {
  return `${before}${after}`.includes(UNKNOWN) || (isChanged && `${before}${after}`.trim() === '');
}

/**
 * A line of Markdown in which spaces and line breaks may have a meaning, as in lists, tables, and code blocks: new ones can
 * end a comment or a block.
 */
const STRUCTURED_LINE = /^[^\p{L}\p{N}]|[#:;{}=<>|\\~@$]|\/[/*]|--/u;

/** Shorter lines were not wrapped: they are separate, as in code. In UTF-16 units. */
const WRAPPED_LINE = 40;

/** Whether lines may be wrapped again without changing what they say. */
function isWrapped(lines: readonly string[]): boolean {
  const trimmed = lines.map((line) => line.trimEnd());
  return trimmed.every(
    (line, index) => !STRUCTURED_LINE.test(line) && (line.length >= WRAPPED_LINE || line === '' || !trimmed[index + 1]),
  );
}

/** Puts each paragraph of prose on one line, with one space between words. */
function unwrap(lines: readonly string[]): string {
  const paragraphs = lines
    .map((line) => line.trim())
    .join('\n')
    .split(/\n{2,}/);
  return paragraphs.map((text) => text.replaceAll(/[ \t\n]+/g, ' ')).join('\n\n');
}

/** The columns of a table move with each change of a cell. */
function keepColumns(lines: readonly string[]): string {
  return lines.map((line) => (line.trimStart().startsWith('|') ? line.replace(/(\S)[ \t]+/g, '$1 ') : line)).join('\n');
}

function part(kind: ChangedPart['kind'], text: string): ChangedPart {
  return { kind, text };
}

/** Deleted lines and the added lines that follow them. */
interface Block {
  deleted: string[];
  added: string[];
}

function blocksOf(patch: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let isInHunk = false;
  for (const line of patch.split('\n')) {
    const text = line.slice(1).replace(/\r$/, '');
    if (line.startsWith('@@')) {
      isInHunk = true;
      open = undefined;
    } else if (isInHunk && (line.startsWith('-') || line.startsWith('+'))) {
      if (open === undefined || (line.startsWith('-') && open.added.length > 0)) {
        open = { deleted: [], added: [] };
        blocks.push(open);
      }
      (line.startsWith('-') ? open.deleted : open.added).push(text);
    } else if (!line.startsWith('\\')) {
      // A context line, or the header of a file that replaces one of another type.
      open = undefined;
      isInHunk = isInHunk && line.startsWith(' ');
    }
  }
  return blocks;
}

/** Splits at empty lines, and leaves out what has not changed. */
function split(parts: readonly ChangedPart[]): Paragraph[] {
  const paragraphs: ChangedPart[][] = [[]];
  for (const { kind, text } of parts) {
    for (const [index, piece] of text.split(/\n(?:[^\S\n]*\n)+/).entries()) {
      if (index > 0) {
        paragraphs.push([]);
      }
      if (piece !== '') {
        paragraphs.at(-1)?.push({ kind, text: piece });
      }
    }
  }
  return paragraphs.filter((each) => each.some(({ kind, text }) => kind !== 'unchanged' && text.trim() !== ''));
}
