import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SCRIPTED_AGENT, SERVICE, testNode } from '../support/serviceProcess';
import { jobBranch, createSampleRepository, git, temporaryFolder } from '../support/temporaryRepository';
import { waitUntil } from './contractBench';

interface Ready {
  port: number;
  keyFile: string;
  projects: { projectId: string; folder: string }[];
}

describe('local service, started from the command line', function () {
  let repo: string;
  let home: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    [repo, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(repo);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
    }
  });

  const agent = ['--agent-command', JSON.stringify([testNode(), SCRIPTED_AGENT])];
  const environment = () => ({ PATH: process.env['PATH'], HOME: home });

  async function start(...args: string[]) {
    // As in a terminal, nothing arrives on standard input, and it stays open.
    const child = spawn(testNode(), [SERVICE, ...args], { env: environment(), stdio: 'pipe' });
    children.push(child);
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output.text += text));
    }
    await waitUntil(() => output.text.includes('\n') || child.exitCode !== null);
    const line = /^\{"ready":true.*\}$/m.exec(output.text)?.[0];
    return { child, output, ready: line === undefined ? undefined : (JSON.parse(line) as Ready) };
  }

  async function job(ready: Ready, prompt: string): Promise<{ id: string; status: string }> {
    const key = (await readFile(ready.keyFile, 'utf8')).trim();
    const url = `http://127.0.0.1:${ready.port}/v2/agent/${ready.projects[0]?.projectId ?? ''}/job`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ prompt }) });
    assert.equal(answer.status, 201);
    let made = (await answer.json()) as { id: string; status: string };
    await waitUntil(async () => {
      made = (await (await fetch(`${url}/${made.id}`, { headers })).json()) as typeof made;
      return made.status !== 'active';
    });
    return made;
  }

  it('runs jobs with a key that it keeps in a file only the user can read', async () => {
    const data = await temporaryFolder();
    const args = ['--repo', repo, '--data', data, '--port', '0', '--no-pull-requests', ...agent];
    const first = await start(...args);
    assert.ok(first.ready, first.output.text);
    assert.equal(first.ready.keyFile, join(data, 'key'));
    assert.equal((await stat(first.ready.keyFile)).mode & 0o777, 0o600);
    const { id, status } = await job(first.ready, 'Document the limits');
    assert.equal(status, 'completed');
    assert.match(await git(repo, 'log', '-1', '--format=%s', await jobBranch(repo, id)), /Document the limits/);
    const key = (await readFile(first.ready.keyFile, 'utf8')).trim();
    assert.ok(!first.output.text.includes(key));

    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    await chmod(first.ready.keyFile, 0o644);
    // Without options, jobs run with the previous settings.
    const second = await start('--repo', repo, '--data', data, '--port', '0');
    assert.ok(second.ready, second.output.text);
    assert.equal((await readFile(second.ready.keyFile, 'utf8')).trim(), key);
    assert.equal((await stat(second.ready.keyFile)).mode & 0o777, 0o600);
    assert.equal((await job(second.ready, 'Document more')).status, 'completed');
  });

  it('keeps settings that are left out at the next start', async () => {
    const data = await temporaryFolder();
    const settingsAfter = async (...args: string[]) => {
      const { ready, output, child } = await start('--repo', repo, '--data', data, '--port', '0', ...args);
      assert.ok(ready, output.text);
      const key = (await readFile(ready.keyFile, 'utf8')).trim();
      const url = `http://127.0.0.1:${ready.port}/local/projects/${ready.projects[0]?.projectId ?? ''}/settings`;
      const settings = (await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()) as object;
      child.kill('SIGTERM');
      await once(child, 'exit');
      return settings;
    };
    const first = await settingsAfter(
      '--environment',
      'AWS_REGION',
      '--allow-commands',
      '--no-pull-requests',
      ...agent,
    );
    assert.deepEqual(await settingsAfter(), first);
    const second = { ...first, agent: 'copilot', command: [], protocol: 'stdin' };
    assert.deepEqual(await settingsAfter('--agent', 'copilot'), second);
    assert.deepEqual(await settingsAfter('--no-allow-commands', '--no-environment'), {
      ...second,
      mayRunCommands: false,
      variables: [],
    });
  });

  it('decides about the jobs of the service that is running', async () => {
    const data = await temporaryFolder();
    const decide = (decision: string, id: string): Promise<string> =>
      promisify(execFile)(testNode(), [SERVICE, decision, id, '--data', data], { env: environment() }).then(
        ({ stdout }) => stdout,
        (error: unknown) => `${(error as { code: number }).code}: ${(error as { stderr: string }).stderr}`,
      );
    assert.match(await decide('merge', 'j1'), /^2: .*No service is running/);
    const { ready, output } = await start(
      '--repo',
      repo,
      '--data',
      data,
      '--port',
      '0',
      '--no-pull-requests',
      ...agent,
    );
    assert.ok(ready, output.text);
    const [{ id }, other] = [await job(ready, 'Document the limits'), await job(ready, 'Document more')];
    const [branch, before] = [await jobBranch(repo, id), (await git(repo, 'rev-parse', 'main')).trim()];
    const commit = (await git(repo, 'rev-parse', branch)).trim();
    const undo = `  git reset --keep ${before}\n  git branch ${branch} ${commit}\n`;
    assert.equal(await decide('merge', id), `Merged into main. To undo this while main is checked out:\n${undo}`);
    assert.equal((await git(repo, 'rev-parse', 'main~1')).trim(), before);
    assert.equal(await decide('merge', id), 'Your branch “main” already contains this work.\n');
    assert.match(await decide('close', id), /^1: This work is already merged\./);
    assert.match(await decide('close', other.id), /^Closed without merging/);
    assert.match(await decide('merge', other.id), /^1: This job is closed\. Reopen it first\./);
    assert.match(await decide('merge', 'none'), /^1: Job not found\./);
  });

  it('does not overwrite a file of the user’s that is not a key', async () => {
    const data = await temporaryFolder();
    await writeFile(join(data, 'docs-agent-data'), '');
    await writeFile(join(data, 'key'), 'something of mine');
    const { child, output, ready } = await start('--repo', repo, '--data', data);
    await waitUntil(() => child.exitCode !== null);
    assert.deepEqual([child.exitCode, ready], [1, undefined]);
    assert.match(output.text, /doesn’t contain a key/);
    assert.equal(await readFile(join(data, 'key'), 'utf8'), 'something of mine');
  });

  it('prints its usage', async () => {
    const { stdout } = await promisify(execFile)(testNode(), [SERVICE, '--help'], { env: environment() });
    assert.match(stdout, /^Usage: node service\.mjs --repo DIR/);
    const wrong = await start('--repo', repo, '--agent', 'custom');
    await waitUntil(() => wrong.child.exitCode !== null);
    assert.equal(wrong.child.exitCode, 2);
  });
});
