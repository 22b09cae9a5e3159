import type { DiffBlock, DiffLine } from 'diff2html/lib/types';
import { commonParts } from './changedWords';
import { escapeMarkup } from './escapeHtml';

/**
 * Rows of a table: one for each line, and one before each hunk; `renderDiff` has made the text visible. This takes a time that grows with the length of the diff
 * and not faster, which can't be said of diff2html's own rows (`matching`, and the words within a line).
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

function row(type: string, { content, oldNumber, newNumber }: DiffLine, text: string): string {
  const prefix = content.startsWith(' ') ? '&nbsp;' : escapeMarkup(content.charAt(0));
  const numbers = [oldNumber, newNumber].map((number) => `<span>${number ?? ''}</span>`).join('');
  return `<tr class="${type}"><td class="n">${numbers}</td><td class="c">${prefix}${text}</td></tr>`;
}

function infoRow(header: string): string {
  return `<tr class="d2h-info"><td class="n"></td><td>${escapeMarkup(header)}</td></tr>`;
}
