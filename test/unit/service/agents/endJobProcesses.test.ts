import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endJobProcesses } from '../../../../src/service/agents/endJobProcesses';
import { endAgent } from '../../../../src/service/agents/startedAgent';
import { processStartTime } from '../../../../src/shared/util/processStartTime';

describe('ending what an agent left', function () {
  this.timeout(20_000);
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
    const own = await sleeper({ DOCS_AGENT_JOB: 'j1' });
    const others = await Promise.all(
      [{}, { DOCS_AGENT_JOB: 'j12' }, { DOCS_AGENT_JOB: '' }, { X_DOCS_AGENT_JOB: 'j1' }].map((env) => sleeper(env)),
    );
    await endJobProcesses('j1');
    await endJobProcesses('');
    assert.equal(await lives(own.pid), false);
    assert.deepEqual(await Promise.all(others.map(({ pid }) => lives(pid))), [true, true, true, true]);
  });

  it('leaves a process alone that has got the id of an agent since', async () => {
    const { pid } = await sleeper();
    await endAgent({ pid, startTime: Promise.resolve('another time') }, 'j1');
    await endAgent({ pid, startTime: Promise.resolve(undefined) }, 'j1');
    assert.equal(await lives(pid), true);
  });

  it('ends the agent itself with its group', async () => {
    const { pid, child } = await sleeper();
    const exit = once(child, 'exit');
    await endAgent({ pid, startTime: processStartTime(pid) }, 'j1');
    assert.deepEqual(await exit, [null, 'SIGKILL']);
  });
});
