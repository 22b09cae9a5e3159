import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { agentTask, scriptedAs, SUPERVISOR } from '../../../support/agentTask';
import { temporaryFolder } from '../../../support/temporaryRepository';

const KEY = 'sk-ant-api03-of-robin';

describe('handling of agent failures', function () {
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });

  /** Starts the scripted agent under the name of a known one. */
  const start = async (name: string, prompt: string, options: string[] = [], environment: NodeJS.ProcessEnv = {}) => {
    const path = await scriptedAs(name);
    const bin = dirname(path);
    await writeFile(join(bin, 'claude'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const variables = Object.keys(environment);
    const given = await agentTask({ prompt, command: [path, ...options], variables });
    const all = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...environment };
    const limits = { startMs: 60_000, reopenMs: 30_000, cancelMs: 3_000, endMs: 200, messageBytes: 1_000_000 };
    const work = new AcpAgent(SUPERVISOR, all, { ...limits, silenceMs: 400 }).run(given.task);
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
    await failsWith(broken.work, /^The agent returned an error\. .* The agent reported: Error: The model is gone\.$/);
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

  it('adds one note for each silent period of the agent', async () => {
    const { work, entries } = await start('goose', '[scripted: wait 1500] [scripted: say Done.]');
    await work;
    const silent = entries.filter(
      (entry) => entry.kind === 'note' && entry.text.startsWith('No activity from the agent'),
    );
    assert.equal(silent.length, 1);
  });

  it('refuses to run a script of the repository but allows one of its pages as an argument', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'tools'));
    await Promise.all(['agent.sh', 'tools/agent', 'rules.md'].map((path) => writeFile(join(folder, path), 'exit 0\n')));
    const run = async (...command: string[]): Promise<string> => {
      const more: Partial<AgentTask> = { folder, command };
      const { task } = await agentTask(more);
      return new AcpAgent(SUPERVISOR, process.env).run(task).then(
        () => 'ran',
        (error: unknown) => (error as Error).message,
      );
    };
    for (const command of [
      ['sh', 'agent.sh'],
      ['node', 'tools/agent'],
      ['x', '--run=agent.sh'],
      ['sh', './agent.sh'],
    ]) {
      assert.match(await run(...command), /in your agent’s command is a file in the repository, .+ absolute path/);
    }
    assert.match(await run('no-such-agent', '--read', 'rules.md'), /wasn’t found/);
  });
});
