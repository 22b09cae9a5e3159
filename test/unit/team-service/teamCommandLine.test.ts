import assert from 'node:assert/strict';
import { JOB_SETTINGS } from '../../../src/local-service/commandLine';
import { TokenStore } from '../../../src/local-service/forges/credentials';
import { UsageError, usageOf } from '../../../src/local-service/options';
import { databaseUrl, parseApi, parseManage, parseWorker, teamHelp } from '../../../src/team-service/teamCommandLine';
import { readGitTokens } from '../../../src/team-service/worker';

const database = 'postgres://me:secret@db.example/jobs';
const environment = { DOCS_AGENT_DATABASE: database };
const NOW = Date.UTC(2026, 0, 1);
const manage = (...args: string[]) => parseManage(args, environment, NOW);
const api = (...args: string[]) => parseApi(args, environment);

describe('command line of the service for a team', () => {
  it('has defaults for an API process', () => {
    assert.deepEqual(api(), {
      ...{ database, host: '127.0.0.1', port: 8080, rateLimit: 100, connections: 10 },
      ...{ publicUrl: undefined, proxies: undefined, tls: undefined },
    });
    for (const url of ['https://jobs.example', 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080']) {
      assert.equal(api('--public-url', url).publicUrl?.origin, url);
    }
  });

  it('rejects options that an API process can’t use', () => {
    for (const args of [
      ['--public-url', 'https://jobs.example/path'],
      ['--public-url', 'ftp://jobs.example'],
      ['--public-url', 'http://jobs.example'],
      ['--public-url', 'https://me@jobs.example'],
      ['--behind-proxy', 'everyone'],
      ['--tls-cert', 'cert.pem'],
      ['--tls-cert', '/nowhere/cert.pem', '--tls-key', '/nowhere/key.pem'],
      ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      ['--port', '70000'],
      ['--unknown'],
      ['more'],
    ]) {
      assert.throws(() => api(...args), UsageError, args.join(' '));
    }
  });

  it('has defaults for a worker, which needs a folder', () => {
    const defaults = { database, data: '/data', concurrency: 2, turnTimeoutMs: 1_800_000, keepDays: 30 };
    assert.deepEqual(parseWorker(['--data', '/data'], environment), defaults);
    for (const args of [[], ['--data', ''], ['--data', '/data', '--concurrency', '0']]) {
      assert.throws(() => parseWorker(args, environment), UsageError, args.join(' '));
    }
  });

  it('reads tokens for Git hosts, and never repeats one that it can’t read', async () => {
    const tokens = new TokenStore();
    await readGitTokens({ DOCS_AGENT_TOKENS: 'github.com=abc\n git.example:8443=me:d=f' }, tokens);
    assert.deepEqual(tokens.get('github.com'), { token: 'abc' });
    assert.deepEqual(tokens.get('git.example:8443'), { token: 'd=f', username: 'me' });
    for (const text of ['secret', 'github.com=', 'github.com=a:b:secret', 'git_hub=secret']) {
      const isSilent = (error: Error) => error instanceof UsageError && !error.message.includes('secret');
      await assert.rejects(readGitTokens({ DOCS_AGENT_TOKENS: text }, tokens), isSilent, text);
    }
    await assert.rejects(readGitTokens({ DOCS_AGENT_TOKENS_FILE: '/nowhere/tokens' }, tokens), UsageError);
  });

  it('reads the database URL from the option, the variable, or the file, and never repeats it', () => {
    assert.equal(databaseUrl('postgresql://other/db', environment), 'postgresql://other/db');
    assert.equal(databaseUrl(undefined, environment), database);
    for (const url of ['mysql://me:secret@host/db', 'postgres://me:secret@[', '']) {
      const isSilent = (error: Error) => error instanceof UsageError && !error.message.includes('secret');
      assert.throws(() => databaseUrl(url, {}), isSilent);
    }
    assert.throws(() => databaseUrl(undefined, { DOCS_AGENT_DATABASE_FILE: '/nowhere/url' }), UsageError);
  });

  it('reads the keys to create', () => {
    const key = { command: 'key create', role: 'admin', projects: ['docs', 'blog'], expiresAt: undefined, database };
    assert.deepEqual(manage('key', 'create', '--project', 'docs', '--project', 'blog'), key);
    const expiring = manage('key', 'create', '--project', 'docs', '--role', 'read', '--expires', '90d');
    assert.deepEqual(expiring, { ...key, role: 'read', projects: ['docs'], expiresAt: NOW + 90 * 86_400_000 });
    assert.deepEqual(manage('key', 'create', '--role', 'metrics', '--expires', '2026-02-01'), {
      ...{ ...key, role: 'metrics', projects: [] },
      expiresAt: Date.UTC(2026, 1, 1),
    });
  });

  it('rejects keys that would open nothing or have already expired', () => {
    for (const args of [
      [],
      ['--role', 'owner', '--project', 'docs'],
      ['--role', 'metrics', '--project', 'docs'],
      ['--project', 'docs', '--expires', 'soon'],
      ['--project', 'docs', '--expires', '2025-12-31'],
      ['--project', 'docs', '--expires', '0d'],
    ]) {
      assert.throws(() => manage('key', 'create', ...args), UsageError, args.join(' '));
    }
  });

  it('reads a project with its job settings', () => {
    const repository = 'https://git.example/docs.git';
    assert.deepEqual(manage('project', 'add', '--repository', repository, '--agent', 'claude', '--allow-commands'), {
      ...{ command: 'project add', repository, name: undefined, database },
      settings: { agent: 'claude', command: [], protocol: 'stdin', mayRunCommands: true },
      webhook: undefined,
    });
    assert.throws(() => manage('project', 'add'), UsageError);
    assert.throws(() => manage('project', 'add', '--repository', repository, '--name', ' \u200b'), /--name/);
    assert.throws(() => manage('project', 'add', '--repository', repository, '--agent', 'unknown'), UsageError);
    // Nobody could see the work, which would stay in a folder of a worker.
    assert.throws(() => manage('project', 'add', '--repository', repository, '--no-pull-requests'), /always pushed/);
  });

  it('reads the webhook of a project, whose secret is no option, and which others can’t overhear', () => {
    const secret = 'a secret of sixteen';
    const add = (url: string, variables: Record<string, string> = { DOCS_AGENT_WEBHOOK_SECRET: secret }) => {
      const args = ['project', 'add', '--repository', 'https://git.example/docs.git', '--webhook', url];
      const command = parseManage(args, { ...environment, ...variables }, NOW);
      return command.command === 'project add' ? command.webhook : undefined;
    };
    for (const url of ['https://hooks.example/docs?a=b', 'http://127.0.0.1:8000/', 'http://localhost/x']) {
      assert.deepEqual(add(url), { url, secret });
    }
    for (const url of [
      'http://hooks.example/',
      'https://me:pass@hooks.example/',
      'ftp://hooks.example/',
      'hooks',
      '',
    ]) {
      assert.throws(() => add(url), UsageError, url);
    }
    assert.throws(() => add('https://hooks.example/', {}), /DOCS_AGENT_WEBHOOK_SECRET_FILE/);
    assert.throws(() => add('https://hooks.example/', { DOCS_AGENT_WEBHOOK_SECRET: 'short' }), /at least 16/);
    assert.throws(() => add('https://hooks.example/', { DOCS_AGENT_WEBHOOK_SECRET_FILE: '/nowhere' }), /read the file/);
    const removed = manage('project', 'add', '--repository', 'https://git.example/docs.git', '--no-webhook');
    assert.equal(removed.command === 'project add' && removed.webhook, null);
  });

  it('reads the other commands', () => {
    assert.deepEqual(manage('key', 'list'), { command: 'key list', database });
    assert.deepEqual(manage('project', 'list'), { command: 'project list', database });
    assert.deepEqual(manage('key', 'revoke', 'ab12'), { command: 'key revoke', id: 'ab12', database });
    for (const args of [['key'], ['key', 'revoke'], ['key', 'revoke', 'a', 'b'], ['project', 'remove']]) {
      assert.throws(() => manage(...args), UsageError, args.join(' '));
    }
  });
});

describe('help of the service for a team', () => {
  it('lists the commands', () => {
    for (const args of [[], ['help'], ['--help'], ['-h'], ['help', 'nothing']]) {
      assert.match(teamHelp(args) ?? '', /^Usage: docs-agent-service COMMAND .*key create/s);
    }
  });

  it('explains each command', () => {
    for (const [args, words] of [
      [['api', '--help'], /^Usage: docs-agent-service api .*--behind-proxy .*--database/s],
      [['worker', '--data', '/data', '--help'], /worker --data DIR .*--keep-days .*--database/s],
      [['project', 'add', '--help'], /project add .*project list.*--repository .*--database/s],
      [['key', '--help'], /key create .*key revoke ID.*--expires .*--database/s],
      [['help', 'key'], /key create/],
    ] as const) {
      assert.match(teamHelp(args) ?? '', words);
    }
    assert.ok(teamHelp(['project', '-h'])?.includes(usageOf(JOB_SETTINGS)));
  });

  it('leaves other commands to the local service, and is shown only on request', () => {
    for (const args of [
      ['serve', '--help'],
      ['check', '--help'],
      ['--repo', '/docs', '--help'],
      ['api'],
      ['key', 'list'],
    ]) {
      assert.equal(teamHelp(args), undefined);
    }
  });
});
