import type { DiffFile } from 'diff2html/lib/types';
import type { Language } from './language';

/** File modes as git prints them. */
const LINK = '120000';
const EXECUTABLE = '100755';
const PLAIN = '100644';

const IMAGE = /\.(avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i;

interface NoteContext {
  language: Language;
  text: string;
  path: string;
  removed: DiffFile | undefined;
}

/**
 * Returns what the rows of a file don't show.
 *
 * @param text the file's part of the diff
 * @param removed the same file as it was, if its type has changed
 */
export function noteOn(file: DiffFile, { language, text, path, removed }: NoteContext): string {
  const { t } = language;
  if (removed !== undefined) {
    return modeNote({ ...file, deletedFileMode: removed.deletedFileMode ?? '' }, language);
  }
  const binary = IMAGE.test(path) ? t('image') : t('binary');
  const kinds = [
    file.isNew ? t('new') : '',
    file.isDeleted ? t('deleted') : '',
    file.isRename ? t('renamed from {0}', plainPath(file.oldName)) : '',
    modeNote(file, language),
    file.isBinary ? binary : '',
    hasOtherLineEnds(text) ? t('line endings changed') : '',
  ];
  return kinds.filter((kind) => kind !== '').join(', ');
}

/**
 * The path of a file after the change. Unless it was renamed, both names in the header are the same. The parser doesn't
 * know that, and would take the end of `a/evil b/docs/x b/evil b/docs/x` for the second one.
 */
export function pathOf({ isRename, newName }: DiffFile, header: string): string {
  const first = header.slice('diff --git '.length, (header.length + 10) / 2);
  return isRename === true ? plainPath(newName) : first.replace(/^"?a\/|"$/g, '');
}

/** The parser leaves the end of a quoted path, and the TAB that git appends to a path that contains a space. */
function plainPath(name: string): string {
  return name.replace(/"?\t?$/, '');
}

/** Describes changes that only the file mode shows. */
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

/** Returns whether the deleted and the added lines end differently, which the rows don't show. */
function hasOtherLineEnds(text: string): boolean {
  const ends = { '-': new Set<boolean>(), '+': new Set<boolean>() };
  let isInside = false;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    isInside ||= line.startsWith('@@');
    const sign = line[0];
    // The last line may have no end.
    if (isInside && (sign === '-' || sign === '+') && lines[index + 1]?.startsWith('\\') !== true) {
      ends[sign].add(line.endsWith('\r'));
    }
  }
  const [before, after] = [ends['-'], ends['+']];
  return (
    before.size > 0 && after.size > 0 && (before.size !== after.size || [...before].some((end) => !after.has(end)))
  );
}
