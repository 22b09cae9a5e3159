import { html, parse } from 'diff2html';
import { escapeHtml, visibleControls } from './escapeHtml';

/** The rows alone: the page sets its own frame, heading and scrolling region round them. */
const TEMPLATES = {
  'generic-wrapper': '{{{content}}}',
  'generic-file-path': '',
  'generic-empty-diff': '',
  'generic-block-header': '<tr class="d2h-info"><td class="n"></td><td>{{{blockHeader}}}</td></tr>',
  'generic-line':
    '<tr class="{{type}}"><td class="n">{{{lineNumber}}}</td><td class="c">{{{prefix}}}{{{content}}}</td></tr>',
  'line-by-line-numbers': '<span>{{oldNumber}}</span><span>{{newNumber}}</span>',
  'line-by-line-file-diff': '{{{diffs}}}',
};

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
    rows:
      file.blocks.length === 0 ? '' : html([file], { drawFileList: false, matching: 'lines', rawTemplates: TEMPLATES }),
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
