import { parse } from 'diff2html';
import { diffRows } from './diffRows';
import { escapeHtml, visibleControls } from './escapeHtml';

/** The diff of one file as HTML, and its name for headings, escaped. */
export interface RenderedFile {
  name: string;
  note: string;
  /** Rows of a table; empty when there is no text to compare. */
  rows: string;
}

/** @param diff what `git diff` prints */
export function renderDiff(diff: string): RenderedFile[] {
  return parse(visibleControls(diff)).map((file) => ({
    name: escapeHtml(file.isDeleted ? file.oldName : file.newName),
    note: escapeHtml(noteOn(file)),
    rows: diffRows(file.blocks),
  }));
}

function noteOn(file: ReturnType<typeof parse>[number]): string {
  const kinds = [
    file.isNew ? 'new' : '',
    file.isDeleted ? 'deleted' : '',
    file.isRename ? `renamed from ${file.oldName}` : '',
    file.isBinary ? 'binary' : '',
  ];
  return kinds.filter((kind) => kind !== '').join(', ');
}
