import assert from 'node:assert/strict';
import { OPTIONS, parseCommandLine, type ServeOptions, UsageError } from '../../../src/service/commandLine';
import { USAGE } from '../../../src/service/usage';

const usageOptions = Object.keys(OPTIONS);

describe('parseCommandLine', () => {
  const optionsOf = (...args: string[]): ServeOptions => {
    const line = parseCommandLine(args);
    assert.ok(line.mode === 'serve');
    return line.options;
  };

  it('has defaults for all', () => {
    assert.deepEqual(optionsOf(), {
      data: undefined,
      port: undefined,
      stateFile: undefined,
      keysFromStdin: false,
      release: undefined,
      repositories: [],
      settings: undefined,
      concurrency: 2,
      rateLimit: 100,
      turnTimeoutMs: 1_800_000,
      keepDays: 30,
      idleMinutes: 0,
    });
  });

  it('takes several repositories and a command', () => {
    const args = ['--data', '/d', '--repo', '/a', '--repo', '/b', '--agent-command', '["p","x y"]', '--port', '0'];
    const { repositories, settings, port } = optionsOf(...args);
    assert.deepEqual(
      [repositories, settings?.agent, settings?.command, port],
      [['/a', '/b'], 'custom', ['p', 'x y'], 0],
    );
  });

  it('takes how the jobs of the repositories are done, and nothing of it as “as it was”', () => {
    const standard = {
      agent: 'auto',
      command: [],
      protocol: 'stdin',
      mayRunCommands: false,
      repositoryAgentSettings: false,
      variables: undefined,
      confine: false,
      publish: true,
    };
    assert.equal(optionsOf('--repo', '/a').settings, undefined);
    assert.deepEqual(optionsOf('--repo', '/a', '--agent', 'auto').settings, standard);
    assert.deepEqual(optionsOf('--repo', '/a', '--no-pull-requests', '--allow-commands', '--confine').settings, {
      ...standard,
      mayRunCommands: true,
      repositoryAgentSettings: false,
      confine: true,
      publish: false,
    });
    assert.deepEqual(optionsOf('--repo', '/a', '--environment', 'A', '--environment', 'B').settings?.variables, [
      'A',
      'B',
    ]);
    assert.throws(() => optionsOf('--repo', '/a', '--environment', 'A=1'), /--environment must be the name/);
    assert.equal(optionsOf('--repo', '/a', '--agent-command', '["p"]', '--acp').settings?.protocol, 'acp');
  });

  it('reads keys where a program starts it, told so or by its state file', () => {
    assert.equal(optionsOf('--keys-from-stdin').keysFromStdin, true);
    assert.equal(optionsOf('--state-file', '/s').keysFromStdin, true);
  });

  it('says in its help what each option is for', () => {
    const named = [...USAGE.matchAll(/^ {2}--([a-z-]+)/gm)].map((match) => match[1]);
    assert.deepEqual(
      named.filter((name) => !usageOptions.includes(name ?? '')),
      [],
    );
    assert.deepEqual(
      usageOptions.filter((name) => name !== 'supervise' && !named.includes(name)),
      [],
    );
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
    it(`refuses ${args.join(' ') || 'nothing'}`, () => assert.throws(() => parseCommandLine(args), UsageError));
  }
});
