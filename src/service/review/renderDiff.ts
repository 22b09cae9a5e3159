import { parse } from 'diff2html';
import type { DiffFile } from 'diff2html/lib/types';
import { pathOf, plainPath } from './diffPath';
import { diffRows } from './diffRows';
import { escapeHtml } from './escapeHtml';
import { ENGLISH, type Language } from './language';
import { showInvisible } from '../../shared/util/invisible';

/** Modes of files as git writes them. */
const LINK = '120000';
const EXECUTABLE = '100755';
const PLAIN = '100644';

/** The diff of one file as HTML, and its name for headings, escaped. */
export interface RenderedFile {
  name: string;
  note: string;
  /** Rows of a table; empty when there is no text to compare. */
  rows: string;
}

/** @param diff what `git diff` prints */
export function renderDiff(diff: string, language: Language = ENGLISH): RenderedFile[] {
  return parse(showInvisible(diff)).map((file) => ({
    name: escapeHtml(pathOf(file)),
    note: escapeHtml(noteOn(file, language)),
    rows: diffRows(file.blocks),
  }));
}

function noteOn(file: DiffFile, language: Language): string {
  const { t } = language;
  const kinds = [
    file.isNew ? t('new') : '',
    file.isDeleted ? t('deleted') : '',
    file.isRename ? t('renamed from {0}', plainPath(file.oldName)) : '',
    modeNote(file, language),
    file.isBinary ? t('binary') : '',
  ];
  return kinds.filter((kind) => kind !== '').join(', ');
}

/** What the mode of a file says that its text does not. */
function modeNote({ oldMode, newMode, newFileMode, deletedFileMode, mode }: DiffFile, { t }: Language): string {
  const [before, after] = [oldMode ?? deletedFileMode ?? mode, newMode ?? newFileMode ?? mode];
  if (before === LINK || after === LINK) {
    return t('link');
  }
  if (before === EXECUTABLE) {
    return after === PLAIN ? t('no longer executable') : '';
  }
  return after === EXECUTABLE ? t('now executable') : '';
}
