import type { DiffBlock, DiffLine } from 'diff2html/lib/types';
import { escapeMarkup } from './html';

/**
 * Table rows: one for each line, and one before each hunk. `renderDiff` has made invisible characters visible. Takes time
 * linear in the length of the diff, unlike diff2html's own rows.
 */
export function diffRows(blocks: readonly DiffBlock[]): string {
  return blocks
    .map(({ header, lines }) => [infoRow(header), ...groupsOf(lines).flatMap(groupRows)].join(''))
    .join('\n');
}

/** Deleted lines and the added ones that follow them, or one other line. */
interface Group {
  context?: DiffLine;
  deleted: DiffLine[];
  added: DiffLine[];
}

function groupsOf(lines: readonly DiffLine[]): Group[] {
  const groups: Group[] = [];
  let open: Group | undefined;
  for (const line of lines) {
    if (line.oldNumber !== undefined && line.newNumber !== undefined) {
      open = undefined;
      groups.push({ context: line, deleted: [], added: [] });
      continue;
    }
    const isDeleted = line.newNumber === undefined;
    if (open === undefined || (isDeleted && open.added.length > 0)) {
      open = { deleted: [], added: [] };
      groups.push(open);
    }
    (isDeleted ? open.deleted : open.added).push(line);
  }
  return groups;
}

/** The changed words are marked where a deleted line has an added one in the same place. */
function groupRows({ context, deleted, added }: Group): string[] {
  if (context !== undefined) {
    return [row('d2h-cntx', context, escapeMarkup(textOf(context)))];
  }
  const marked = (line: DiffLine, other: DiffLine | undefined, tag: 'del' | 'ins'): string => {
    const text = textOf(line);
    const common = other === undefined ? undefined : commonParts(text, textOf(other));
    return common === undefined ? escapeMarkup(text) : mark(text, common.start, text.length - common.end, tag);
  };
  return [
    ...deleted.map((line, index) => row('d2h-del', line, marked(line, added[index], 'del'))),
    ...added.map((line, index) => row('d2h-ins', line, marked(line, deleted[index], 'ins'))),
  ];
}

function mark(text: string, from: number, to: number, tag: 'del' | 'ins'): string {
  const changed = escapeMarkup(text.slice(from, to));
  const shown = changed === '' ? '' : `<${tag}>${changed}</${tag}>`;
  return `${escapeMarkup(text.slice(0, from))}${shown}${escapeMarkup(text.slice(to))}`;
}

function textOf({ content }: DiffLine): string {
  return content.slice(1);
}

/** The sign has a cell of its own, so that wrapped lines start where the text does and copied text has no signs. */
function row(type: string, { content, oldNumber, newNumber }: DiffLine, text: string): string {
  const sign = escapeMarkup(content.charAt(0).trim());
  const numbers = [oldNumber, newNumber].map((number) => `<td class="n">${number ?? ''}</td>`).join('');
  return `<tr class="${type}">${numbers}<td class="s">${sign}</td><td class="c">${text}</td></tr>`;
}

function infoRow(header: string): string {
  return `<tr class="d2h-info"><td colspan="4">${escapeMarkup(header)}</td></tr>`;
}

/** What two lines start and end with in common, in UTF-16 units. */
export interface Common {
  start: number;
  end: number;
}

/**
 * Finds the changed part of a line, by whole words, in one pass over each line: a better search would take quadratic
 * time, and anyone can write a diff.
 *
 * @returns undefined when the lines have nothing in common
 */
export function commonParts(before: string, after: string): Common | undefined {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) {
    start += 1;
  }
  while (start > 0 && isInWord(before[start - 1]) && (isInWord(before[start]) || isInWord(after[start]))) {
    start -= 1;
  }
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
  }
  while (end > 0 && isInWord(before.at(-end)) && (isInWord(before.at(-1 - end)) || isInWord(after.at(-1 - end)))) {
    end -= 1;
  }
  return start + end === 0 ? undefined : { start, end };
}

/** Surrogates count as part of a word, so that no character is split. */
function isInWord(unit: string | undefined): boolean {
  return unit !== undefined && /[\p{L}\p{M}\p{N}\p{Cs}_]/u.test(unit);
}
