import assert from 'node:assert/strict';
import { writeFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import { TurnFailure, UsageLimit } from '../../../../src/local-service/turnFailure';
import { agentTask, scriptedAs, SUPERVISOR } from '../../../support/agentTask';
import { agentSecrets } from '../../../../src/local-service/agents/agentSecrets';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { processStartTime } from '../../../../src/base/process';
import { endJobProcesses, killAgent } from '../../../../src/local-service/agents/descendants';
import { itOnLinux, itOnUnix, notOnWindows } from '../../../support/machine';

const KEY = 'sk-ant-api03-of-robin';

describe('handling of agent failures', function () {
  notOnWindows();

  /** Starts the scripted agent under the name of a known one. */
  const start = async (name: string, prompt: string, options: string[] = [], environment: NodeJS.ProcessEnv = {}) => {
    const path = await scriptedAs(name);
    const bin = dirname(path);
    await writeFile(join(bin, 'claude'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const variables = Object.keys(environment);
    const given = await agentTask({ prompt, command: [path, ...options], variables });
    const all = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...environment };
    const limits = { startMs: 60_000, sessionMs: 60_000, cancelMs: 3_000, endMs: 200, messageBytes: 1_000_000 };
    const work = new AcpAgent(SUPERVISOR, all, limits).run(given.task);
    work.catch(() => undefined);
    return { ...given, work };
  };
  const failsWith = (work: Promise<unknown>, words: RegExp) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof TurnFailure, String(error));
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /of-robin/);
      return true;
    });

  it('explains how to sign in', async () => {
    const { work } = await start('claude-agent-acp', '', ['--login']);
    await failsWith(
      work,
      /^Claude Code isn’t signed in\. Run “claude” in a terminal and enter “\/login” .+, or set ANTHROPIC_API_KEY and add it to docsAgent\.local\.environment \(or --environment\)\./,
    );
  });

  it('quotes what the agent itself says about signing in, without keys and on one line', async () => {
    const words = `Please run\n\`auggie login\`, not ${KEY}`;
    for (const name of ['claude-agent-acp', 'my-agent']) {
      const { work } = await start(name, '', ['--login', words], { ANTHROPIC_API_KEY: KEY });
      await failsWith(work, / The agent reported: Please run `auggie login`, not \[secret\]$/);
    }
    const { work } = await start('my-agent', '', ['--login']);
    await failsWith(work, /sign in, then send the prompt again\.$/);
  });

  it('reports a rejected key with the agent’s last message and never includes the key', async () => {
    const prompt = `[scripted: login Invalid API key ${KEY}]`;
    const { work } = await start('claude-agent-acp', prompt, [], { ANTHROPIC_API_KEY: KEY });
    await failsWith(
      work,
      /^Claude Code rejected the key in ANTHROPIC_API_KEY\. .+ The agent reported: Invalid API key \[secret\]$/,
    );
  });

  it('fails the turn when the agent reports an error but ends normally', async () => {
    const missing = await start('codex-acp', '[scripted: say Missing environment variable: `OPENAI_API_KEY`.]');
    await failsWith(
      missing.work,
      /^Codex isn’t signed in\. Run “codex login” .+ The agent reported: Missing environment variable/,
    );
    const broken = await start('copilot', '[scripted: say Error: The model is gone.]');
    await failsWith(broken.work, /^The agent reported an error: Error: The model is gone\.$/);
  });

  describe('at a usage limit', () => {
    const WORDS = 'You’ve hit your session limit · resets in 2 hours';
    for (const how of ['limit', 'limited']) {
      it(`reports when it resets, and keeps the session (${how})`, async () => {
        const { work, sessions } = await start('claude-agent-acp', `[scripted: ${how} ${WORDS}]`);
        const error: unknown = await work.catch((reason: unknown) => reason);
        assert.ok(error instanceof UsageLimit, String(error));
        assert.ok(Math.abs(error.resumesAt - Date.now() - 7_200_000) < 60_000);
        assert.match(
          error.message,
          /The agent reported an error: (Internal error: )?You’ve hit your session limit · resets in 2 hours$/,
        );
        assert.deepEqual(sessions, ['session-1']);
      });
    }

    it('fails the turn with the agent’s words when it doesn’t say when it resets', async () => {
      const { work } = await start('claude-agent-acp', '[scripted: limit You’ve hit your session limit.]');
      const error: unknown = await work.catch((reason: unknown) => reason);
      assert.ok(error instanceof TurnFailure && !(error instanceof UsageLimit), String(error));
      assert.match(error.message, /The agent reported an error: You’ve hit your session limit\.$/);
    });

    it('reports when it resets for a plain program, too', async () => {
      for (const code of [0, 1]) {
        const { task } = await agentTask({
          command: [
            'sh',
            '-c',
            `echo 'Claude AI usage limit reached|${Math.floor(Date.now() / 1000) + 60}'; exit ${code}`,
          ],
        });
        await assert.rejects(new CommandAgent(SUPERVISOR, process.env).run(task), UsageLimit);
      }
    });
  });

  it('retries once without the user’s program when that is too old for the agent', async () => {
    const { work, entries } = await start('claude-agent-acp', '[scripted: say Done.]', [
      '--breaks-with',
      'CLAUDE_CODE_EXECUTABLE',
    ]);
    assert.deepEqual(await work, { summary: 'Done.' });
    assert.match(
      JSON.stringify(entries[0]),
      /Couldn’t use .+: .+process exited with code 1.+ Update or remove “claude”/,
    );
  });
});

const OPENAI_KEY = 'sk-proj-abcdefghijklmnop1234567890';

describe('an agent that prints its own key', function () {
  notOnWindows();

  for (const Driver of [CommandAgent, AcpAgent]) {
    it(`leaves no key behind when it runs as a ${Driver.name}`, async () => {
      const script = 'echo "calling with $OPENAI_API_KEY"; echo "Error: 401 for key $OPENAI_API_KEY" >&2; exit 1';
      const command = ['/bin/sh', '-c', script] as const;
      const { task, entries } = await agentTask({ command, prompt: 'p', variables: ['OPENAI_API_KEY'] });
      const failed = await new Driver(SUPERVISOR, { ...process.env, OPENAI_API_KEY: OPENAI_KEY })
        .run(task)
        .catch(String);
      assert.match(JSON.stringify(failed), /Error: 401 for key \[secret\]/);
      const log = await readFile(join(task.directory, 'agent.log'), 'utf8');
      assert.match(log, /calling with \[secret\]/);
      assert.ok(![failed, log, entries].some((each) => JSON.stringify(each).includes('abcdefghij')));
    });
  }
});

describe('agentSecrets', () => {
  it('redacts a key in a header that is sent along, and not the name of the header', () => {
    const headers = `X-Team: docs\nAuthorization: Bearer ${OPENAI_KEY}`;
    const secrets = agentSecrets({ ANTHROPIC_CUSTOM_HEADERS: headers });
    assert.equal(secrets.redactSecrets(`Authorization: 401 for ${OPENAI_KEY}`), 'Authorization: 401 for [secret]');
  });

  it('leaves limits and the paths of files as they are', () => {
    const given = { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '128000', AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' };
    const said = 'The limit is 128000. /run/token is missing.';
    assert.equal(agentSecrets(given).redactSecrets(said), said);
  });
});

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

  itOnLinux('kills exactly the processes marked with the job', async () => {
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

  itOnUnix('does not kill a group whose leader is gone because its ID may have been reused', async () => {
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
