import assert, { equal, match, strictEqual } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Redactor } from '../../../src/base/redact';
import { parseCommandLine, type ServeOptions, serveUsage } from '../../../src/local-service/commandLine';
import { userFolder } from '../../../src/local-service/dataFolder';
import { nodeProblem } from '../../../src/local-service/nodeVersion';
import { UsageError } from '../../../src/local-service/options';
import { streamLogger } from '../../../src/local-service/streamLogger';

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
    assert.deepEqual(given('--no-pull-requests', '--allow-commands', '--confine', 'require'), {
      mayRunCommands: true,
      confine: 'require',
      publish: false,
    });
    assert.deepEqual(
      given('--pull-requests', '--no-allow-commands', '--confine', 'off', '--no-allow-repository-agent-settings'),
      { mayRunCommands: false, repositoryAgentSettings: false, confine: 'off', publish: true },
    );
    assert.deepEqual(given('--check-in-pull-request'), { checkInPullRequest: true });
    const allowedHosts = ['localhost:11434', '10.0.0.7', 'llm.example.com:8000', '*.example.org'];
    assert.deepEqual(given(...allowedHosts.flatMap((host) => ['--allow-host', host])), { allowedHosts });
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
    ['--data', '/d', '--repo', '/a', '--allow-host', 'gpu:8000'],
    ['--data', '/d', '--repo', '/a', '--allow-host', 'localhost'],
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

describe('service data folder', () => {
  it('is XDG_DATA_HOME on Linux if that is an absolute path, and the default otherwise', () => {
    equal(userFolder('data', { XDG_DATA_HOME: '/data' }, '/home/robin', 'linux'), '/data/docs-agent');
    for (const set of [undefined, '', 'data', '~/data']) {
      equal(userFolder('data', { XDG_DATA_HOME: set }, '/home/robin', 'linux'), '/home/robin/.local/share/docs-agent');
    }
  });

  it('is in Application Support on macOS', () => {
    const folder = '/Users/robin/Library/Application Support/docs-agent';
    equal(userFolder('data', { XDG_DATA_HOME: '/data', LOCALAPPDATA: '/x' }, '/Users/robin', 'darwin'), folder);
  });

  it('is in local app data on Windows, which does not roam to other machines', () => {
    const environment = { LOCALAPPDATA: 'D:\\Local', XDG_DATA_HOME: '/data' };
    equal(userFolder('data', environment, 'C:\\Users\\robin', 'win32'), 'D:\\Local\\docs-agent');
    for (const set of [undefined, '', 'Local']) {
      const folder = 'C:\\Users\\robin\\AppData\\Local\\docs-agent';
      equal(userFolder('data', { LOCALAPPDATA: set }, 'C:\\Users\\robin', 'win32'), folder);
    }
  });
});

describe('Node version check of the service', () => {
  for (const version of ['22.15.0', '22.22.1', '23.11.0', '24.18.1', '100.0.0']) {
    it(`accepts ${version}`, () => strictEqual(nodeProblem(version), undefined));
  }

  for (const version of ['22.14.9', '20.19.0', '18.20.8', '8.0.0']) {
    it(`rejects ${version} and names the required version`, () => {
      match(nodeProblem(version) ?? '', new RegExp(`${version.replaceAll('.', '\\.')}.*22\\.15 or newer`));
    });
  }
});

describe('the log of a service', () => {
  const logged = (write: (log: ReturnType<typeof streamLogger>) => void): string => {
    const stream = new PassThrough();
    const redactor = new Redactor();
    redactor.add('a very\nsecret key');
    write(streamLogger(stream, redactor));
    return String(stream.read()).replace(/^\S+ /, '');
  };

  it('shows control characters instead of sending them to the terminal', () => {
    const text = 'a \u001b[2J\u001b]0;title\u0007 b\tc\rd\u009b1A\u007f\u2028e';
    assert.equal(
      logged((log) => log.info(text)),
      'info a \\u001b[2J\\u001b]0;title\\u0007 b\tc\\u000dd\\u009b1A\\u007f\\u2028e\n',
    );
  });

  it('indents all lines of a message but the first, so that none looks like a message of its own', () => {
    const error = new Error();
    error.stack = 'Error: said\n2026-01-01T00:00:00.000Z info done\r\n    at run';
    assert.equal(
      logged((log) => log.error('couldn’t work', error)),
      'error couldn’t work: Error: said\n  2026-01-01T00:00:00.000Z info done\n      at run\n',
    );
  });

  it('redacts before it changes anything', () => {
    assert.equal(
      logged((log) => log.warn('wrong: a very\nsecret key')),
      'warning wrong: [secret]\n',
    );
  });
});
