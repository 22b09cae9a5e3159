import { parse } from 'diff2html/lib/diff-parser';
import type { DiffFile } from 'diff2html/lib/types';
import { createYielder } from '../../base/async';
import { showInvisible } from '../../base/text';
import { createWordDiff, type WordDiff } from '../../base/wordDiff';
import type { SummarizedFile } from '../../git/diff';
import { noteOn, pathOf } from './diffNotes';
import { escapeHtml, escapeMarkup } from './html';
import { type Hunk, type HunkLine, hunksOf } from './hunksOf';
import { ENGLISH, type Language } from './language';
import type { ReviewPageData } from './reviewPage';

/** The diff of one file as HTML, and its name for headings, escaped. */
export interface RenderedFile {
  name: string;
  note: string;
  /** Table rows, in parts; none when there is no text to compare. */
  parts: readonly string[];
}

/** A browser lays out the rows of a table together, so a long one would block it. */
const ROWS_OF_PART = 50;

/** Maximum length of a line that is shown in full, in UTF-16 units. Longer lines are data, not prose. */
const MAX_LINE = 2_000;

/** Maximum length of the rows of all files, in UTF-16 units. The page is sent at once, which blocks the service. */
const MAX_ROWS = 4_000_000;

/**
 * Yields to other requests of the service: a large diff takes a tenth of a second.
 *
 * @param diff the output of `git diff`
 */
export async function renderDiff(diff: string, language: Language = ENGLISH): Promise<RenderedFile[]> {
  const [diffWords, pause] = [createWordDiff(), createYielder()];
  const files: RenderedFile[] = [];
  let last: { header: string; file: DiffFile } | undefined;
  for (const text of diff.split(/\n(?=diff --git )/)) {
    const lines = text.split(/\r?\n/).map((line) => shortenLine(line, language));
    const header = text.split('\n', 1)[0] ?? '';
    const start = lines.findIndex((line) => line.startsWith('@@ '));
    // The parser is slow. It only needs the start of the first hunk to find the names, and takes a line of it that begins
    // with `--- ` for a header.
    const head = start === -1 ? lines : lines.slice(0, start + 1);
    for (const file of parse(withoutOtherEnds(head.join('\n')))) {
      // Git prints a file that became a link as one that was deleted and a new one.
      const isSecond = last?.header === header && last.file.isDeleted === true && file.isNew === true;
      const removed = isSecond ? last?.file : undefined;
      const earlier = removed && files.pop();
      const path = pathOf(file, header);
      const [name, note] = [escapeHtml(path), escapeHtml(noteOn(file, { language, text, path, removed }))];
      const hunks = start === -1 ? file.blocks : hunksOf(lines.slice(start));
      const parts = [...(earlier?.parts ?? [])];
      for (const part of inParts(diffRows(hunks, diffWords))) {
        parts.push(part);
        await pause();
      }
      files.push({ name, note, parts });
      last = { header, file };
    }
    await pause();
  }
  return files;
}

/** The parser would take these for the end of a line. The rows show the other invisible characters. */
function withoutOtherEnds(diff: string): string {
  return diff.replace(/\r(?!\n)|[\u2028\u2029]/g, showInvisible);
}

/** Truncates a long line, and states in it how many characters were cut. */
function shortenLine(line: string, { t }: Language): string {
  const rest = line.length - MAX_LINE;
  const start = line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '');
  return rest > 0 ? `${start} … ${t('{0} more characters', String(rest))}` : line;
}

/** The changed files and the diff of each. */
export async function changes(review: ReviewPageData): Promise<string> {
  const { diff, comparedWith, branch, language } = review;
  const { t } = language;
  const rendered = diff === undefined ? [] : await renderDiff(diff, language);
  if (diff === undefined || lengthOfRows(rendered) > MAX_ROWS) {
    const command = `git diff ${comparedWith.slice(0, 10)}...${branch}`;
    return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
<p>${t('The changes are too large to show here. View them with:')}</p>
<pre class="command"><code>${escapeHtml(command)}</code></pre>
${fileList({ ...review, diff: undefined })}</section>`;
  }
  const files = rendered.map(
    ({ name, note, parts }, index) => `<article id="f${index}" aria-labelledby="n${index}">
<h3 id="n${index}"><span class="path">${name}</span>${note && ` <span class="note">${note}</span>`}</h3>
${parts.length === 0 ? `<p class="nothing">${t('No text changes.')}</p>` : parts.map(toTable).join('\n')}
</article>`,
  );
  return `<section aria-labelledby="changes"><h2 id="changes">${t('Changes')}</h2>
${files.length > 1 ? fileList(review) : ''}
${files.join('\n')}</section>`;
}

function lengthOfRows(files: readonly RenderedFile[]): number {
  return files.flatMap(({ parts }) => parts).reduce((sum, { length }) => sum + length, 0);
}

function toTable(rows: string): string {
  return `<div class="part"><table><tbody>${rows}</tbody></table></div>`;
}

/** A longer list of files is folded, because it would hide the changes. */
const MAX_LISTED = 10;

function fileList({ files, more, diff, language }: ReviewPageData): string {
  const { t } = language;
  const items = files.map((file, index) => {
    const name = escapeHtml(file.from === undefined ? file.path : `${file.from} → ${file.path}`);
    const label =
      diff === undefined ? `<span class="path">${name}</span>` : `<a class="path" href="#f${index}">${name}</a>`;
    return `<li>${label} ${counts(file, language)}</li>`;
  });
  if (more.files > 0) {
    items.push(`<li>${t('Files that aren’t listed: {0}', more.files)} ${counts(more, language)}</li>`);
  }
  const list = `<nav aria-label="${t('Files')}"><ul class="files">${items.join('\n')}</ul></nav>`;
  return diff === undefined || files.length <= MAX_LISTED
    ? list
    : `<details><summary>${t('{0} files', files.length)}</summary>${list}</details>`;
}

export function totals({ files, more, language }: ReviewPageData): string {
  const all = { added: more.added, deleted: more.deleted };
  for (const { added, deleted } of files) {
    all.added += added ?? 0;
    all.deleted += deleted ?? 0;
  }
  const { t } = language;
  const [count, lines] = [files.length + more.files, counts(all, language)];
  return count === 1 ? t('1 file changed {0}', lines) : t('{0} files changed {1}', count, lines);
}

function counts({ added, deleted }: Pick<SummarizedFile, 'added' | 'deleted'>, { t }: Language): string {
  if (added === null || deleted === null) {
    return `<span class="counts">${t('binary')}</span>`;
  }
  const words = t('{0} added, {1} deleted', added, deleted);
  return `<span class="counts" role="img" aria-label="${words}"><ins>+${added}</ins> <del>−${deleted}</del></span>`;
}

/**
 * Renders table rows: one for each line, and one before each hunk. Takes time linear in the length of the diff, unlike
 * diff2html's own renderer.
 */
function* diffRows(hunks: readonly Hunk[], diffWords: WordDiff): Generator<string> {
  for (const { header, lines } of hunks) {
    yield infoRow(header);
    for (const group of groupsOf(lines)) {
      yield* groupRows(group, diffWords);
    }
  }
}

function* inParts(rows: Iterable<string>): Generator<string> {
  let part: string[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length === ROWS_OF_PART) {
      yield part.join('');
      part = [];
    }
  }
  if (part.length > 0) {
    yield part.join('');
  }
}

/** Deleted lines and the added lines that follow them, or a single context line. */
interface Group {
  context?: HunkLine;
  deleted: HunkLine[];
  added: HunkLine[];
}

function groupsOf(lines: readonly HunkLine[]): Group[] {
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

/** Marks the changed words where deleted lines are followed by added ones. */
function* groupRows({ context, deleted, added }: Group, diffWords: WordDiff): Generator<string> {
  if (context !== undefined) {
    yield plainRow('d2h-cntx', context);
    return;
  }
  // The words of a group are compared all at once, which would take too long for a long text.
  if (lengthOf(deleted) + lengthOf(added) > MAX_COMPARED) {
    yield* rowsOf('d2h-del', deleted);
    yield* rowsOf('d2h-ins', added);
    return;
  }
  const joined = (lines: readonly HunkLine[]): string => lines.map(textOf).join('\n');
  const pieces = diffWords(joined(deleted), joined(added));
  // With nothing in common, the color of the row says it all.
  const isMarked = pieces.length > 1;
  const marked = (side: 'before' | 'after', tag: 'del' | 'ins'): string[] =>
    pieces
      .map((piece) => (isMarked && piece.isChanged ? mark(piece[side], tag) : escapeMarkup(piece[side])))
      .join('')
      .split('\n');
  const [before, after] = [marked('before', 'del'), marked('after', 'ins')];
  for (const [index, line] of deleted.entries()) {
    yield row('d2h-del', line, before[index] ?? '');
  }
  for (const [index, line] of added.entries()) {
    yield row('d2h-ins', line, after[index] ?? '');
  }
}

/** Marks a text line by line, because each has its own row. */
function mark(text: string, tag: 'del' | 'ins'): string {
  return escapeMarkup(text)
    .split('\n')
    .map((line) => (line === '' ? '' : `<${tag}>${line}</${tag}>`))
    .join('\n');
}

/** More text than this is shown without marking words, in UTF-16 units. */
const MAX_COMPARED = 100_000;

function lengthOf(lines: readonly HunkLine[]): number {
  return lines.reduce((sum, { content }) => sum + content.length, 0);
}

function* rowsOf(type: string, lines: readonly HunkLine[]): Generator<string> {
  for (const line of lines) {
    yield plainRow(type, line);
  }
}

function plainRow(type: string, line: HunkLine): string {
  return row(type, line, escapeMarkup(textOf(line)));
}

/** The text of a line, with invisible characters as code points. */
function textOf({ content }: HunkLine): string {
  return showInvisible(content.slice(1));
}

/** The sign has its own cell, so that wrapped lines align with the text and copied text contains no signs. */
function row(type: string, { content, oldNumber, newNumber }: HunkLine, text: string): string {
  const sign = escapeMarkup(content.charAt(0).trim());
  const numbers = [oldNumber, newNumber].map((number) => `<td class="n">${number ?? ''}</td>`).join('');
  return `<tr class="${type}">${numbers}<td class="s">${sign}</td><td class="c">${text}</td></tr>`;
}

function infoRow(header: string): string {
  return `<tr class="d2h-info"><td colspan="4">${escapeHtml(header)}</td></tr>`;
}
