import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outsideWorkTree, pathInHeader, PLAIN_DIFF } from '../../git/diff';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type Git, GitError, type GitPlace } from '../../git/git';
import type { Change, GrepMatch, GrepOptions, Repository, Tree, TreeFile } from '../ports';
import type { CommitInfo } from '../finding';
import type { LinkSite } from '../links';

const MAX_FILES = 300_000;

/** Reads a repository through the user's git, without running any of the repository's programs. */
export class GitRepository implements Repository {
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
    return this.line(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  }

  async commitAt(date: number): Promise<string | undefined> {
    return this.line(['rev-list', '-1', `--before=${Math.floor(date / 1000)}`, 'HEAD']);
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    return this.line(['merge-base', one, other]);
  }

  async site(): Promise<LinkSite> {
    const [urls, branch, head] = await Promise.all([
      this.git.run(this.place, ['config', '--get-regexp', '^remote\\..*\\.url$']).catch(() => ''),
      this.line(['symbolic-ref', '--short', '--quiet', 'HEAD']),
      this.line(['symbolic-ref', '--short', '--quiet', 'refs/remotes/origin/HEAD']),
    ]);
    const hosts = urls.split('\n').flatMap((line) => {
      const url = /^\S+ (?:\w+:\/\/)?(?:[^@/]*@)?([^/:]+\.[a-z]+)(?::\d+)?[/:](.+?)(?:\.git)?\/?$/.exec(line);
      return url === null ? [] : [{ host: url[1] ?? '', path: url[2] ?? '' }];
    });
    return { hosts, branches: [branch, head?.replace(/^origin\//, '')].filter((each) => each !== undefined) };
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
    for await (const entries of this.records('\0', ['ls-tree', '-r', '-z', '--long', '--full-tree', commit])) {
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
      if (files.length > MAX_FILES) {
        break;
      }
    }
    return { files, submodules, isCut: files.length > MAX_FILES };
  }

  contents(objects: readonly string[]): AsyncIterable<Buffer | undefined> {
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

  async *changes(commit: string, maxCommits: number): AsyncIterable<Change> {
    const args = [
      ...['log', '--raw', '-z', '--no-abbrev', '--no-color', '--no-renames', '--no-merges', '--no-relative'],
      ...['--no-notes', '--no-show-signature', '--ignore-submodules=all', '--encoding=UTF-8'],
      ...['--format=%x01%H %ct %s', `--max-count=${maxCommits}`, commit],
    ];
    let change: Change | undefined;
    let header = '';
    try {
      for await (const fields of this.records('\0', args, this.compared)) {
        for (const field of fields) {
          if (field.startsWith('\u0001')) {
            if (change !== undefined) {
              yield change;
            }
            change = { commit: commitIn(field), files: [] };
          } else if (header === '') {
            header = field;
          } else {
            // `:100644 100644 OLD NEW M`, then the path.
            const [, after = '', before = '', id = ''] = header.trimStart().split(' ', 4);
            const idOf = (each: string): string | undefined => (/^0+$/.test(each) ? undefined : each);
            if (after.startsWith('100') || after === '000000') {
              change?.files.push({ path: field, before: idOf(before), after: idOf(id) });
            }
            header = '';
          }
        }
      }
    } catch (error) {
      // An object of the history is missing: what was read so far is right.
      if (!(error instanceof GitError) || error.exitCode === undefined) {
        throw error;
      }
    }
    if (change !== undefined) {
      yield change;
    }
  }

  async addedLines(base: string, head: string): Promise<Map<string, Set<number>>> {
    const args = [...PLAIN_DIFF, '-U0', '--src-prefix=a/', '--dst-prefix=b/', base, head, '--'];
    const output: string[][] = [];
    for await (const lines of this.records('\n', args, this.compared)) {
      output.push(lines);
    }
    return readAddedLines(output.flat());
  }

  async grep(
    commit: string,
    texts: readonly string[],
    { words, paths, globs = false }: GrepOptions,
  ): Promise<GrepMatch[]> {
    const found: GrepMatch[] = [];
    const only = ['--no-color', '--no-line-number', '--no-column', '--full-name', '-z'];
    const args = [
      ...(globs ? ['--no-literal-pathspecs'] : []),
      ...['grep', '-I', '-o', '-F', ...(words ? ['-w'] : []), ...only, '-f', '-', commit, '--', ...paths],
    ];
    try {
      for await (const lines of this.records('\n', args, this.compared, `${texts.join('\n')}\n`)) {
        for (const line of lines) {
          const end = line.indexOf('\0');
          found.push({ path: line.slice(commit.length + 1, end), text: line.slice(end + 1) });
        }
      }
    } catch (error) {
      if (!(error instanceof GitError) || error.exitCode !== 1) {
        throw error;
      }
    }
    return found;
  }

  /** Follows no symbolic link to a file: it may lead out of the repository. */
  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    this.signal.throwIfAborted();
    const file = join(this.folder, path);
    const found = await lstat(file).catch(() => undefined);
    return found?.isFile() === true && found.size <= maxBytes ? readFile(file).catch(() => undefined) : undefined;
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

  /** What git prints, cut after each separator; as many parts at a time as there are. */
  private async *records(
    separator: string,
    args: readonly string[],
    place = this.place,
    input?: string,
  ): AsyncGenerator<string[], void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of this.git.stream(place, args, this.signal, input)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split(separator);
      rest = parts.pop() ?? '';
      yield parts;
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
): AsyncGenerator<Buffer | undefined, void> {
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
        yield (await reader.bytes(Number(size) + 1)).subarray(0, -1);
      }
    }
  } finally {
    await reader.close();
  }
}

/** A buffer for what was read: at first as large as most files. In bytes. */
const BUFFER = 1 << 20;

/**
 * Copies what is read to one buffer. Keeping each piece until its file is whole would have the garbage collector work
 * for as long as the check.
 */
class ByteReader {
  private buffer: Buffer = Buffer.allocUnsafeSlow(BUFFER);
  private at = 0;
  private end = 0;

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffer.subarray(this.at, this.end).indexOf(10);
      if (end !== -1) {
        const line = this.buffer.toString('latin1', this.at, this.at + end);
        this.at += end + 1;
        return line;
      }
      if (!(await this.more(1))) {
        return undefined;
      }
    }
  }

  /** The next bytes. They stay there only until more is read. */
  async bytes(count: number): Promise<Buffer> {
    while (this.end - this.at < count) {
      if (!(await this.more(count))) {
        throw new Error('git ended within a file');
      }
    }
    const content = this.buffer.subarray(this.at, this.at + count);
    this.at += count;
    return content;
  }

  private async more(count: number): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) {
      return false;
    }
    const left = this.end - this.at;
    const needed = Math.max(count, left + next.value.length);
    if (this.at + needed > this.buffer.length) {
      const old = this.buffer;
      this.buffer = needed > old.length ? Buffer.allocUnsafeSlow(2 * needed) : old;
      old.copy(this.buffer, 0, this.at, this.end);
      [this.at, this.end] = [0, left];
    }
    this.buffer.set(next.value, this.end);
    this.end += next.value.length;
    const { buffer } = next.value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === next.value.length) {
      // Frees it at once; the collector would let hundreds of megabytes gather.
      buffer.transfer(0);
    }
    return true;
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}

/** @param header `ID TIME SUBJECT` after a mark; the time is in seconds */
function commitIn(header: string): CommitInfo {
  const [commit = '', time = ''] = header.slice(1, 120).split(' ', 2);
  return { commit, date: Number(time) * 1000, subject: header.slice(commit.length + time.length + 3, 500) };
}

/** Reads the lines of `git diff -U0`: the added lines, by path. */
export function readAddedLines(output: readonly string[]): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines: Set<number> | undefined;
  let left = 0;
  for (const line of output) {
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
