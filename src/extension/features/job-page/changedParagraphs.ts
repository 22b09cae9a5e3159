import { showInvisible } from '../../../base/text';
import type { WordDiff } from '../../../base/wordDiff';
import type { ChangedPart, Paragraph } from './model';

/** Longer paragraphs are data, not prose; the rest is left out. In UTF-16 units. */
const MAX_PARAGRAPH = 4000;

/** Lines without an empty one between them, such as a table, are split after this many. */
const MAX_LINES = 12;

/** Returns the changed paragraphs of a file, from a patch without context lines (`git diff --unified=0`). */
export function changedParagraphs(patch: string, diffWords: WordDiff): Paragraph[] {
  return blocksOf(showInvisible(patch)).flatMap(({ deleted, added }) => {
    const pieces = isSpacingShown(deleted, added) ? [] : diffWords(deleted.join('\n'), added.join('\n'));
    return pieces.every(({ isChanged }) => isChanged)
      ? [...split([part('deleted', deleted.join('\n'))]), ...split([part('inserted', added.join('\n'))])]
      : split(
          pieces.flatMap(({ isChanged, before, after }) =>
            isChanged ? [part('deleted', before), part('inserted', after)] : [part('kept', after)],
          ),
        );
  });
}

/** A line whose beginning has a meaning, as in lists, code, and settings. */
const MARKED_LINE = /^[^\p{L}\p{N}]/u;

/**
 * Whether only spaces and line breaks differ, but in a way that is more than new line breaks in a paragraph of prose: a
 * line of code may have left its comment or its block.
 */
function isSpacingShown(deleted: readonly string[], added: readonly string[]): boolean {
  const [before, after] = [deleted, added].map((lines) => lines.map((line) => line.trimEnd()).filter(Boolean));
  const words = (lines: readonly string[] = []) => lines.join(' ').replace(/\s+/g, ' ').trim();
  return (
    words(before) === words(after) &&
    before?.join('\n') !== after?.join('\n') &&
    [before, after].some((lines) => lines?.some((line) => MARKED_LINE.test(line)))
  );
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
