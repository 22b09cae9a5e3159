import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChangedFile, patchHeader, quotePath } from '../../../prompt/changesText';
import type { ChangeRepository } from './changeSource';

/** Larger files are named only, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** So many are looked into; the rest are named only. */
const MAX_COUNTED = 2_000;
/** git's own measure of what is binary: a NUL among the first bytes. */
const BINARY_WITHIN = 8_000;

const LINE_FEED = 10;

/** The paths of the files that git does not know and does not ignore. */
export async function untrackedFiles({ git, place, signal }: ChangeRepository): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of git.stream(place, ['ls-files', '--others', '--exclude-standard', '-z'], signal)) {
    const paths = (rest + decoder.decode(bytes, { stream: true })).split('\0');
    rest = paths.pop() ?? '';
    for (const path of paths) {
      signal.throwIfAborted();
      files.push(await describe(place.folder, path, files.length < MAX_COUNTED));
    }
  }
  return files;
}

/** The file as a diff that creates it; undefined when it can't be read any more. */
export async function untrackedPatch(folder: string, file: ChangedFile): Promise<string | undefined> {
  const bytes = await readText(folder, file.path);
  if (!Buffer.isBuffer(bytes)) {
    return undefined;
  }
  const lines = bytes.toString('utf8').split('\n');
  const isEnded = lines.at(-1) === '';
  const added = (isEnded ? lines.slice(0, -1) : lines).map((line) => `+${line}`);
  const head = [patchHeader(file), 'new file', '--- /dev/null', `+++ ${quotePath(`b/${file.path}`)}`];
  const hunk = added.length === 0 ? [] : [`@@ -0,0 +1,${added.length} @@`, ...added];
  const tail = isEnded || bytes.length === 0 ? [] : ['\\ No newline at end of file'];
  return `${[...head, ...hunk, ...tail].join('\n')}\n`;
}

async function describe(folder: string, path: string, isCounted: boolean): Promise<ChangedFile> {
  const unknown = { path, status: '?', added: null, deleted: null };
  const bytes = isCounted ? await readText(folder, path) : 'not looked into';
  if (typeof bytes === 'string') {
    return { ...unknown, hidden: bytes };
  }
  return { ...unknown, added: linesOf(bytes), deleted: 0 };
}

/** What the file holds, or why that can't be shown. Follows no link. */
async function readText(folder: string, path: string): Promise<Buffer | string> {
  if (path.endsWith('/')) {
    return 'another repository';
  }
  try {
    const whole = join(folder, path);
    const facts = await lstat(whole);
    if (!facts.isFile()) {
      return facts.isSymbolicLink() ? 'a link' : 'no file';
    }
    if (facts.size > MAX_BYTES) {
      return `${(facts.size / MAX_BYTES).toFixed(1)} MB`;
    }
    const bytes = await readFile(whole);
    return bytes.subarray(0, BINARY_WITHIN).includes(0) ? 'binary' : bytes;
  } catch {
    return 'unreadable';
  }
}

function linesOf(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    count += 1;
  }
  return bytes.length > 0 && bytes.at(-1) !== LINE_FEED ? count + 1 : count;
}
