import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffSummary, placeToCompare, PLAIN_DIFF } from '../../../../git/diff';
import { type ChangeRepository, GitError } from '../../../../git/git';
import { streamEntries } from '../../../../git/streamEntries';
import { BUDGETS, elide } from '../../../../prompt/budgets';
import {
  type ChangedFile,
  changedLines,
  type Changes,
  patchesIn,
  patchHeader,
  quotePath,
  showLines,
} from '../../../../prompt/changesText';

/** Which change the user wants. */
export type WantedChange =
  | { kind: 'workingTree' }
  | { kind: 'staged' }
  /** @property base a branch or commit */
  | { kind: 'branch'; base: string }
  | { kind: 'commit'; ref: string };

/** A change in terms of git arguments. */
export interface ChangeSource {
  kind: WantedChange['kind'];
  /** Arguments for `git diff`, by commit ID. */
  args: string[];
  /** The commits before and after the change; undefined when there is none. */
  base: string | undefined;
  head: string | undefined;
}

/** The name of a commit that doesn't exist, or that has nothing in common with the current one. */
export class NoCommitError extends Error {}

/** Resolves the commits that delimit the change. Throws GitError, and NoCommitError. */
export async function findSource(repository: ChangeRepository, wanted: WantedChange): Promise<ChangeSource> {
  const head = await resolve(repository, wanted.kind === 'commit' ? wanted.ref : 'HEAD');
  if (wanted.kind === 'workingTree' || wanted.kind === 'staged') {
    const args = wanted.kind === 'staged' ? ['--cached'] : [head ?? (await emptyTree(repository))];
    return { kind: wanted.kind, args, base: head, head: undefined };
  }
  if (head === undefined) {
    throw new NoCommitError(wanted.kind === 'commit' ? wanted.ref : 'HEAD');
  }
  if (wanted.kind === 'commit') {
    const base = await resolve(repository, `${head}^1`);
    return { kind: 'commit', args: [base ?? (await emptyTree(repository)), head], base, head };
  }
  const other = await resolve(repository, wanted.base);
  const args = ['merge-base', other ?? '', head];
  const base = other === undefined ? '' : await repository.git.run(repository.place, args).catch(() => '');
  if (base === '') {
    throw new NoCommitError(wanted.base);
  }
  return { kind: 'branch', args: [base.trim(), head], base: base.trim(), head };
}

/** Returns the ID of a commit; undefined when no commit has this name. */
async function resolve({ git, place }: ChangeRepository, ref: string): Promise<string | undefined> {
  try {
    return (await git.run(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])).trim();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
}

/** The ID of the empty tree, which need not exist in the repository. */
async function emptyTree({ git, place }: ChangeRepository): Promise<string> {
  return (await git.run(place, ['hash-object', '-t', 'tree', '--stdin'])).trim();
}

const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** With more files, each diff would get only a few words. Those with few changed lines are shown. */
const MAX_FILES = 100;

/** Of longer diffs, only the beginning is read. In bytes. */
const MAX_DIFF_BYTES = 16 * 1024 * 1024;

/** Reads what has changed: a summary of everything, and the diffs. Throws GitError, or the signal's reason. */
export async function readChanges(opened: ChangeRepository, source: ChangeSource): Promise<Changes> {
  const repository = { ...opened, place: await placeToCompare(opened, source.args) };
  const { files: summarized, more } = await diffSummary(repository, source.args);
  const tracked = summarized.map((file) => (file.added === null ? { ...file, hidden: 'binary' } : file));
  const untracked = source.kind === 'workingTree' ? await untrackedFiles(repository) : new Map<ChangedFile, string>();
  const files: ChangedFile[] = [...tracked, ...untracked.keys()];
  const shown = files
    .filter(({ hidden }) => hidden === undefined)
    .toSorted((a, b) => changedLines(a) - changedLines(b))
    .slice(0, MAX_FILES);
  const paths = shown.flatMap((file) =>
    file.status === '?' ? [] : file.from === undefined ? [file.path] : [file.from, file.path],
  );
  const args = [...PLAIN_DIFF, ...PATCH, ...source.args, '--', ...paths];
  const printed = paths.length === 0 ? '' : await startOf(repository, args, MAX_DIFF_BYTES);
  const added = shown.map((file) => untracked.get(file) ?? '').join('');
  const patches = patchesIn(`${printed}${added}`, shown);
  return { files, more, patches, preface: await commitMessages(repository, source) };
}

/** Reads the start of what git prints, and ends git if it prints more. */
async function startOf({ git, place, signal }: ChangeRepository, args: string[], maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of git.stream(place, args, signal)) {
    chunks.push(Buffer.from(bytes));
    size += bytes.length;
    if (size > maxBytes) {
      // Leaving the loop terminates git.
      break;
    }
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return size > maxBytes ? `${text}\n… and more\n` : text;
}

/** Larger files are listed by name only. In bytes. */
const MAX_BYTES = 1024 * 1024;

/** Maximum number of files that are read; the rest are listed by name only. */
const MAX_READ = 2_000;

/** git's own test for binary files: a NUL byte within the first 8,000 bytes. */
const BINARY_WITHIN = 8_000;

/** The files that are untracked and not ignored, with diffs that create them. */
async function untrackedFiles({ git, place, signal }: ChangeRepository): Promise<Map<ChangedFile, string>> {
  const files = new Map<ChangedFile, string>();
  const args = ['ls-files', '--others', '--exclude-standard', '-z'];
  for await (const paths of streamEntries(git, place, args, { signal })) {
    for (const path of paths) {
      signal.throwIfAborted();
      const unknown = { path, status: '?', added: null, deleted: null };
      const read = files.size < MAX_READ ? await readText(place.folder, path) : 'not looked into';
      if (typeof read === 'string') {
        files.set({ ...unknown, hidden: read }, '');
      } else {
        const lines = read.toString('utf8').split('\n');
        const isEnded = lines.at(-1) === '';
        const added = isEnded ? lines.slice(0, -1) : lines;
        files.set({ ...unknown, added: added.length, deleted: 0 }, newFilePatch(path, added, isEnded));
      }
    }
  }
  return files;
}

function newFilePatch(path: string, added: readonly string[], isEnded: boolean): string {
  const head = [patchHeader({ path }), 'new file', '--- /dev/null', `+++ ${quotePath(`b/${path}`)}`];
  const hunk = added.length === 0 ? [] : [`@@ -0,0 +1,${added.length} @@`, ...added.map((line) => `+${line}`)];
  const tail = isEnded || added.length === 0 ? [] : ['\\ No newline at end of file'];
  return `${[...head, ...hunk, ...tail].join('\n')}\n`;
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

/** Maximum number of commits that are named. */
const MAX_NAMED = 40;

/** Maximum bytes read of their messages. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** The message of a commit, or the subjects of those of a branch, newest first; undefined for uncommitted changes. */
async function commitMessages(repository: ChangeRepository, source: ChangeSource): Promise<string | undefined> {
  const { base, head, kind } = source;
  if (head === undefined) {
    return undefined;
  }
  const range =
    kind === 'commit' || base === undefined ? ['--max-count=1', head] : [`--max-count=${MAX_NAMED}`, head, `^${base}`];
  const args = ['log', '--no-color', `--format=${kind === 'commit' ? '%h %B' : '%h %s'}`, ...range, '--'];
  return elide(showLines((await startOf(repository, args, MAX_MESSAGE_BYTES)).trim()), BUDGETS.messages);
}
