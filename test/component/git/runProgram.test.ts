import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStartTime } from '../../../src/base/process';
import { type ProgramRun, runProgram } from '../../../src/git/runProgram';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('runProgram', function () {
  let folder: string;
  before(async () => {
    folder = await temporaryFolder();
  });

  const sh = (script: string, more: Partial<ProgramRun> = {}) =>
    runProgram({
      ...{ program: 'sh', args: ['-c', script], folder, timeoutMs: 60_000 },
      environment: { PATH: process.env['PATH'] ?? '' },
      ...more,
    });
  const pidIn = async (name: string): Promise<number> => {
    const file = join(folder, name);
    for (;;) {
      const text = existsSync(file) ? await readFile(file, 'utf8') : '';
      if (text.endsWith('\n')) {
        return Number(text);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const isGone = async (pid: number): Promise<boolean> => (await processStartTime(pid)) === undefined;
  const goes = async (pid: number): Promise<void> => {
    while (!(await isGone(pid))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('keeps the first and the last lines of many errors', async () => {
    const { stderr } = await sh('echo first >&2; seq 300000 >&2; echo last >&2');
    assert.match(stderr, /^first\n1\n[^]*\n300000\nlast\n$/);
    assert.ok(stderr.length < 300_000);
  });

  it('returns the program’s output and exit code', async () => {
    const end = await sh('cat; echo words >&2; exit 3', { input: 'input' });
    assert.deepEqual(end, { exitCode: 3, stdout: 'input', stderr: 'words\n', timedOut: false });
  });

  it('rejects when the program does not exist', async () => {
    await assert.rejects(sh('', { program: 'no-such-program-of-ours' }), { code: 'ENOENT' });
  });

  it('does not run a program from its working folder', async () => {
    await writeFile(join(folder, 'own-program'), '#!/bin/sh\necho got in\n', { mode: 0o755 });
    const environment = { PATH: `:.:${process.env['PATH'] ?? ''}` };
    await assert.rejects(sh('', { program: 'own-program', environment }), { code: 'ENOENT' });
  });

  it('does not wait for a background process that keeps the output open', async () => {
    // Like a credential helper’s daemon: it would hold the pipes for ten minutes; the test’s timeout is two.
    const end = await sh('sleep 600 & echo $! > daemon; echo done');
    assert.deepEqual([end.exitCode, end.stdout], [0, 'done\n']);
    const pid = await pidIn('daemon');
    assert.equal(await isGone(pid), false, 'what the user’s own helper left runs on');
    process.kill(pid, 'SIGKILL');
  });

  it('kills a program and its children after the timeout', async () => {
    const end = await sh('sleep 600 & echo $! > child; wait', { timeoutMs: 1_000 });
    assert.deepEqual([end.exitCode, end.timedOut], [null, true]);
    await goes(await pidIn('child'));
  });

  it('kills a program and its children when aborted', async () => {
    const controller = new AbortController();
    const running = sh('sleep 600 & echo $! > stopped; wait', { signal: controller.signal });
    const pid = await pidIn('stopped');
    controller.abort(new Error('stopped'));
    await assert.rejects(running, /^Error: stopped$/);
    await goes(pid);
  });

  it('returns after the timeout even if a child has left the process group', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const end = await sh('setsid sleep 600 & echo $! > escaped; wait', { timeoutMs: 1_000 });
    assert.equal(end.timedOut, true);
    process.kill(await pidIn('escaped'), 'SIGKILL');
  });

  it('starts nothing when it is already aborted', async () => {
    await assert.rejects(sh('touch ran', { signal: AbortSignal.abort(new Error('stopped')) }), /^Error: stopped$/);
    assert.equal(existsSync(join(folder, 'ran')), false);
  });

  it('truncates output that exceeds the limit', async () => {
    const end = await sh('yes | head -c 20000000');
    assert.equal(end.stdout.length, 8 * 1024 * 1024);
  });
});
