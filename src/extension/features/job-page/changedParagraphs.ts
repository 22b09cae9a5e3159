import { showInvisible } from '../../../base/text';
import type { WordDiff } from '../../../base/wordDiff';
import type { ChangedPart, Paragraph } from './model';

/** Longer paragraphs are data, not prose; the rest is left out. In UTF-16 units. */
const MAX_PARAGRAPH = 4000;

/** Lines without an empty one between them, such as a table, are split after this many. */
const MAX_LINES = 12;

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
  return blocksOf(shown).flatMap((block) => {
    const [deleted, added] = [block.deleted.join('\n'), block.added.join('\n')];
    const pieces = diffWords(deleted, added);
    return pieces.every(({ isChanged }) => isChanged) || hidesChange(block, pieces, isProse)
      ? [...split([part('deleted', deleted)]), ...split([part('inserted', added)])]
      : split(
          pieces.flatMap(({ isChanged, before, after }) =>
            isChanged ? [part('deleted', before), part('inserted', after)] : [part('kept', after)],
          ),
        );
  });
}

/**
 * A line of Markdown in which spaces and line breaks may have a meaning, as in lists, tables, and code blocks: new ones can
 * end a comment or a block.
 */
const STRUCTURED_LINE = /^[^\p{L}\p{N}]|[#:;{}=<>|\\~@$]|\/[/*]|--/u;

/** Shorter lines were not wrapped: they are separate, as in code. In UTF-16 units. */
const WRAPPED_LINE = 40;

/** Decoding replaces bytes that aren't UTF-8 with this character, so different bytes look the same. */
const UNKNOWN = '\uFFFD';

/** Whether a word diff leaves out a change that is more than new spaces and line breaks in a paragraph of prose. */
function hidesChange({ deleted, added }: Block, pieces: ReturnType<WordDiff>, isProse: boolean): boolean {
  const whole = { before: deleted.join('\n'), after: added.join('\n') };
  if (`${whole.before}${whole.after}`.includes(UNKNOWN)) {
    return true;
  }
  const isOnlySpacing = pieces.every((piece) => !piece.isChanged || `${piece.before}${piece.after}`.trim() === '');
  const kept = isOnlySpacing ? [whole] : pieces.filter(({ isChanged }) => !isChanged);
  const differ = (form: (text: string) => string): boolean =>
    kept.some(({ before, after }) => form(before) !== form(after));
  return (
    differ(withoutSpacing) ||
    (!(isProse && isWrapped(deleted) && isWrapped(added)) &&
      differ(isOnlySpacing ? withoutEmptyLines : withSingleSpaces))
  );
}

/** Whether lines may be wrapped again without changing what they say. */
function isWrapped(lines: readonly string[]): boolean {
  const trimmed = lines.map((line) => line.trimEnd());
  return trimmed.every(
    (line, index) => !STRUCTURED_LINE.test(line) && (line.length >= WRAPPED_LINE || line === '' || !trimmed[index + 1]),
  );
}

/** With one space between words. Other spaces than these may have a meaning. */
function withoutSpacing(text: string): string {
  return text
    .split(/[ \t\n]+/)
    .join(' ')
    .trim();
}

/**
 * Without empty lines and spaces at the end of a line, except after a backslash, which continues the line without them.
 * The first and the last line may belong to others.
 */
function withoutEmptyLines(text: string): string {
  const lines = text.split('\n').map((line) => (line.trimEnd().endsWith('\\') ? line : line.trimEnd()));
  return lines.filter((line, index) => line !== '' || index === 0 || index === lines.length - 1).join('\n');
}

/** The columns of a table move with each change of a cell. */
function withSingleSpaces(text: string): string {
  const lines = withoutEmptyLines(text).split('\n');
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
  const paragraphs: ChangedPart[][] = [];
  let lines = MAX_LINES;
  for (const line of linesOf(parts)) {
    const isEmpty = line.every(({ text }) => text.trim() === '');
    if (lines >= MAX_LINES && !isEmpty) {
      const [first, ...others] = line;
      paragraphs.push(first === undefined ? [] : [{ ...first, text: first.text.replace(/^\n/, '') }, ...others]);
      lines = 1;
    } else if (isEmpty) {
      lines = MAX_LINES;
    } else {
      lines += 1;
      for (const { kind, text } of line) {
        append(paragraphs.at(-1) ?? [], kind, text);
      }
    }
  }
  return paragraphs
    .filter((each) => each.some(({ kind, text }) => kind !== 'kept' && text.trim() !== ''))
    .map((each) => limit(each.filter(({ text }) => text !== '')));
}

/** Each line but the first begins with its line break. */
function linesOf(parts: readonly ChangedPart[]): ChangedPart[][] {
  const lines: ChangedPart[][] = [[]];
  for (const { kind, text } of parts) {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        lines.push([{ kind, text: `\n${line}` }]);
      } else if (line !== '') {
        lines.at(-1)?.push({ kind, text: line });
      }
    }
  }
  return lines;
}

function append(parts: ChangedPart[], kind: ChangedPart['kind'], text: string): void {
  const last = parts.at(-1);
  if (last?.kind === kind) {
    parts[parts.length - 1] = { kind, text: last.text + text };
  } else if (text !== '') {
    parts.push({ kind, text });
  }
}

/** Cuts a paragraph, and says so. */
function limit(parts: readonly ChangedPart[]): Paragraph {
  const kept: ChangedPart[] = [];
  let left = MAX_PARAGRAPH;
  for (const { kind, text } of parts) {
    if (text.length > left) {
      kept.push({ kind, text: `${text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '')}…` });
      return { parts: kept, isCut: true };
    }
    kept.push({ kind, text });
    left -= text.length;
  }
  return { parts: kept };
}
