import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WireJob } from '../../src/protocol/job';
import { processStartTime } from '../../src/base/process';
import { serviceStateSchema } from '../../src/protocol/localService';
import { openReview } from '../support/reviewPage';
import { scaled } from '../support/scale';
import { SCRIPTED_ACP } from '../support/agentTask';
import { startService, testNode } from '../support/serviceProcess';
import { jobBranch, git, temporaryFolder } from '../support/temporaryRepository';
import { unusedPort } from '../support/machine';
import { type LocalBench, localBench, localCalls, projectAt, waitUntil } from './contractBench';

/** An agent that writes its pid and that of a child to a file, and then runs for a long time. */
async function slowAgent(): Promise<{ command: string[]; pids: () => Promise<number[]> }> {
  const folder = await temporaryFolder();
  const file = join(folder, 'pids');
  const script = join(folder, 'slow.mjs');
  await writeFile(
    script,
    `import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    process.on('SIGTERM', () => {});
    writeFileSync('half.md', 'half');
    writeFileSync(${JSON.stringify(file)}, process.pid + ' ' + child.pid);
    setTimeout(() => {}, 60000);`,
  );
  const pids = async () => (await readFile(file, 'utf8').catch(() => '')).split(' ').filter(Boolean).map(Number);
  return { command: [testNode(), script], pids };
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function isGone(pids: number[]): Promise<boolean> {
  return (await Promise.all(pids.map(processStartTime))).every((time) => time === undefined);
}

describe('local service, when it is started, stopped or killed', function () {
  const benches: LocalBench[] = [];
  /** For tests that need neither a stop nor special options. */
  let shared: LocalBench;
  before(async () => (shared = await localBench()));
  after(() => shared.close());
  const open = async (...args: Parameters<typeof localBench>) => {
    const bench = await localBench(...args);
    benches.push(bench);
    return bench;
  };
  afterEach(async () => {
    for (const bench of benches.splice(0)) {
      await bench.close();
    }
  });

  it('stops the agent on a follow-up, keeps its edits, and continues with the new message', async () => {
    const script = 'cat > prompt.md; test -f half.md && exit 0; echo half > half.md; sleep 60; echo late > half.md';
    const bench = await projectAt(shared, { agentCommand: ['sh', '-c', script] });
    const { id } = await bench.client.createJob(bench.target, 'First words');
    await waitUntil(() => exists(join(bench.service.data, 'jobs', id, 'work', 'half.md')));
    const answer = await bench.client.sendMessage(bench.target, id, 'Second words');
    assert.equal(answer.status, 'active');
    assert.equal((await bench.ended(id)).status, 'completed');
    const branch = await jobBranch(bench.repo, id);
    const show = (file: string) => git(bench.repo, 'show', `${branch}:${file}`);
    assert.equal(await show('half.md'), 'half\n');
    assert.match(
      await show('prompt.md'),
      /Earlier message 1 \(not finished\) ---\nFirst words\n\n--- New message ---\nSecond words$/,
    );
    assert.equal(
      (await git(bench.repo, 'rev-list', '--count', `main..${await jobBranch(bench.repo, id)}`)).trim(),
      '1',
    );
  });

  it('stops its agents, removes its state file and exits with 0 when asked to stop', async () => {
    const agent = await slowAgent();
    const stateFile = join(await temporaryFolder(), 'state.json');
    const bench = await open({ agentCommand: agent.command, stateFile });
    await bench.client.createJob(bench.target, 'Take your time');
    await waitUntil(async () => (await agent.pids()).length === 2);

    const state = serviceStateSchema.parse(JSON.parse(await readFile(stateFile, 'utf8')));
    assert.deepEqual([state.pid, state.port], [bench.service.pid, bench.service.port]);
    assert.equal(state.startTime, await processStartTime(bench.service.pid));
    if (process.platform !== 'win32') {
      assert.equal((await stat(stateFile)).mode & 0o777, 0o600);
    }

    assert.equal(await bench.service.stop(), 0);
    assert.ok(await isGone(await agent.pids()));
    await assert.rejects(stat(stateFile));
  });

  it('publishes despite a lock file that a killed git left in the service’s own directory', async () => {
    const script = 'echo more >> README.md; touch ../host.git/index.lock ../host.git/HEAD.lock';
    const bench = await projectAt(shared, { agentCommand: ['sh', '-c', script] });
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    const done = await bench.ended(id);
    assert.deepEqual([done.status, done['error']], ['completed', undefined]);
    assert.match(await git(bench.repo, 'show', `${await jobBranch(bench.repo, id)}:README.md`), /more\n$/);
  });

  it('keeps port, jobs and review links across a restart', async () => {
    const bench = await open({ port: await unusedPort() });
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    const done = await bench.ended(id);
    await bench.service.stop();
    const again = await open({ repo: bench.repo, data: bench.service.data, key: bench.target.apiKey });
    assert.equal(again.service.port, bench.service.port);
    assert.deepEqual(await again.client.retrieveJob(again.target, id), done);
    assert.equal((await openReview({ target: again.target, jobId: id })).page.status, 200);
  });

  it('puts a run on hold until its agent’s usage limit resets, even across a restart, and then continues it', async () => {
    const agent = { agentCommand: [testNode(), SCRIPTED_ACP], acp: true };
    const first = await open(agent);
    const words = 'You’ve hit your session limit · resets in 5 seconds';
    const { id } = await first.client.createJob(first.target, `Explain retries [scripted: limit ${words}]`);
    let held: WireJob | undefined;
    await waitUntil(async () => {
      held = await first.client.retrieveJob(first.target, id);
      return held.surroundings?.resumesAt !== undefined;
    });
    assert.deepEqual([held?.status, held?.note, held?.prLink], ['active', undefined, null]);
    await first.service.stop();
    const { data } = first.service;
    const bench = await open({ ...agent, data, repo: first.repo });
    const job = await bench.ended(id);
    assert.deepEqual([job.status, job.surroundings?.resumesAt], ['completed', undefined]);
    assert.ok(Date.now() >= Date.parse(held?.surroundings?.resumesAt ?? ''));
    const branch = await jobBranch(bench.repo, id);
    assert.deepEqual((await git(bench.repo, 'diff', '--name-only', 'main', branch)).trim().split('\n'), [
      'docs/index.md',
      'docs/retries.md',
      'half.md',
    ]);
    assert.doesNotMatch(await git(bench.repo, 'log', '-1', '--format=%b', branch), /^(Done: )?You’ve hit/m);
    // The session is the first one.
    const sessions = JSON.parse(await readFile(join(data, 'jobs', id, 'sessions-work.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(sessions), ['session-1']);
  });

  it('stops a run on hold at once', async () => {
    const bench = await projectAt(shared, { agentCommand: [testNode(), SCRIPTED_ACP], acp: true });
    const prompt = '[scripted: limited You’ve hit your session limit · resets in 5 hours]';
    const { id } = await bench.client.createJob(bench.target, prompt);
    await waitUntil(
      async () => (await bench.client.retrieveJob(bench.target, id)).surroundings?.resumesAt !== undefined,
    );
    assert.equal((await localCalls(bench).cancel(id)).body['stopped'], true);
  });

  it('exits if startup fails after it has begun to listen', async () => {
    await assert.rejects(startService({ stateFile: await temporaryFolder() }), /code 1: .*(EISDIR|EPERM)/);
  });

  it('reports invalid arguments and exits with 2', async () => {
    await assert.rejects(startService({ data: '' }), /code 2: .*--data is missing/);
    await assert.rejects(startService({ key: 'local_short' }), (error: Error) => {
      assert.match(error.message, /code 2: .*isn’t the expected JSON/);
      assert.doesNotMatch(error.message, /local_short/);
      return true;
    });
  });

  it('shows its keys neither on a command line nor in its output', async () => {
    const bench = shared;
    await bench.client.createJob(bench.target, 'Document the limits [scripted: wait 300]');
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
    assert.ok(stdout.includes(bench.service.data));
    assert.ok(!stdout.includes(bench.target.apiKey));
    assert.ok(!bench.service.output().includes(bench.target.apiKey));
  });

  it('waits for the previous service to exit before it starts', async () => {
    const folder = await temporaryFolder();
    const stateFile = join(folder, 'state.json');
    const agent = await slowAgent();
    const bench = await open({ agentCommand: agent.command, stateFile });
    const { id } = await bench.client.createJob(bench.target, 'Take your time');
    await waitUntil(async () => (await agent.pids()).length === 2);
    // An unfinished request delays the shutdown of the service by two seconds.
    const halfSent = connect(bench.service.port, '127.0.0.1').on('error', () => undefined);
    await once(halfSent, 'connect');
    halfSent.write(
      `POST /local/shutdown HTTP/1.1\r\nHost: 127.0.0.1:${bench.service.port}\r\nContent-Length: 9\r\n\r\n{`,
    );
    process.kill(bench.service.pid, 'SIGTERM');
    const named = async () => JSON.parse(await readFile(stateFile, 'utf8').catch(() => '{}')) as { ending?: boolean };
    await waitUntil(async () => (await named()).ending === true || !(await exists(stateFile)));
    const again = await open({ repo: bench.repo, data: bench.service.data, key: bench.target.apiKey, stateFile });
    assert.equal(serviceStateSchema.parse(await named()).pid, again.service.pid);
    assert.equal((await again.ended(id)).status, 'completed');
    assert.equal(await bench.service.stop(), 0);
  });

  it('does not start next to a running service, and leaves its state file alone', async () => {
    const stateFile = join(await temporaryFolder(), 'state.json');
    const bench = await open({ stateFile });
    await assert.rejects(startService({ data: bench.service.data, stateFile }), /code 3: .*another local service/);
    const { pid, ending } = serviceStateSchema.parse(JSON.parse(await readFile(stateFile, 'utf8')));
    assert.deepEqual([pid, ending], [bench.service.pid, undefined]);
    assert.equal((await bench.client.createJob(bench.target, '[scripted: change nothing]')).status, 'active');
  });

  it('serves a new data folder only once when two services start on it together', async () => {
    for (let round = 0; round < scaled(3, 30); round++) {
      const data = await temporaryFolder();
      const started = await Promise.allSettled([startService({ data }), startService({ data })]);
      const running = started.filter((each) => each.status === 'fulfilled').map((each) => each.value);
      assert.equal(running.length, 1);
      await running[0]?.stop();
    }
  });
});
