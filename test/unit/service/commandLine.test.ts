import assert from 'node:assert/strict';
import { parseCommandLine, UsageError } from '../../../src/service/commandLine';

describe('parseCommandLine', () => {
  it('has defaults for all but the data folder', () => {
    assert.deepEqual(parseCommandLine(['--data', '/d']), {
      mode: 'serve',
      options: {
        data: '/d',
        port: undefined,
        stateFile: undefined,
        repositories: [],
        agentCommand: [],
        rateLimit: 100,
        turnTimeoutMs: 1_800_000,
      },
    });
  });

  it('takes several repositories and a command', () => {
    const args = ['--data', '/d', '--repo', '/a', '--repo', '/b', '--agent-command', '["p","x y"]', '--port', '0'];
    const line = parseCommandLine(args);
    assert.ok(line.mode === 'serve');
    assert.deepEqual(
      [line.options.repositories, line.options.agentCommand, line.options.port],
      [['/a', '/b'], ['p', 'x y'], 0],
    );
  });

  const wrong: string[][] = [
    [],
    ['--data', ''],
    ['--data', '/d', 'more'],
    ['--data', '/d', '--key', 'x'],
    ['--data', '/d', '--port', '65536'],
    ['--data', '/d', '--port', '-1'],
    ['--data', '/d', '--port', '1e3'],
    ['--data', '/d', '--rate-limit', '0'],
    ['--data', '/d', '--repo', '/a'],
    ['--data', '/d', '--repo', '/a', '--agent-command', 'agent'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '[]'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '[""]'],
    ['--data', '/d', '--repo', '/a', '--agent-command', '["a",1]'],
  ];
  for (const args of wrong) {
    it(`refuses ${args.join(' ') || 'nothing'}`, () => assert.throws(() => parseCommandLine(args), UsageError));
  }
});
