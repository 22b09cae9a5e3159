import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffSummary, placeToCompare, PLAIN_DIFF } from '../../../../git/diff';
import type { ChangeRepository } from '../../../../git/git';
import { streamEntries } from '../../../../git/streamEntries';
import { BUDGETS, count, elide } from '../../../../prompt/budgets';
import {
  type ChangedFile,
  changedLines,
  type Changes,
  type Patch,
  patchHeader,
  patchOf,
  quotePath,
} from '../../../../prompt/changesText';
import { showControlCharacters } from '../../../../prompt/contextBlock';
import type { ChangeSource } from './changeSource';

const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** Minimum share of the budget per file, in characters; below it, only the file's name is listed. */
const MIN_SHARE = 1_000;

/** Maximum number of files whose diff is read, because git runs once per file. */
const MAX_FILES = 100;

/** Maximum bytes read of a file's diff; enough for every line that is shown. */
const MAX_DIFF_BYTES = 512 * 1024;

/**
 * Reads what has changed: a summary of everything, and the first lines of each file's diff. Files with few changed
 * lines are read first, and each file gets an equal share of the remaining budget. Throws GitError, or the signal's
 * reason.
 *
 * @param budget characters of all diffs together
 */
export async function readChanges(
  opened: ChangeRepository,
  source: ChangeSource,
  budget: number = BUDGETS.changes,
): Promise<Changes> {
  const repository = { ...opened, place: await placeToCompare(opened, source.args) };
  const { files: summarized, more } = await diffSummary(repository, source.args);
  const tracked = summarized.map((file) => (file.added === null ? { ...file, hidden: 'binary' } : file));
  const files: ChangedFile[] = [...tracked, ...(source.withUntracked ? await untrackedFiles(repository) : [])];
  const readable = files
    .filter(({ hidden }) => hidden === undefined)
    .toSorted((a, b) => changedLines(a) - changedLines(b))
    .slice(0, Math.max(1, Math.min(MAX_FILES, Math.floor(budget / MIN_SHARE))));
  const patches = new Map<ChangedFile, Patch>();
  let left = budget;
  for (const [index, file] of readable.entries()) {
    repository.signal.throwIfAborted();
    const share = Math.floor(left / (readable.length - index));
    const patch = await readPatch(repository, source, file, share);
    if (patch !== undefined) {
      patches.set(file, patch);
      left -= patch.lines.reduce((sum, line) => sum + line.length + 1, 0);
    }
  }
  return { files, more, patches: files.flatMap((file) => patches.get(file) ?? []) };
}

async function readPatch(
  { git, place, signal }: ChangeRepository,
  { args }: ChangeSource,
  file: ChangedFile,
  share: number,
): Promise<Patch | undefined> {
  if (file.status === '?') {
    const diff = await untrackedPatch(place.folder, file);
    return diff === undefined ? undefined : patchOf(file, diff, share);
  }
  const { path, from } = file;
  const paths = from === undefined ? [path] : [from, path];
  const printed = git.stream(place, [...PLAIN_DIFF, ...PATCH, ...args, '--', ...paths], signal);
  const { text, isWhole } = await startOf(printed, MAX_DIFF_BYTES);
  return patchOf(file, text, share, isWhole);
}

/** Reads the start of what git prints, and ends git if it prints more. */
async function startOf(
  printed: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of printed) {
    chunks.push(Buffer.from(bytes));
    size += bytes.length;
    if (size > maxBytes) {
      // Leaving the loop terminates git.
      break;
    }
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isWhole: size <= maxBytes };
}

/** Larger files are listed by name only. In bytes. */
const MAX_BYTES = 1024 * 1024;
/** Maximum number of files that are read; the rest are listed by name only. */
const MAX_COUNTED = 2_000;
/** git's own test for binary files: a NUL byte within the first 8,000 bytes. */
const BINARY_WITHIN = 8_000;

const LINE_FEED = 10;

/** The paths of files that are untracked and not ignored. */
async function untrackedFiles({ git, place, signal }: ChangeRepository): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  const args = ['ls-files', '--others', '--exclude-standard', '-z'];
  for await (const paths of streamEntries(git, place, args, { signal })) {
    for (const path of paths) {
      signal.throwIfAborted();
      files.push(await describe(place.folder, path, files.length < MAX_COUNTED));
    }
  }
  return files;
}

/** Returns the file as a diff that creates it; undefined when it can no longer be read. */
async function untrackedPatch(folder: string, file: ChangedFile): Promise<string | undefined> {
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

/** Returns the content of the file, or why it can't be shown. Does not follow links. */
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

/** Maximum number of commits of a range that are listed. */
const MAX_NAMED = 40;

/** Maximum bytes read of their messages. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * The commit messages of a change, newest first: the full message of a single commit, the first lines of several.
 * Undefined for uncommitted changes. Throws GitError, or the signal's reason.
 */
export async function commitMessages(
  { git, place, signal }: ChangeRepository,
  { base, head }: ChangeSource,
): Promise<string | undefined> {
  if (head === undefined) {
    return undefined;
  }
  const range = base === undefined ? [head] : [head, `^${base}`];
  const all = Number((await git.run(place, ['rev-list', '--count', ...range, '--'])).trim());
  const log = ['log', '--no-color', '-z', `--max-count=${MAX_NAMED}`];
  const one = all === 1;
  const printed = git.stream(place, [...log, `--format=${one ? '%h %B' : '%h %s'}`, ...range, '--'], signal);
  const { text, isWhole } = await startOf(printed, MAX_MESSAGE_BYTES);
  const commits = text.split('\0').filter((each) => each !== '');
  const more = all > commits.length ? [`… and ${count(all - commits.length, 'more commit')}`] : [];
  const lines = [...commits.flatMap((each) => each.trim().split('\n')), ...more, ...(isWhole ? [] : ['… and more'])];
  return elide(lines.map((line) => showControlCharacters(line.replace(/\r$/, ''))).join('\n'), BUDGETS.messages);
}
