import { lstat, readFile, writeFile } from 'node:fs/promises';
import { joinBytes } from '../../base/files';
import { readBlobs } from '../../git/blobs';
import { type Git, GIT_MS, type GitPlace } from '../../git/git';
import { shownPaths } from '../text';
import type { RawEntry } from './rawDiff';

/*
 * How a file is written: its line ends, its byte order mark, and whether it ends with a newline. A text is a string with
 * one character per byte here.
 */

const MARK = '\u00EF\u00BB\u00BF';
const LINE_END = /\r?\n/g;
const LINES = /(?<=\n)/;

/** Changed files are compared up to this many bytes in all. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** Not “a new line” or “at the end of line 3”, which are about the text. */
const ABOUT_STYLE =
  /line[- ]?(endings?|ends|feeds?|terminators?)\b|end-of-line|carriage return|\b(crlf|eol|bom|dos2unix|unix2dos)\b|byte[- ]?order|(trailing|final|missing|last) new-?line|new-?line at (the )?end|zeilenenden|bytereihenfolge/i;

/** Whether a prompt may ask for another style. */
export function isAboutStyle(prompt: string): boolean {
  return ABOUT_STYLE.test(prompt) || /\b(LF|CR)\b/.test(prompt);
}

/**
 * Gives changed text files back the style that they had, because a change of every line hides what was changed.
 *
 * @returns a list of them for a message; undefined if there were none
 */
export async function keepStyle(
  git: Git,
  host: GitPlace,
  work: string,
  changed: readonly RawEntry[],
): Promise<string | undefined> {
  const ids = changed.flatMap(({ oldId, id }) => [oldId, id]);
  const where = { git, place: host, signal: AbortSignal.timeout(GIT_MS) };
  const blobs = ids.length === 0 ? [] : await readBlobs(where, ids, MAX_COMPARED);
  const kept: Buffer[] = [];
  for (const [index, { path }] of changed.entries()) {
    const [old, now] = blobs.slice(2 * index, 2 * index + 2).map((blob) => blob?.toString('latin1'));
    const name = Buffer.from(path, 'latin1');
    if (old !== undefined && now !== undefined && !(old + now).includes('\0')) {
      const restored = restoreStyle(old, now);
      if (restored !== now && (await replaceContent(joinBytes(work, name), now, restored))) {
        kept.push(name);
      }
    }
  }
  if (kept.length > 0) {
    const input = kept.map((name) => `${name.toString('latin1')}\0`).join('');
    await git.run(host, ['update-index', '-z', '--stdin'], { input, bytes: true });
  }
  return shownPaths(kept);
}

export function restoreStyle(old: string, now: string): string {
  if (old === '' || now === '') {
    return now;
  }
  const [before = '', after = ''] = [old, now].map((text) => (text.startsWith(MARK) ? text.slice(MARK.length) : text));
  const end = before.match(LINE_END)?.at(-1) ?? '';
  // Where line ends are mixed, each line that is still there keeps its own.
  const isMixed = new Set(before.match(LINE_END)).size > 1;
  const known = Map.groupBy(isMixed ? before.split(LINES) : [], withoutEnd);
  let text = isMixed
    ? after
        .split(LINES)
        .map((line) => known.get(withoutEnd(line))?.shift() ?? line)
        .join('')
    : after.replace(LINE_END, end || '$&');
  if (!before.endsWith('\n')) {
    text = text.replace(/\r?\n$/, '');
  } else if (!text.endsWith('\n')) {
    text += end;
  }
  return (old.startsWith(MARK) ? MARK : '') + text;
}

function withoutEnd(line: string): string {
  return line.replace(LINE_END, '');
}

/** Returns whether the file could be written. Attributes may make git commit something else than what is in the file. */
async function replaceContent(file: Buffer, now: string, restored: string): Promise<boolean> {
  try {
    if (!(await lstat(file)).isFile() || (await readFile(file, 'latin1')) !== now) {
      return false;
    }
    await writeFile(file, restored, 'latin1');
    return true;
  } catch {
    // For example a file that may not be written.
    return false;
  }
}
