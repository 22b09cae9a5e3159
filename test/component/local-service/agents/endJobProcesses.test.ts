import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { processStartTime } from '../../../../src/base/process';
import { endJobProcesses, killAgent } from '../../../../src/local-service/agents/descendants';

describe('ending what an agent left', function () {
  this.timeout(20_000);
  // Random, because it names processes of this machine: another run of this test must keep its own.
  const job = randomUUID();
  const started: ChildProcess[] = [];
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

  /** A process in a group of its own. */
  async function sleeper(env: NodeJS.ProcessEnv = {}): Promise<{ pid: number; child: ChildProcess }> {
    const options = { env: { PATH: process.env['PATH'], ...env }, detached: true, stdio: 'ignore' as const };
    const child = spawn('sleep', ['600'], options);
    started.push(child);
    await once(child, 'spawn');
    return { pid: child.pid ?? 0, child };
  }

  const lives = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;

  it('takes what bears the mark of the job and nothing else', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const own = await sleeper({ DOCS_AGENT_JOB: job });
    const others = await Promise.all(
      [{}, { DOCS_AGENT_JOB: `${job}2` }, { DOCS_AGENT_JOB: '' }, { X_DOCS_AGENT_JOB: job }].map((env) => sleeper(env)),
    );
    await endJobProcesses(job);
    await endJobProcesses('');
    assert.equal(await lives(own.pid), false);
    assert.deepEqual(await Promise.all(others.map(({ pid }) => lives(pid))), [true, true, true, true]);
  });

  it('leaves a process alone that has got the id of an agent since', async () => {
    const { pid } = await sleeper();
    await killAgent({ pid, startTime: 'another time' }, job);
    await killAgent({ pid, startTime: '' }, job);
    assert.equal(await lives(pid), true);
  });

  it('leaves a group alone whose first process is gone: its id may be that of a stranger’s', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const { pid: leader, member } = await orphanedGroup();
    assert.equal(await lives(leader), false);
    await killAgent({ pid: leader, startTime: 'once' }, job);
    assert.equal(await lives(member), true);
    process.kill(member, 'SIGKILL');
  });

  it('ends the agent itself with its group', async () => {
    const { pid, child } = await sleeper();
    const exit = once(child, 'exit');
    await killAgent({ pid, startTime: (await processStartTime(pid)) ?? '' }, job);
    assert.deepEqual(await exit, [null, 'SIGKILL']);
  });

  /** A group whose leader has ended and left one member. */
  async function orphanedGroup(): Promise<{ pid: number; member: number }> {
    const child = spawn('sh', ['-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], { detached: true, stdio: 'pipe' });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await once(child, 'close');
    return { pid: child.pid ?? 0, member: Number(printed) };
  }
});
