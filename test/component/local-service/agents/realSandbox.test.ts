import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { JOB_VARIABLE } from '../../../../src/local-service/agents/descendants';
import { processesWith } from '../../../faults/local-service/processesWith';
import { waitUntil } from '../../../contract/contractBench';
import { agentTask, SCRIPTED_ACP, SUPERVISOR } from '../../../support/agentTask';
import { pathWithSandbox, skipWithoutSandbox } from '../../../support/realSandbox';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** Requests a URL through the proxy of the environment, as agents do, unless NO_PROXY excepts its host. */
const REQUEST = `
const { request } = require('node:http');
const [url, proxy] = [new URL(process.argv[1]), new URL(process.env.HTTP_PROXY)];
const isDirect = process.env.NO_PROXY.split(',').includes(url.hostname);
const authorization = 'Basic ' + btoa(decodeURIComponent(proxy.username) + ':' + proxy.password);
const through = { host: proxy.hostname, port: proxy.port, path: url.href, headers: { 'proxy-authorization': authorization } };
request(isDirect ? url : through, (answer) => {
  console.log('status', answer.statusCode);
  process.exit(answer.statusCode === 200 ? 0 : 3);
}).on('error', (error) => { console.error(error.message); process.exit(4); }).end();`;

describe('an agent in the real sandbox', function () {
  this.timeout(60_000);
  before(async function () {
    this.timeout(300_000);
    await skipWithoutSandbox.call(this);
  });
  let server: Server;
  before(async () => {
    server = createServer((_, response) => response.end('model')).listen(0, '0.0.0.0');
    await once(server, 'listening');
  });
  after(() => server.close());

  const environment = async () => ({ ...process.env, PATH: await pathWithSandbox() });
  const run = async (command: string[], more: Partial<AgentTask> = {}) => {
    const given = await agentTask({ command, prompt: 'prompt', mayRunCommands: true, confine: 'require', ...more });
    const outcome = await new CommandAgent(SUPERVISOR, await environment())
      .run(given.task)
      .catch((error: unknown) => error as Error);
    const said = given.entries.map((entry) => ('text' in entry ? entry.text : '')).join('\n');
    return { ...given, said, failure: outcome instanceof Error ? outcome.message : undefined };
  };

  it('writes to its work and nowhere else, and a failure names the file', async () => {
    const outside = join(await temporaryFolder(), 'x');
    const { task, failure = '' } = await run(['sh', '-c', 'echo a > page.md; echo b > "$1"', 'sh', outside]);
    assert.equal(await readFile(join(task.folder, 'page.md'), 'utf8'), 'a\n');
    assert.equal(existsSync(outside), false);
    assert.ok(failure.includes(`The sandbox blocked writing to these files: “${outside}”.`), failure);
    const missing = join(await temporaryFolder(), 'not/yet/x');
    for (const file of [outside, missing]) {
      const allowed = await run(['sh', '-c', 'echo b > "$1"', 'sh', file], { writableFolders: [dirname(file)] });
      assert.deepEqual([allowed.failure, existsSync(file)], [undefined, true]);
    }
  });

  it('leaves nothing in its work folder that it has not written', async () => {
    const { said } = await run(['sh', '-c', 'ls -A']);
    assert.equal(said, '');
  });

  it('reaches no host that is not listed, and a failure names it', async () => {
    const { failure = '' } = await run([process.execPath, '-e', REQUEST, 'http://blocked.example.org/']);
    assert.match(
      failure,
      /The sandbox blocked these hosts: “blocked\.example\.org”\. If the agent needs one, add it to/,
    );
  });

  const port = () => (server.address() as AddressInfo).port;
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  for (const [where, host] of [
    ['in the network', own],
    ['on this machine', '127.0.0.1'],
    ['on this machine, by its name', 'localhost'],
  ] as [string, string | undefined][]) {
    it(`reaches a listed host ${where}`, async function () {
      if (host === undefined) {
        return this.skip();
      }
      const address = `${host}:${String(port())}`;
      const { said } = await run([process.execPath, '-e', REQUEST, `http://${address}/`], { allowedHosts: [address] });
      assert.equal(said, 'status 200');
    });
  }

  it('edits, continues its session, and is refused a command, over the Agent Client Protocol', async () => {
    const command = [process.execPath, SCRIPTED_ACP];
    const first = await agentTask({ command, prompt: '[scripted: run touch ran] Write a page', confine: 'require' });
    // It keeps its sessions next to its work.
    const settings = { writableFolders: [dirname(first.task.folder)] };
    const agent = new AcpAgent(SUPERVISOR, await environment());
    const start = Date.now();
    await agent.run({ ...first.task, ...settings });
    assert.ok(first.entries.some((entry) => entry.kind === 'permission' && entry.answer === 'refused'));
    assert.equal(existsSync(join(first.task.folder, 'ran')), false);
    const { folder, directory } = first.task;
    const more = {
      session: first.sessions[0],
      earlier: [{ prompt: 'Write a page', finished: true, isInSession: true }],
    };
    const second = await agentTask({
      command,
      prompt: '[scripted: recall]',
      confine: 'require',
      folder,
      directory,
      ...more,
    });
    const { summary } = await agent.run({ ...second.task, ...settings });
    assert.match(summary, /Write a page/);
    // The processes of the sandbox are not taken for work that the agent has left.
    assert.ok(Date.now() - start < 30_000);
  });

  for (const by of ['the user', 'the loss of its supervisor'] as const) {
    it(`is ended with all that it has started by ${by}`, async () => {
      const stop = new AbortController();
      const given = await agentTask({
        command: [process.execPath, SCRIPTED_ACP],
        prompt: '[scripted: escape escaped] [scripted: hang]',
        confine: 'require',
        signal: stop.signal,
      });
      const task = { ...given.task, writableFolders: [dirname(given.task.folder)] };
      const work = new AcpAgent(SUPERVISOR, await environment()).run(task);
      work.catch(() => undefined);
      await waitUntil(() => existsSync(join(task.folder, 'escaped')));
      const all = await processesWith(JOB_VARIABLE, task.jobId);
      const names = all.map(({ command }) => command).join('\n');
      assert.match(names, /bwrap/);
      assert.match(names, /scriptedAcpAgent/);
      if (by === 'the user') {
        stop.abort(new Error('stopped'));
      } else {
        const supervisor = all.find(({ command }) => command.includes('--supervise'));
        process.kill(supervisor?.pid ?? 0, 'SIGKILL');
      }
      await assert.rejects(work);
      await waitUntil(async () => (await processesWith(JOB_VARIABLE, task.jobId)).length === 0, 10_000);
    });
  }
});
