import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { waitUntil } from '../../../contract/contractBench';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';
import { report, scaled, seed } from '../../../support/scale';
import { processesWith } from '../processesWith';

const SCRIPT = fileURLToPath(new URL('./misbehavingAgent.mjs', import.meta.url));

/** Long enough for a slow machine where the agent answers; IMPATIENT is for agents that never do. */
const LIMITS = { reopenMs: 10_000, startMs: 40_000, cancelMs: 1_000, endMs: 1_000, messageBytes: 16 * 1024 * 1024 };
const IMPATIENT = { ...LIMITS, startMs: 1_500 };

describe('AcpAgent with an agent that misbehaves', function () {
  const run = async (mode: string, limits = LIMITS, more: string[] = []) => {
    const given = await agentTask({ command: [process.execPath, SCRIPT, mode, ...more] });
    const agent = new AcpAgent(SUPERVISOR, process.env, limits);
    const outcome = await agent.run(given.task).catch((error: unknown) => error);
    if (process.platform === 'linux') {
      await waitUntil(async () => (await processesWith('DOCS_AGENT_JOB', given.task.jobId)).length === 0);
    }
    return { ...given, outcome };
  };

  const failures: [string, RegExp, typeof LIMITS?][] = [
    ['silent', /^The agent was started but didn’t respond within 2 seconds\. Start it in a terminal/, IMPATIENT],
    ['silent session', /^The agent was started but didn’t respond within 2 seconds\./, IMPATIENT],
    ['ends at once', /^The agent exited before it finished\. Try again, or send a follow-up\.$/],
    ['greets with text', /^The agent doesn’t support version 1 of the Agent Client Protocol\./],
    ['greets with null', /^The agent doesn’t support version 1 of the Agent Client Protocol\./],
    ['greets with a list', /^The agent doesn’t support version 1 of the Agent Client Protocol\./],
    ['names no session', /^The agent didn’t return a session ID\./],
    ['names a session by a number', /^The agent didn’t return a session ID\./],
    ['ends its turn with null', /^The agent returned an unknown stop reason\./],
    [
      'long line',
      /^The agent sent a message of more than 16 MB and was stopped\. Send a follow-up with a smaller request\.$/,
    ],
    [
      'line without end',
      /^The agent sent a message of more than 16 MB and was stopped\. Send a follow-up with a smaller request\.$/,
    ],
    ['closes its output', /^The agent exited before it finished\. Try again, or send a follow-up\.$/],
    ['answers with an odd error', /^The agent returned an error\. .* The agent reported: Invalid request$/],
  ];
  for (const [mode, words, limits] of failures) {
    it(`fails with a message and leaves no process: ${mode}`, async () => {
      const { outcome } = await run(mode, limits);
      assert.ok(outcome instanceof TurnFailure, String(outcome));
      assert.match(outcome.message, words);
    });
  }

  it('uses the first of two answers', async () => {
    assert.deepEqual((await run('answers twice')).outcome, { summary: '' });
  });

  it('records only the first 5,000 updates of a flood', async () => {
    const { outcome, entries } = await run('floods with updates');
    assert.deepEqual(outcome, { summary: '' });
    assert.equal(entries.length, 5_000);
  });

  it('skips large messages, notes them, and denies what they ask for', async () => {
    const { outcome, entries } = await run('large messages');
    assert.deepEqual(outcome, { summary: '1:cancelled' });
    assert.deepEqual(
      entries.map((entry) => (entry.kind === 'note' ? entry.coded?.code : entry.kind)),
      ['messageLeftOut', 'messageLeftOut', 'unknownRequest', 'message'],
    );
  });

  it('skips a flood of garbage', async () => {
    assert.deepEqual((await run('floods with garbage')).outcome, { summary: '' });
  });

  it('answers each request, however malformed, and never grants more than was asked for', async () => {
    const { outcome, entries } = await run('asks in odd forms');
    const answers = '1:cancelled 2:cancelled 3:cancelled 4:cancelled 5:cancelled 6:-32601 7:-32601 8:-32601';
    assert.deepEqual(outcome, { summary: answers });
    const whys = entries.map((entry) => (entry.kind === 'permission' ? `${entry.answer}: ${entry.why}` : entry.kind));
    assert.deepEqual(whys, [
      'note',
      'note',
      'refused: It’s unclear what it would do.',
      'refused: The agent didn’t offer an “allow once” option.',
      'refused: The agent didn’t offer an “allow once” option.',
      'message',
    ]);
  });

  it('fails with a message whatever the agent sends', async () => {
    const tries = scaled(4, 400);
    for (let index = 0; index < tries; index++) {
      const { outcome } = await run('does anything', LIMITS, [String(seed + index)]);
      assert.ok(outcome instanceof TurnFailure, `${String(outcome)}, seed ${seed + index}`);
    }
    report({
      promise: 'S12',
      what: `${tries} agents that say anything`,
      figure: '0 turns that hang, 0 processes left',
    });
  });
});
