import assert from 'node:assert/strict';
import { parseCommandLine, type ServeOptions, serveUsage } from '../../../src/local-service/commandLine';
import { UsageError } from '../../../src/local-service/options';

describe('parseCommandLine', () => {
  const optionsOf = (...args: string[]): ServeOptions => {
    const options = parseCommandLine(args);
    assert.ok(options !== undefined);
    return options;
  };

  it('has a default for every option that needs one', () => {
    const entries = Object.entries(optionsOf()).filter(([, value]) => value !== undefined);
    assert.deepEqual(Object.fromEntries(entries), {
      ...{ keysFromStdin: false, protocol: false, concurrency: 2, rateLimit: 100 },
      ...{ turnTimeoutMs: 1_800_000, keepDays: 30, idleMinutes: 0 },
    });
  });

  it('accepts several repositories and a command', () => {
    const args = ['--data', '/d', '--repo', '/a', '--repo', '/b', '--agent-command', '["p","x y"]', '--port', '0'];
    const { repo, settings, port } = optionsOf(...args);
    assert.deepEqual([repo, settings?.agent, settings?.command, port], [['/a', '/b'], 'custom', ['p', 'x y'], 0]);
  });

  it('returns only the job settings that were passed for the repositories', () => {
    const given = (...args: string[]) => optionsOf('--repo', '/a', ...args).settings;
    assert.equal(given(), undefined);
    assert.deepEqual(given('--agent', 'auto'), { agent: 'auto', command: [], protocol: 'stdin' });
    assert.deepEqual(given('--no-pull-requests', '--allow-commands', '--confine'), {
      mayRunCommands: true,
      confine: true,
      publish: false,
    });
    assert.deepEqual(
      given('--pull-requests', '--no-allow-commands', '--no-confine', '--no-allow-repository-agent-settings'),
      { mayRunCommands: false, repositoryAgentSettings: false, confine: false, publish: true },
    );
    assert.deepEqual(given('--check-in-pull-request'), { checkInPullRequest: true });
    assert.deepEqual(given('--no-check-in-pull-request'), { checkInPullRequest: false });
    assert.deepEqual(given('--agent-command', '["p"]', '--acp'), { agent: 'custom', command: ['p'], protocol: 'acp' });
  });

  it('accepts names of variables and reports names that are never passed to an agent', () => {
    const named = optionsOf('--repo', '/a', '--environment', 'AWS_REGION', '--environment', 'B').settings;
    assert.deepEqual(named, { variables: ['AWS_REGION', 'B'] });
    assert.deepEqual(optionsOf('--repo', '/a', '--no-environment').settings, { variables: [] });
    for (const name of ['NODE_OPTIONS', 'GIT_DIR', 'DOCS_AGENT_JOB', 'VSCODE_PID']) {
      assert.throws(
        () => optionsOf('--repo', '/a', '--environment', name),
        (error) => error instanceof UsageError && error.message.includes(`“${name}” is never passed to an agent`),
      );
    }
  });

  it('reads keys from stdin when asked to', () => {
    assert.equal(optionsOf('--keys-from-stdin').keysFromStdin, true);
  });

  it('explains itself on lines that fit a terminal', () => {
    assert.equal(parseCommandLine(['--help']), undefined);
    const usage = serveUsage('docs-agent');
    assert.match(
      usage,
      /^Usage: docs-agent --repo DIR .*\n {2}--repo DIR {14}repository to serve.*--no-check-in-pull-request\n {26}don't/s,
    );
    assert.ok(usage.split('\n').every((line) => line.length <= 120));
  });

  const wrong: string[][] = [
    ['--data', ''],
    ['--data', '/d', 'more'],
    ['--data', '/d', '--key', 'x'],
    ['--data', '/d', '--port', '65536'],
    ['--data', '/d', '--port', '-1'],
    ['--data', '/d', '--port', '1e3'],
    ['--data', '/d', '--rate-limit', '0'],
    ['--data', '/d', '--agent', 'auto'],
    ['--data', '/d', '--repo', '/a', '--agent', 'custom'],
    ['--data', '/d', '--repo', '/a', '--agent', 'No Such'],
    ['--data', '/d', '--repo', '/a', '--agent', 'nonsense'],
    ['--data', '/d', '--environment', 'A'],
    ['--data', '/d', '--repo', '/a', '--environment', 'A=b'],
    ['--data', '/d', '--repo', '/a', '--environment', 'A', '--no-environment'],
    ['--no-data'],
    ['--data', '/d', '--repo', '/a', '--agent', 'gemini', '--agent-command', '["a"]'],
    ['--data', '/d', '--repo', '/a', '--acp'],
    ['--data', '/d', '--concurrency', '0'],
    ['--data', '/d', '--idle-minutes', '-1'],
    ['--data', '/d', '--repo', '/a', '--agent-command', 'agent'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '[]'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '[""]'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '["a",1]'],
  ];
  for (const args of wrong) {
    it(`rejects ${args.join(' ') || 'nothing'}`, () => assert.throws(() => parseCommandLine(args), UsageError));
  }
});
