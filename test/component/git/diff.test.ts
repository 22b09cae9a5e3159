import assert, { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlob, readBlobs } from '../../../src/git/blobs';
import { diffSummary } from '../../../src/git/diff';
import { Git, GitError } from '../../../src/git/git';
import { streamProgram } from '../../../src/git/runProgram';
import { git, git as plainGit, sampleRepository } from '../../support/temporaryRepository';

describe('a diff of many files', function () {
  let where: Parameters<typeof diffSummary>[0];

  before(async () => {
    const folder = await sampleRepository();
    // Folders that are reused, so that few objects make many files.
    const script = `set -e
      tree=$(printf "100644 blob $(echo x | git hash-object -w --stdin)\\t*.md\\n" | git mktree)
      for level in 1 2 3; do tree=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf "040000 tree $tree\\td$i\\n"; done | git mktree); done
      git update-ref refs/heads/job $(git commit-tree -p HEAD -m Job $tree); git tag none $(git mktree </dev/null)`;
    await git(folder, '-c', `alias.x=!${script}`, 'x');
    where = { git: new Git(process.env), place: { folder }, signal: AbortSignal.timeout(30_000) };
  });

  it('finds one of them by its path, which is not treated as a pattern', async () => {
    const summary = await diffSummary(where, ['none', 'job'], undefined, ['d7/d8/d9/*.md']);
    deepStrictEqual(summary.files, [{ path: 'd7/d8/d9/*.md', status: 'A', added: 1, deleted: 0 }]);
  });
});

describe('reading files of commits', () => {
  let where: Parameters<typeof readBlobs>[0];
  let commit: string;
  let started: number;

  class CountingGit extends Git {
    override async *stream(...args: Parameters<Git['stream']>): AsyncGenerator<Uint8Array, void> {
      started += 1;
      yield* super.stream(...args);
    }
  }

  beforeEach(async () => {
    const folder = await sampleRepository();
    await writeFile(join(folder, 'a.png'), Buffer.from([0, 255, 10, 1]));
    await writeFile(join(folder, 'odd\nname “x”.md'), 'odd\n');
    await writeFile(join(folder, 'empty.md'), '');
    await writeFile(join(folder, 'big.md'), 'x'.repeat(300_000));
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'Add');
    commit = (await git(folder, 'rev-parse', 'HEAD')).trim();
    started = 0;
    where = { git: new CountingGit(process.env), place: { folder }, signal: AbortSignal.timeout(30_000) };
  });

  const read = async (paths: readonly string[], max = 10_000): Promise<(string | undefined)[]> => {
    const names = paths.map((path) => `${commit}:${path}`);
    return (await readBlobs(where, names, max)).map((content) => content?.toString('latin1'));
  };

  it('takes one process for all, whatever their names and contents are', async () => {
    const paths = ['empty.md', 'docs', 'none.md', 'a.png', 'odd\nname “x”.md', 'empty.md'];
    deepStrictEqual(await read(paths), ['', undefined, undefined, '\0\xff\n\x01', 'odd\n', '']);
    strictEqual(started, 1);
  });

  it('leaves out what exceeds the limit, and what comes after a name that git repeats in several lines', async () => {
    deepStrictEqual(await read(['a.png', 'big.md', 'a.png'], 1000), ['\0\xff\n\x01', undefined, undefined]);
    deepStrictEqual(await read(['a.png', 'no\nne.md', 'a.png']), ['\0\xff\n\x01', undefined, undefined]);
  });

  it('is undefined for all if git fails', async () => {
    where = { ...where, place: { folder: '/' } };
    deepStrictEqual(await read(['a.png', 'none.md']), [undefined, undefined]);
  });

  it('reads one file only up to a maximum size, and only of a commit', async () => {
    const one = (path: string, maxBytes: number, from = commit) => readBlob(where, { commit: from, path }, maxBytes);
    deepStrictEqual(await one('a.png', 4), Buffer.from([0, 255, 10, 1]));
    strictEqual(await one('a.png', 3), undefined);
    strictEqual(await one('none.png', 9), undefined);
    strictEqual(await one('a\0.png', 9), undefined);
    strictEqual(await one('a.png', 9, 'HEAD'), undefined);
    strictEqual(await one('a.png', 9, '--help'), undefined);
  });
});

const never = new AbortController().signal;
const environment = { PATH: process.env['PATH'] ?? '' };

async function allOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}

/** Runs Node as a program that prints its process ID and then endless output. */
const endless = (signal: AbortSignal) =>
  streamProgram({
    program: process.execPath,
    args: ['-e', 'console.log(process.pid); setInterval(() => console.log("x".repeat(10000)), 1)'],
    folder: process.cwd(),
    environment,
    signal,
  });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('streaming a git command', function () {
  let folder: string;
  before(async () => {
    folder = await sampleRepository();
  });
  const git = new Git(process.env);

  it('returns the complete output', async () => {
    await writeFile(join(folder, 'large.txt'), 'a line of text\n'.repeat(100_000));
    await plainGit(folder, 'add', '.');
    const printed = await allOf(git.stream({ folder }, ['diff', '--cached', '--no-color'], never));
    assert.equal(printed.match(/^\+a line of text$/gm)?.length, 100_000);
  });

  it('rejects with git’s error message and exit code', async () => {
    await assert.rejects(allOf(git.stream({ folder }, ['diff', 'no-such-commit'], never)), (error) => {
      assert.ok(error instanceof GitError);
      assert.equal(error.exitCode, 128);
      assert.match(error.message, /no-such-commit/);
      return true;
    });
  });

  it('rejects with the last of many errors', async () => {
    const script = 'console.error(`${"x".repeat(99)}\\n`.repeat(5_000) + "fatal: the reason"); process.exitCode = 128';
    const run = { program: process.execPath, args: ['-e', script], folder, environment, signal: never };
    await assert.rejects(allOf(streamProgram(run)), /fatal: the reason$/);
  });

  it('rejects when the program does not exist', async () => {
    const run = { program: '/no/such/git', args: [], folder, environment, signal: never };
    await assert.rejects(allOf(streamProgram(run)), /git was not found/);
  });

  it('kills the process when the reader stops', async () => {
    let pid = 0;
    for await (const chunk of endless(never)) {
      pid = Number.parseInt(Buffer.from(chunk).toString());
      assert.ok(isAlive(pid));
      break;
    }
    assert.ok(pid > 0 && !isAlive(pid));
  });

  it('kills the process and rejects with the reason when aborted', async () => {
    const stop = new AbortController();
    let pid = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of endless(stop.signal)) {
        pid ||= Number.parseInt(Buffer.from(chunk).toString());
        stop.abort(new Error('enough'));
      }
    };
    await assert.rejects(read(), /enough/);
    assert.ok(pid > 0 && !isAlive(pid));
    await assert.rejects(allOf(endless(stop.signal)), /enough/);
  });
});
