import { MAX_PATH } from '../../base/limits';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { outsideWorkTree, pathInHeader, PLAIN_DIFF } from '../../git/diff';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { HISTORY_FORMAT } from '../historyReader';
import { NOT_IN_HISTORY } from '../paths';
import type { HistoryLimits, LineCommit, Repository, Tree, TreeFile } from '../ports';

const MAX_FILES = 300_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
/** More ranges of lines make git slower than blaming the whole page. */
const MAX_RANGES = 50;

/** What git says when the file that `blame.ignoreRevsFile` names is missing or not valid. Then it can't blame any page. */
const BAD_LIST = 'object name';

/** Matches a revision in any notation, but nothing that git could take for an option. */
const REVISION = /^[^-\s\0][^\s\0]{0,249}$/;

/** Reads a repository through the user's git, without running any of the repository's programs. */
export class GitRepository implements Repository {
  private realFolder: Promise<string> | undefined;

  private constructor(
    private readonly git: Git,
    private readonly place: GitPlace,
    /** For comparing commits: the attributes of a branch can't hide what it changes. */
    private readonly compared: GitPlace,
    private readonly signal: AbortSignal,
    readonly folder: string,
  ) {}

  /** Opens the repository that contains the folder. Throws GitError. */
  static async open(git: Git, folder: string, signal: AbortSignal): Promise<GitRepository> {
    const top = (await git.run({ folder }, ['rev-parse', '--show-toplevel'])).replace(/\r?\n$/, '');
    const place = await disableRepositoryPrograms(git, { folder: top });
    return new GitRepository(git, place, await outsideWorkTree(git, place), signal, top);
  }

  async resolve(revision: string): Promise<string | undefined> {
    if (!REVISION.test(revision)) {
      return undefined;
    }
    return this.line(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  }

  async commitAt(date: number): Promise<string | undefined> {
    return this.line(['rev-list', '-1', `--before=${Math.floor(date / 1000)}`, 'HEAD']);
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    return this.line(['merge-base', one, other]);
  }

  async lacksHistory(): Promise<boolean> {
    const [shallow, promisor] = await Promise.all([
      this.line(['rev-parse', '--is-shallow-repository']),
      this.line(['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$']),
    ]);
    return shallow === 'true' || promisor !== undefined;
  }

  async tree(commit: string): Promise<Tree> {
    const files: TreeFile[] = [];
    let submodules = 0;
    let listed = 0;
    let isCut = false;
    let rest = '';
    for await (const text of this.text(['ls-tree', '-r', '-z', '--long', '--full-tree', commit])) {
      const entries = (rest + text).split('\0');
      rest = entries.pop() ?? '';
      listed += entries.length;
      for (const entry of entries) {
        // `100644 blob ID SIZE`, a tab, then the path.
        const tab = entry.indexOf('\t');
        const [mode = '', , id = '', size = ''] = entry.slice(0, tab).split(/ +/);
        const path = entry.slice(tab + 1);
        if (mode === '160000') {
          submodules++;
        } else if (mode.startsWith('100') && !/[\n\uFFFD]/.test(path)) {
          files.push({ path, id, size: Number(size) });
        }
      }
      if (listed > MAX_FILES || rest.length > MAX_PATH) {
        isCut = true;
        break;
      }
    }
    return { files, submodules, isCut };
  }

  contents(objects: readonly string[]): AsyncIterable<Uint8Array | undefined> {
    // Git reads one object per line, and reports an empty line as a missing object.
    const input = objects.map((object) => `${object.includes('\n') ? '' : object}\n`).join('');
    return readBatch(
      this.git.stream(this.place, ['cat-file', '--batch', '--buffer'], this.signal, input),
      objects.length,
    );
  }

  async countCommits(commit: string): Promise<number> {
    return Number((await this.line(['rev-list', '--count', '--no-merges', commit])) ?? 0);
  }

  async *history(
    commit: string,
    limits: HistoryLimits,
    onCut: (reason: 'commits' | 'time') => void,
  ): AsyncIterable<string> {
    const excluded = NOT_IN_HISTORY.map((glob) => `:(exclude,glob)${glob}`);
    const args = [
      // These pathspecs are our own. They need the glob syntax that is turned off for all other commands.
      ...['--no-literal-pathspecs', 'log', '-p', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'],
      ...['--no-merges', '--no-relative', '--no-notes', '--ignore-submodules=all'],
      ...['--submodule=short', '--src-prefix=a/', '--dst-prefix=b/', '--diff-algorithm=myers', '--encoding=UTF-8'],
      ...[`--format=${HISTORY_FORMAT}`, `--max-count=${limits.commits}`, commit, '--', '.', ...excluded],
    ];
    let bytes = 0;
    const time = AbortSignal.timeout(Math.max(0, Math.ceil(limits.timeMs)));
    try {
      for await (const text of this.text(args, {
        place: this.compared,
        signal: AbortSignal.any([this.signal, time]),
      })) {
        yield text;
        bytes += text.length;
        if (bytes > limits.bytes) {
          onCut('commits');
          return;
        }
      }
    } catch (error) {
      this.signal.throwIfAborted();
      if (!time.aborted && (!(error instanceof GitError) || error.exitCode === undefined)) {
        throw error;
      }
      onCut(time.aborted ? 'time' : 'commits');
    }
  }

  async blame(path: string, lines: readonly number[], commit: string | undefined): Promise<Map<number, LineCommit>> {
    const ranges = lines.length > MAX_RANGES ? [] : lines.flatMap((line) => ['-L', `${line},${line}`]);
    const revision = commit === undefined ? [] : [commit];
    let output = '';
    // Without `--no-textconv`, blame would run the program that the repository names for converting such files to text.
    const args = ['blame', '--porcelain', '--no-textconv', ...ranges, ...revision, '--', path];
    try {
      for await (const text of this.text(args)) {
        output += text;
      }
    } catch (error) {
      // Any failure but these means that the page has changed in the meantime, and now has fewer lines.
      if (!(error instanceof GitError) || error.exitCode === undefined || error.message.includes(BAD_LIST)) {
        throw error;
      }
      return new Map();
    }
    return readBlame(output);
  }

  async addedLines(base: string, head: string): Promise<Map<string, Set<number>>> {
    let output = '';
    const prefixes = ['-U0', '--src-prefix=a/', '--dst-prefix=b/'];
    for await (const text of this.text([...PLAIN_DIFF, ...prefixes, base, head, '--'], { place: this.compared })) {
      output += text;
      if (output.length > MAX_OUTPUT) {
        break;
      }
    }
    return readAddedLines(output);
  }

  async find(commit: string, words: readonly string[], paths: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    const only = ['--no-color', '--no-line-number', '--no-column'];
    const args = ['grep', '-I', '-h', '-o', '-w', '-F', ...only, '-f', '-', commit, '--', ...paths];
    try {
      for await (const text of this.text(args, { place: this.compared, input: `${words.join('\n')}\n` })) {
        text.split('\n').forEach((word) => found.add(word));
        if (found.size > words.length) {
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof GitError) || error.exitCode !== 1) {
        throw error;
      }
    }
    return found;
  }

  /** Follows no symbolic link out of the repository, and reads plain files only. */
  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    this.signal.throwIfAborted();
    try {
      const file = join(this.folder, path);
      if (await this.leadsOut(file)) {
        return undefined;
      }
      // A pipe without a writer would block.
      const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stat = await handle.stat();
        return stat.isFile() && stat.size <= maxBytes ? await handle.readFile() : undefined;
      } finally {
        await handle.close();
      }
    } catch {
      return undefined;
    }
  }

  /** Whether a symbolic link leads out of the repository: one in the path, or the file itself. */
  private async leadsOut(file: string): Promise<boolean> {
    this.realFolder ??= realpath(this.folder);
    return !(await realpath(file)).startsWith((await this.realFolder) + sep);
  }

  /** The first line that a command prints; undefined when it exits with an error code or prints nothing. */
  private async line(args: readonly string[]): Promise<string | undefined> {
    this.signal.throwIfAborted();
    try {
      const [first = ''] = (await this.git.run(this.place, args)).split('\n', 1);
      return first.trim() === '' ? undefined : first.trim();
    } catch (error) {
      if (error instanceof GitError && error.exitCode !== undefined) {
        return undefined;
      }
      throw error;
    }
  }

  private async *text(
    args: readonly string[],
    {
      input,
      place = this.place,
      signal = this.signal,
    }: { input?: string; place?: GitPlace; signal?: AbortSignal } = {},
  ): AsyncGenerator<string, void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.git.stream(place, args, signal, input)) {
      yield decoder.decode(bytes, { stream: true });
    }
  }
}

/**
 * Reads the output of `git cat-file --batch`: for each object `ID TYPE SIZE`, a line end, its content, and a line end;
 * `… missing` for one that doesn't exist, `… ambiguous` for a short id of several.
 */
export async function* readBatch(
  chunks: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array | undefined, void> {
  const reader = new ByteReader(chunks[Symbol.asyncIterator]());
  try {
    for (let index = 0; index < count; index++) {
      const header = await reader.line();
      if (header === undefined) {
        throw new Error('git ended before it printed all files');
      }
      const size = /^[0-9a-f]{40,64} \w+ (\d+)$/.exec(header)?.[1];
      if (size === undefined) {
        yield undefined;
      } else {
        const content = await reader.bytes(Number(size));
        await reader.bytes(1);
        yield content;
      }
    }
  } finally {
    await reader.end();
  }
}

class ByteReader {
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffer.indexOf(10, this.at);
      if (end !== -1) {
        const line = this.buffer.toString('utf8', this.at, end);
        this.at = end + 1;
        return line;
      }
      if (!(await this.more())) {
        return undefined;
      }
    }
  }

  async bytes(count: number): Promise<Uint8Array> {
    if (this.buffer.length - this.at < count) {
      const parts: Uint8Array[] = [this.buffer.subarray(this.at)];
      let length = this.buffer.length - this.at;
      while (length < count) {
        const next = await this.chunks.next();
        if (next.done === true) {
          throw new Error('git ended within a file');
        }
        parts.push(next.value);
        length += next.value.length;
      }
      this.buffer = Buffer.concat(parts, length);
      this.at = 0;
    }
    const content = this.buffer.subarray(this.at, this.at + count);
    this.at += count;
    return content;
  }

  private async more(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) {
      return false;
    }
    this.buffer = Buffer.concat([this.buffer.subarray(this.at), next.value]);
    this.at = 0;
    return true;
  }

  async end(): Promise<void> {
    await this.chunks.return?.();
  }
}

/** Reads `git blame --porcelain`. Lines that are not committed are left out. */
export function readBlame(output: string): Map<number, LineCommit> {
  const commits = new Map<string, number>();
  const lines: { line: number; commit: string }[] = [];
  let commit = '';
  for (const line of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/.exec(line);
    if (header !== null) {
      commit = header[1] ?? '';
      lines.push({ line: Number(header[2]), commit });
    } else if (line.startsWith('committer-time ')) {
      commits.set(commit, Number(line.slice(15)) * 1000);
    }
  }
  const committed = lines.filter((each) => !/^0+$/.test(each.commit));
  return new Map(committed.map((each) => [each.line, { commit: each.commit, date: commits.get(each.commit) ?? 0 }]));
}

/** Reads `git diff -U0`: the added lines, by path. */
export function readAddedLines(output: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines: Set<number> | undefined;
  let left = 0;
  for (const line of output.split('\n')) {
    if (left > 0 && /^[-+\\]/.test(line)) {
      left -= line.startsWith('\\') ? 0 : 1;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      const [, removed = '1', start = '0', added = '1'] = hunk;
      left = Number(removed) + Number(added);
      for (let at = 0; at < Math.min(Number(added), 1_000_000); at++) {
        lines?.add(Number(start) + at);
      }
    } else if (line.startsWith('diff --git ')) {
      lines = undefined;
    } else if (/^\+\+\+ "?b\//.test(line)) {
      lines = new Set();
      files.set(pathInHeader(line.slice(4)).slice(2), lines);
    }
  }
  return files;
}
