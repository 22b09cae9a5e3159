import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Prose without a header. Agents differ in what they skip before a header and in how they read it: some run a header of
 * JavaScript. So whatever looks like the start of one is taken for a header.
 */
const NO_HEADER = /^[\s\p{C}]{0,999}(?:(?!---|\+\+\+|= yaml =)[^\s\p{C}]|$)/u;

/**
 * The only header that is harmless for certain: a name and a description, each on a line, as plain or quoted text. It has
 * a line at least and one kind of line ends, so that every agent sees its end in the same place.
 */
const PLAIN_HEADER =
  /^\uFEFF?---(\r?\n)(?:(?:name|description): +(?:[\p{L}\p{N}](?:(?![\\{}])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*|"(?:(?![\\"])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*" *|'(?:(?!')[\p{L}\p{M}\p{N}\p{P}\p{S} ])*' *)\1)+---(?:\1|$)/u;
const MAX_HEADER = 64 * 1024;

/** Never through a link, and no waiting for whoever writes to a pipe. Windows knows neither, where they are undefined. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Prose that says nothing in a header but its name and description. What cannot be read is not. */
export async function isPlainProse(path: Buffer): Promise<boolean> {
  const text = await beginningOf(path);
  return text !== undefined && (NO_HEADER.test(text) || PLAIN_HEADER.test(text));
}

/** A `pnpm-workspace.yaml` that only says which packages there are; other fields name programs. What cannot be read is not. */
export async function isPlainWorkspace(path: Buffer): Promise<boolean> {
  const text = await beginningOf(path);
  const lines = text?.split(/[\r\n\u0085\u2028\u2029]/) ?? ['?'];
  return lines.every((line) => /^(\s|#|- |packages:|catalogs?:|$)/.test(line));
}

/** Undefined for what is no file of text. */
async function beginningOf(path: Buffer): Promise<string | undefined> {
  try {
    const file = await open(path, OPEN_FLAGS);
    try {
      if (!(await file.stat()).isFile()) {
        return undefined;
      }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0);
      // Throws on what is no UTF-8: an agent may know its encoding. A character that is cut off at the end is none.
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
