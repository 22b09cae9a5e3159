import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandAgent } from '../../../../src/service/agents/commandAgent';
import { TurnFailure } from '../../../../src/service/runner/turnFailure';
import { temporaryFolder } from '../../../support/temporaryRepository';

const MAIN = fileURLToPath(new URL('../../../../src/service/main.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

describe('CommandAgent', function () {
  this.timeout(20_000);
  const agent = new CommandAgent([process.execPath, '--import', TSX, MAIN, '--supervise'], process.env);

  const run = async (script: string, more: { prompt?: string; signal?: AbortSignal; command?: string[] } = {}) => {
    const folder = await temporaryFolder();
    const logFile = join(folder, 'agent.log');
    const work = agent.run({
      jobId: 'j1',
      command: more.command ?? ['sh', '-c', script],
      folder,
      prompt: more.prompt ?? '',
      directory: folder,
      earlier: [],
      guidance: '',
      session: undefined,
      mayRunCommands: false,
      variables: [],
      confine: false,
      onStarted: () => undefined,
      onSession: () => undefined,
      onEntry: () => undefined,
      timeoutMs: 10_000,
      signal: more.signal ?? new AbortController().signal,
    });
    return { work, log: () => readFile(logFile, 'utf8') };
  };

  it('gives the prompt on standard input and keeps the output', async () => {
    const { work, log } = await run('cat; echo " in $DOCS_AGENT_JOB"', { prompt: 'prompt “🗼”' });
    await work;
    assert.equal(await log(), 'prompt “🗼” in j1\n');
  });

  it('keeps the last 64 KiB of the output', async () => {
    const { work, log } = await run(
      'i=0; while [ $i -lt 3000 ]; do echo "$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; i=$((i+1)); done',
    );
    await work;
    const text = await log();
    assert.equal(text.length, 64 * 1024);
    assert.match(text, /2999 x+\n$/);
  });

  it('takes no harm of an agent that does not read a large prompt', async () => {
    await (
      await run('exit 0', { prompt: 'x'.repeat(1024 * 1024) })
    ).work;
  });

  const failures: [string, string, RegExp][] = [
    ['a code', 'echo first >&2; echo why >&2; echo out; exit 7', /^agent ended with code 7: why$/],
    ['a code and no words', 'exit 1', /^agent ended with code 1$/],
    ['a signal', 'kill -KILL $$', /^agent ended by SIGKILL$/],
  ];
  for (const [name, script, words] of failures) {
    it(`fails with the reason for ${name}`, async () => {
      const { work } = await run(script);
      await assert.rejects(work, (error) => error instanceof TurnFailure && words.test(error.message));
    });
  }

  it('says that the program is not there', async () => {
    const { work } = await run('', { command: ['no-such-agent'] });
    await assert.rejects(work, /^Error: The agent program “no-such-agent” was not found/);
  });

  it('ends at once with the signal’s reason, and its background work with it', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const { work } = await run('sleep 60 & sleep 60', { signal: stop.signal });
    const start = Date.now();
    setTimeout(() => stop.abort(reason), 500);
    await assert.rejects(work, (error) => error === reason);
    assert.ok(Date.now() - start < 5_000);
  });
});
