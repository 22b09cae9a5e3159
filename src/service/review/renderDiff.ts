import { parse } from 'diff2html';
import type { DiffFile } from 'diff2html/lib/types';
import { diffRows } from './diffRows';
import { escapeHtml } from './html';
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

const IMAGE = /\.(avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i;

/** The longest line that is shown whole, in UTF-16 units. Longer ones are data, not prose. */
const MAX_LINE = 2_000;

/** @param diff what `git diff` prints */
export function renderDiff(diff: string, language: Language = ENGLISH): RenderedFile[] {
  return parse(showInvisible(shortenLines(diff, language))).map((file) => ({
    name: escapeHtml(pathOf(file)),
    note: escapeHtml(noteOn(file, language)),
    rows: diffRows(file.blocks),
  }));
}

/** Cuts long lines and says in each by how much. */
function shortenLines(diff: string, { t }: Language): string {
  return diff
    .split('\n')
    .map((line) => {
      const rest = line.length - MAX_LINE;
      const start = line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '');
      return rest > 0 ? `${start} … ${t('{0} more characters', String(rest))}` : line;
    })
    .join('\n');
}

function noteOn(file: DiffFile, language: Language): string {
  const { t } = language;
  const binary = IMAGE.test(pathOf(file)) ? t('image') : t('binary');
  const kinds = [
    file.isNew ? t('new') : '',
    file.isDeleted ? t('deleted') : '',
    file.isRename ? t('renamed from {0}', plainPath(file.oldName)) : '',
    modeNote(file, language),
    file.isBinary ? binary : '',
  ];
  return kinds.filter((kind) => kind !== '').join(', ');
}

/** The path of a file after the change, or before it for a deleted one. */
function pathOf({ isDeleted, oldName, newName }: DiffFile): string {
  return plainPath(isDeleted === true ? oldName : newName);
}

/** git ends a path with a space in it by a TAB, which the parser takes for part of the path. */
function plainPath(name: string): string {
  return name.replace(/"?\t$/, '');
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
