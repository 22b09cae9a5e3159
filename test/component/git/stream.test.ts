import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git, GitError } from '../../../src/git/git';
import { streamProgram } from '../../../src/git/runProgram';
import { git as plainGit, sampleRepository } from '../../support/temporaryRepository';

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
