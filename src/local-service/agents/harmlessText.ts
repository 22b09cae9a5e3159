import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Matches prose without a header. Agents differ in what they skip before a header and in how they parse it, and some
 * execute JavaScript in it. So anything that looks like the start of a header counts as one.
 */
const NO_HEADER = /^[\s\p{C}]{0,999}(?:(?!---|\+\+\+|= yaml =)[^\s\p{C}]|$)/u;

/**
 * Matches the only header that is certainly harmless: a name and a description, each on one line, as plain or quoted
 * text. It needs at least one line and uniform line endings, so that every agent sees its end in the same place.
 */
const PLAIN_HEADER =
  /^\uFEFF?---(\r?\n)(?:(?:name|description): +(?:[\p{L}\p{N}](?:(?![\\{}])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*|"(?:(?![\\"])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*" *|'(?:(?!')[\p{L}\p{M}\p{N}\p{P}\p{S} ])*' *)\1)+---(?:\1|$)/u;
const MAX_HEADER = 64 * 1024;

/** Follows no link and does not block on a pipe. Windows supports neither flag; both are undefined there. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Matches the shell commands that agents run, and the files that they insert, when they expand a command or a skill. */
const EXPANDED = /!`|```!|[!@]\{/;
const MAX_PROSE = 1024 * 1024;

/**
 * Whether a file is prose with no header, or with only a name and a description in it, and with nothing to expand.
 * False if it cannot be read, or not to its end.
 */
export async function isPlainProse(path: Buffer): Promise<boolean> {
  const text = await beginningOf(path, MAX_PROSE);
  if (text === undefined || Buffer.byteLength(text) > MAX_PROSE - 4 || EXPANDED.test(text)) {
    return false;
  }
  const start = text.slice(0, MAX_HEADER);
  return NO_HEADER.test(start) || PLAIN_HEADER.test(start);
}

/**
 * Whether a `pnpm-workspace.yaml` only lists packages and catalogs; other fields name programs. The first line with
 * content has to be one of these fields, because an indented one would allow others beside it. False if unreadable.
 */
export async function isPlainWorkspace(path: Buffer): Promise<boolean> {
  const lines = (await linesOf(path)) ?? ['?'];
  const first = lines.find((line) => !/^\s*(#|$)/.test(line)) ?? '';
  return (
    /^(packages:|catalogs?:|$)/.test(first) && lines.every((line) => /^(\s|#|- |packages:|catalogs?:|$)/.test(line))
  );
}

/**
 * Whether a file such as `.nvmrc` only names versions (`v22.1`, `lts/jod`), no path and no address. False if unreadable.
 */
export async function isPlainVersion(path: Buffer): Promise<boolean> {
  const lines = (await linesOf(path)) ?? ['?'];
  return lines.every(isVersionLine);
}

/** Also true for an empty line and for a comment. */
export function isVersionLine(line: string): boolean {
  return /^((\w[\w.+-]*|lts\/[\w*-]+)?$|#)/.test(line.trim());
}

/** Whether a short text file does not contain the pattern. False if unreadable. */
export async function isWithout(path: Buffer, pattern: RegExp): Promise<boolean> {
  const lines = await linesOf(path);
  return lines !== undefined && !pattern.test(lines.join('\n'));
}

/** The lines of a whole text file; undefined if it is too long to be read to its end. */
async function linesOf(path: Buffer): Promise<string[] | undefined> {
  const text = await beginningOf(path);
  // A byte order mark is a character here, but not for the programs that read the file.
  const isWhole = text !== undefined && Buffer.byteLength(text) < MAX_HEADER - 4 && !text.startsWith('\uFEFF');
  return isWhole ? text.split(/[\r\n\u0085\u2028\u2029]/) : undefined;
}

/** Undefined for anything but a text file. */
async function beginningOf(path: Buffer, limit = MAX_HEADER): Promise<string | undefined> {
  try {
    const file = await open(path, OPEN_FLAGS);
    try {
      if (!(await file.stat()).isFile()) {
        return undefined;
      }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(limit), 0, limit, 0);
      // Throws if it is not UTF-8: an agent might know the encoding. A character that is cut off at the end is no
      // error.
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
