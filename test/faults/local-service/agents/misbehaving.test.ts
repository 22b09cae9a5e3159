import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentOutcome } from '../../../../src/local-service/agents/agentDriver';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { waitUntil, localBench } from '../../../contract/contractBench';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';
import { report, scaled, seed } from '../../../support/scale';
import { processesWith } from '../processesWith';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notOnWindows } from '../../../support/machine';
import { testNode } from '../../../support/serviceProcess';
import { temporaryFolder } from '../../../support/temporaryRepository';

const SCRIPT = fileURLToPath(new URL('./misbehavingAgent.mjs', import.meta.url));

/** Long enough for a slow machine where the agent answers; IMPATIENT is for agents that never do. */
const LIMITS = { startMs: 40_000, sessionMs: 10_000, cancelMs: 1_000, endMs: 1_000, messageBytes: 16 * 1024 * 1024 };
const IMPATIENT = { ...LIMITS, startMs: 1_500, sessionMs: 1_500 };

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
    ['ends at once', /^The agent exited before it finished\.$/],
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
    ['closes its output', /^The agent exited before it finished\.$/],
    ['answers with an odd error', /^The agent reported an error: Invalid request$/],
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

  it('skips a flood of garbage', async () => {
    assert.deepEqual((await run('floods with garbage')).outcome, { summary: '' });
  });

  it('answers each request, however malformed, and never grants more than was asked for', async () => {
    const { outcome, entries } = await run('asks in odd forms');
    const answers = '1:cancelled 2:cancelled 3:cancelled 4:cancelled 5:cancelled 6:-32601 7:-32601 8:-32601';
    assert.equal((outcome as AgentOutcome).summary, answers);
    const whys = entries.map((entry) => (entry.kind === 'permission' ? `${entry.answer}: ${entry.why}` : entry.kind));
    assert.deepEqual(whys, [
      'note',
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

/** Variables from the environment of a developer, an editor and a build machine that an agent must not see. */
const KNOWN = [
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'MINT_KEY'],
  ...['DOCS_AGENT_KEY', 'DOCS_AGENT_TEST', 'SSH_AUTH_SOCK', 'GPG_AGENT_INFO', 'KUBECONFIG', 'DATABASE_URL'],
  ...['VSCODE_PID', 'VSCODE_IPC_HOOK', 'VSCODE_GIT_ASKPASS_NODE', 'VSCODE_CWD', 'ELECTRON_NO_ATTACH_CONSOLE'],
  ...[
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_CONFIG_COUNT',
    'GIT_SSH_COMMAND',
    'GIT_ASKPASS',
    'GIT_EXEC_PATH',
  ],
  ...['NODE_PATH', 'PYTHONPATH', 'PERL5OPT', 'RUBYOPT', 'BASH_ENV', 'ENV'],
  ...['LC_EVIL_1', 'PATHX', 'XHOME', 'HTTP_PROXY', 'https_proxy', 'npm_config_registry', 'CI', 'EDITOR', 'PAGER'],
];

const ALLOWED = {
  LANG: 'C',
  LC_TIME: 'C',
  TMPDIR: '/tmp',
  TERM: 'dumb',
  USER: 'robin',
  LOGNAME: 'robin',
  SHELL: '/bin/sh',
};

describe('local service, the environment of an agent', function () {
  notOnWindows();

  it('contains the allowed variables and the job’s own, and nothing else', async () => {
    const folder = await temporaryFolder();
    const [script, dump] = [join(folder, 'dump.mjs'), join(folder, 'environment.json')];
    await writeFile(
      script,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(dump)}, JSON.stringify(process.env));`,
    );
    // Variables that change how the service itself runs would break the test instead of testing the promise.
    const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{2,24}$/).filter((each) => !/^(LD_|NODE|UV_|SSL|LC_)/.test(each));
    const names = fc.sample(name, { numRuns: scaled(200, 1_000), seed });
    const planted = [...new Set([...KNOWN, ...names])].filter(
      (each) => !(each in ALLOWED) && !/^(PATH|HOME)$/.test(each),
    );
    const bench = await localBench({
      agentCommand: [testNode(), script],
      environment: {
        ...Object.fromEntries(planted.map((each) => [each, 'CANARY'])),
        ...ALLOWED,
        HOME: folder,
        NODE_OPTIONS: '--no-warnings',
        ELECTRON_RUN_AS_NODE: '1',
      },
    });
    try {
      const { id } = await bench.client.createJob(bench.target, 'Look round');
      assert.equal((await bench.ended(id)).status, 'completed');
      const seen = JSON.parse(await readFile(dump, 'utf8')) as Record<string, string>;
      const temporary = seen['TMPDIR'];
      assert.match(temporary ?? '', /^\/tmp\/docs-agent-\w+$/);
      const own = { TMPDIR: temporary, TEMP: temporary, TMP: temporary, DOCS_AGENT_JOB: id };
      const expected = { ...ALLOWED, HOME: folder, PATH: process.env['PATH'], ...own };
      assert.deepEqual(seen, expected, `seed ${seed}`);
      const extra = Object.keys(seen).length - Object.keys(expected).length;
      report({
        promise: 'S12',
        what: `${planted.length + 2} planted variables`,
        figure: `${extra} extra seen by the agent`,
      });
    } finally {
      await bench.close();
    }
  });
});
