import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStartTime } from '../../../../src/base/process';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { startSupervisor } from '../../../../src/local-service/agents/agentProcess';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { waitUntil } from '../../../contract/contractBench';
import { agentTask, SUPERVISOR, untilGone } from '../../../support/agentTask';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { itOnLinux, itOnUnix } from '../../../support/machine';

describe('CommandAgent', function () {
  const agent = new CommandAgent(SUPERVISOR, process.env, 1_000);

  const run = async (script: string, more: Partial<AgentTask> = {}) => {
    const given = await agentTask({ command: ['sh', '-c', script], mayRunCommands: true, ...more });
    const log = () => readFile(join(given.task.directory, 'agent.log'), 'utf8');
    return { ...given, work: agent.run(given.task), log };
  };

  it('passes the prompt on standard input and keeps the output', async () => {
    const { work, log, task, entries } = await run('cat; echo " in $DOCS_AGENT_JOB"', {
      prompt: 'prompt “🗼”',
      mayRunCommands: false,
    });
    assert.deepEqual(await work, { summary: '' });
    assert.equal(await log(), `prompt “🗼” in ${task.jobId}\n`);
    const [note, ...said] = entries;
    assert.match(JSON.stringify(note), /Docs Agent can’t tell whether this agent asks before it acts\./);
    assert.deepEqual(said, [{ kind: 'message', text: `prompt “🗼” in ${task.jobId}` }]);
  });

  it('runs the demo agent in the editor’s program as Node, and warns of nothing', async () => {
    const folder = await temporaryFolder();
    const script = join(folder, 'demoAgent.mjs');
    await writeFile(script, 'console.log(process.env.ELECTRON_RUN_AS_NODE)');
    const { work, entries } = await run('', {
      command: [process.execPath, script],
      mayRunCommands: false,
      confine: 'auto',
    });
    await work;
    assert.deepEqual(entries, [{ kind: 'message', text: '1' }]);
  });

  it('sends the notice, guidance and earlier prompts before the prompt', async () => {
    const earlier = [{ prompt: 'First', finished: true, isInSession: false }];
    const { work, log } = await run('cat', {
      prompt: 'Second',
      guidance: 'House rules',
      notice: 'Interrupted',
      earlier,
    });
    await work;
    assert.match(await log(), /^Interrupted\n\nHouse rules\n[^]+\nFirst\n\n--- New message ---\nSecond$/);
  });

  it('logs the last 64 KiB of output and reports its last 20 lines', async () => {
    const { work, log, entries } = await run(
      'i=0; while [ $i -lt 3000 ]; do echo "$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; i=$((i+1)); done',
    );
    await work;
    const text = await log();
    assert.equal(text.length, 64 * 1024);
    assert.match(text, /2999 x+\n$/);
    const told = entries.map((entry) => (entry.kind === 'message' ? entry.text.split('\n') : []));
    assert.deepEqual([told.length, told[0]?.length, told[0]?.[0]?.slice(0, 5)], [1, 20, '2980 ']);
  });

  it('runs under the supervisor that waits for it, and under another one after that', async () => {
    const jobId = randomUUID();
    const supervisor = startSupervisor(SUPERVISOR, process.env, jobId);
    const parents: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { work, log } = await run('echo $PPID', { jobId, supervisor });
      await work;
      parents.push((await log()).trim());
    }
    assert.equal(parents[0], String(supervisor.pid));
    assert.notEqual(parents[1], parents[0]);
  });

  it('is ended by its supervisor when its lease runs out, and not before', async () => {
    const renewed = new Set<() => void>();
    let until = performance.now() + 700;
    const lease = {
      remainingMs: () => Math.max(0, until - performance.now()),
      onRenewed: (listener: () => void) => {
        renewed.add(listener);
        return { dispose: () => renewed.delete(listener) };
      },
    };
    const { work } = await run('sleep 1.2; echo survived; sleep 60', { lease });
    setTimeout(() => {
      until = performance.now() + 2_500;
      renewed.forEach((listener) => listener());
    }, 300);
    await assert.rejects(work, TurnFailure);
    assert.equal(lease.remainingMs(), 0);
    assert.equal(renewed.size, 0);
  });

  it('succeeds when the agent does not read a large prompt', async () => {
    await (
      await run('exit 0', { prompt: 'x'.repeat(1024 * 1024) })
    ).work;
  });

  it('reports the agent’s process before sending the prompt', async () => {
    const { work, started, task } = await run('cat; echo " $$"');
    await work;
    assert.equal(started.length, 1);
    assert.equal((await readFile(join(task.directory, 'agent.log'), 'utf8')).trim(), String(started[0]?.pid));
  });

  it('passes the named environment variables but never those of the service, the editor or git', async () => {
    const environment = { ...process.env, KEY: 'k', OTHER: 'o', DOCS_AGENT_X: 'x', GIT_DIR: 'g', NODE_OPTIONS: '' };
    const { task, entries } = await agentTask({
      command: ['env'],
      variables: ['KEY', 'DOCS_AGENT_X', 'GIT_DIR', 'NODE_OPTIONS', 'ABSENT'],
    });
    await new CommandAgent(SUPERVISOR, environment).run(task);
    const text = entries.map((entry) => (entry.kind === 'message' ? entry.text : '')).join('');
    assert.match(text, /^KEY=k$/m);
    assert.doesNotMatch(text, /^(OTHER|DOCS_AGENT_X|GIT_DIR|NODE_OPTIONS|ABSENT)=/m);
  });

  itOnLinux('waits for what the program has left, and says that it ended early if it has to end that', async () => {
    const left = async (seconds: number, finishMs: number) => {
      const { task, entries } = await agentTask({
        mayRunCommands: true,
        command: ['sh', '-c', `(sleep ${seconds}; echo x > a.md) & exit 0`],
      });
      const { endedEarly } = await new CommandAgent(SUPERVISOR, process.env, finishMs).run(task);
      const notes = entries.map((entry) => (entry.kind === 'note' ? entry.coded?.code : entry.kind));
      return [existsSync(join(task.folder, 'a.md')), endedEarly?.code, ...notes];
    };
    assert.deepEqual(await left(1, 20_000), [true, undefined, 'agentFinishing']);
    assert.deepEqual(await left(60, 500), [false, 'processesEnded', 'agentFinishing']);
  });

  const failures: [string, string, RegExp][] = [
    ['a code', 'echo first >&2; echo why >&2; echo out; exit 7', /^why\. The agent failed with exit code 7\.$/],
    ['a code and no words', 'exit 1', /^The agent failed with exit code 1\.$/],
    ['a signal', 'kill -KILL $$', /^The agent was terminated by SIGKILL\.$/],
  ];
  for (const [name, script, words] of failures) {
    it(`reports the reason when the agent ends with ${name}`, async () => {
      const { work } = await run(script);
      await assert.rejects(work, (error) => error instanceof TurnFailure && words.test(error.message));
    });
  }

  it('reports a missing program', async () => {
    const { work } = await run('', { command: ['no-such-agent'] });
    await assert.rejects(work, /^Error: The agent “no-such-agent” wasn’t found/);
  });

  itOnUnix('reports a program as missing when nothing that PATH names can be run', async () => {
    const bin = await temporaryFolder();
    await writeFile(join(bin, 'no-such-agent'), '');
    const { task } = await agentTask({ command: ['no-such-agent'] });
    const work = new CommandAgent(SUPERVISOR, { ...process.env, PATH: bin }).run(task);
    await assert.rejects(work, /^Error: The agent “no-such-agent” wasn’t found/);
  });

  it('stops an agent that exceeds its time limit', async () => {
    const { work } = await run('sleep 600', { timeoutMs: 1_500 });
    await assert.rejects(
      work,
      /^Error: The agent reached its time limit \(1.5 seconds\)\. Send a follow-up to continue\.$/,
    );
  });

  it('kills the agent and its background processes when aborted and rejects with the signal’s reason', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const { work, started } = await run('sleep 600 & sleep 600', { signal: stop.signal });
    work.catch(() => undefined);
    await waitUntil(() => started.length > 0);
    stop.abort(reason);
    await assert.rejects(work, (error) => error === reason);
    await untilGone(started[0]?.pid);
  });

  it('does not start an agent for a turn that was already stopped', async () => {
    const { work, started } = await run('sleep 600', { signal: AbortSignal.abort(new Error('before')) });
    await assert.rejects(work, /before/);
    assert.deepEqual(started, []);
  });

  // A process that has removed its marker can be found only while its parent is alive; the third case tests that.
  for (const [name, environment, end] of [
    ['bears the mark of its job, when the agent ends', '', 'ends'],
    ['bears the mark of its job, when the agent is stopped', '', 'stopped'],
    ['has hidden it, when the agent is stopped', 'env -i PATH="$PATH"', 'stopped'],
  ] as const) {
    itOnLinux(`kills a process with its own session that ignores SIGTERM and ${name}`, async () => {
      const stop = new AbortController();
      const loop = `trap "" TERM; echo $$ > left.tmp; mv left.tmp left; while :; do sleep 0.05; done`;
      const survivor = `${environment} setsid sh -c '${loop}' >/dev/null 2>&1 </dev/null &`;
      const { work, task } = await run(`${survivor} until test -e go; do sleep 0.05; done`, { signal: stop.signal });
      work.catch(() => undefined);
      const left = async () => Number(await readFile(join(task.folder, 'left'), 'utf8').catch(() => '0'));
      await waitUntil(async () => (await left()) > 0);
      const pid = await left();
      assert.notEqual(await processStartTime(pid), undefined);
      if (end === 'stopped') {
        stop.abort(new Error('stopped'));
        await assert.rejects(work, /stopped/);
      } else {
        await writeFile(join(task.folder, 'go'), '');
        await work;
      }
      await untilGone(pid);
    });
  }
});
