import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { processStartTime } from '../../../../src/base/process';
import { endJobProcesses, killAgent } from '../../../../src/local-service/agents/descendants';

describe('killing processes left by an agent', function () {
  // Random, because the test kills real processes with this job ID; parallel test runs must not share it.
  const job = randomUUID();
  const started: ChildProcess[] = [];
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

  /** Starts a process in its own process group. */
  async function sleeper(env: NodeJS.ProcessEnv = {}): Promise<{ pid: number; child: ChildProcess }> {
    const options = { env: { PATH: process.env['PATH'], ...env }, detached: true, stdio: 'ignore' as const };
    const child = spawn('sleep', ['600'], options);
    started.push(child);
    await once(child, 'spawn');
    return { pid: child.pid ?? 0, child };
  }

  const lives = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;

  it('kills exactly the processes marked with the job', async function () {
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

  it('does not kill a process that has reused the agent’s process ID', async () => {
    const { pid } = await sleeper();
    await killAgent({ pid, startTime: 'another time' }, job);
    await killAgent({ pid, startTime: '' }, job);
    assert.equal(await lives(pid), true);
  });

  it('does not kill a group whose leader is gone because its ID may have been reused', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const { pid: leader, member } = await orphanedGroup();
    assert.equal(await lives(leader), false);
    await killAgent({ pid: leader, startTime: 'once' }, job);
    assert.equal(await lives(member), true);
    process.kill(member, 'SIGKILL');
  });

  it('kills the agent together with its process group', async () => {
    const { pid, child } = await sleeper();
    const exit = once(child, 'exit');
    await killAgent({ pid, startTime: (await processStartTime(pid)) ?? '' }, job);
    assert.deepEqual(await exit, [null, 'SIGKILL']);
  });

  /** Starts a process group whose leader has ended and left one member. */
  async function orphanedGroup(): Promise<{ pid: number; member: number }> {
    const child = spawn('sh', ['-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], { detached: true, stdio: 'pipe' });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await once(child, 'close');
    return { pid: child.pid ?? 0, member: Number(printed) };
  }
});
