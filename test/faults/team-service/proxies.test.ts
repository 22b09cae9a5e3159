import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi } from '../../../src/team-service/api';
import { manage } from '../../../src/team-service/manage';
import { openTeamStore } from '../../../src/team-service/store/teamStore';
import { parseApi, parseManage } from '../../../src/team-service/teamCommandLine';
import { Authority } from '../../support/certificates';
import { needsDebianPackage } from '../../support/debianPackages';
import { unusedPort } from '../../support/machine';
import { claim } from '../../support/sampleTurn';
import { report, scaled } from '../../support/scale';
import { connect, noQueue, usePostgres } from '../../support/storeBackends';
import { pageBlock, teamPage } from '../../support/teamPage';
import { temporaryFolder } from '../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const EVENTS = scaled(5, 50);

/** Where the proxy runs in this test, in place of what the page says. */
interface Place {
  folder: string;
  port: number;
  apiPorts: readonly number[];
}

interface Proxy {
  name: string;
  program: string;
  /** Writes the configuration and returns the arguments of the program. */
  prepare: (place: Place) => Promise<string[]>;
}

/** Replaces the addresses of the API processes. Each must be there. */
function withPorts(text: string, apis: readonly string[], { apiPorts }: Place): string {
  return apis.reduce((result, address, index) => {
    assert.ok(result.includes(address), address);
    return result.replace(address, `127.0.0.1:${apiPorts[index] ?? 0}`);
  }, text);
}

const ON_THE_PAGE = ['127.0.0.1:8081', '127.0.0.1:8082'];

const caddy = (name: string, read: (place: Place) => Promise<string>): Proxy => ({
  name,
  program: '/usr/bin/caddy',
  async prepare(place) {
    const own = `admin off\nskip_install_trust\nauto_https disable_redirects\nstorage file_system ${place.folder}/storage`;
    const file = join(place.folder, 'Caddyfile');
    await writeFile(file, `{\n${own}\n}\n${await read(place)}`);
    return ['run', '--config', file, '--adapter', 'caddyfile'];
  },
});

const nginx = (name: string, change: (block: string) => string): Proxy => ({
  name,
  program: '/usr/sbin/nginx',
  async prepare(place) {
    const { folder, port } = place;
    const { cert, key } = await (await Authority.make()).issue({ hosts: ['localhost'] });
    await Promise.all([writeFile(join(folder, 'pem'), cert), writeFile(join(folder, 'key'), key)]);
    const block = withPorts(change(await pageBlock(/^upstream/)), ON_THE_PAGE, place)
      .replace('listen 443', `listen ${port}`)
      .replace('/etc/ssl/jobs.example.com.pem', join(folder, 'pem'))
      .replace('/etc/ssl/jobs.example.com.key', join(folder, 'key'));
    // Only where it writes is set. What else Debian sets isn't there, so what isn't in the block has nginx's own default.
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => {
      return `${each}_temp_path ${join(folder, each)};`;
    });
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const main = `daemon off; ${user} pid ${join(folder, 'pid')}; error_log stderr; events {}`;
    await writeFile(join(folder, 'conf'), `${main}\nhttp { access_log off; ${temporary.join(' ')}\n${block}}\n`);
    return ['-p', folder, '-c', join(folder, 'conf'), '-e', 'stderr'];
  },
});

const PROXIES = [
  caddy('Caddy as on the page', async (place) => {
    const block = await pageBlock(/^jobs\.example\.com \{/);
    return withPorts(block, ON_THE_PAGE, place).replace('jobs.example.com', `https://localhost:${place.port}`);
  }),
  caddy('Caddy as in the example with containers', async (place) => {
    const text = await readFile('deploy/Caddyfile', 'utf8');
    return withPorts(text, ['api-1:8080', 'api-2:8080'], place).replace(
      '{$PUBLIC_URL}',
      `https://localhost:${place.port}`,
    );
  }),
  nginx('nginx as on the page', (block) => block),
];

describe('the service for a team behind a proxy', function () {
  const used = usePostgres();
  needsDebianPackage('caddy', '/usr/bin/caddy');
  needsDebianPackage('nginx-light', '/usr/sbin/nginx');

  const run = (...args: string[]) => manage(parseManage([...args, '--database', used.url], {}, Date.now()), log);

  /** Starts two API processes with the page's options, and the proxy in front of them. */
  const start = async ({ program, prepare }: Proxy) => {
    const [folder, port] = [await temporaryFolder(), await unusedPort()];
    const [, options = ''] = /^ *COMMAND="api (.+ --behind-proxy .+)"$/m.exec(await teamPage()) ?? [];
    const words = options.replace('8081', '0').replace('https://jobs.example.com', `https://localhost:${port}`);
    const begin = () => startApi(parseApi([...words.split(' '), '--database', used.url], {}), log);
    const apis = [await begin(), await begin()];
    used.toClose.push(...apis);
    await mkdir(join(folder, 'storage'));
    const args = await prepare({ folder, port, apiPorts: apis.map((api) => api.port) });
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    used.toClose.push({ close: () => end(child) });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const project = (await run('project', 'add', '--repository', 'https://git.example/team/docs.git')).trim();
    const key = (await run('key', 'create', '--project', project)).trim();
    const call = (path: string, body?: object) => {
      return send(port, `/v2/agent/${project}/job${path}`, key, body);
    };
    while ((await send(port, '/readyz', key).catch(() => undefined)) === undefined) {
      assert.equal(child.exitCode, null, said);
      await delay(20);
    }
    return { apis, port, call };
  };

  for (const proxy of PROXIES) {
    it(`${proxy.name}: each event arrives at once, and one API process is enough`, async () => {
      const { apis, call } = await start(proxy);
      const created = await call('', { prompt: 'Document the limits' });
      const text = await textOf(created);
      assert.equal(created.statusCode, 201, text);
      const { id } = JSON.parse(text) as { id: string };
      const store = await openTeamStore(connect(used.url), noQueue);
      used.toClose.push(store);
      const events = await call(`/${id}/events`);
      used.toClose.push({ close: () => events.destroy() });
      let said = '';
      events.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      /** Does something, and returns how long it took until the reader was told, in milliseconds. */
      const untilSaid = async (words: string, work: () => Promise<unknown>): Promise<number> => {
        const begun = performance.now();
        await work();
        while (!said.includes(words)) {
          await once(events, 'data');
        }
        return performance.now() - begun;
      };
      await untilSaid('"state":"queued"', async () => undefined);
      const [turn] = await store.turns(id);
      const claimed = await claim(store, turn ?? assert.fail());
      const times: number[] = [];
      for (let count = 0; count < EVENTS; count += 1) {
        const text = `Reading page ${count}.`;
        times.push(await untilSaid(text, () => store.addActivity(claimed, [{ kind: 'message', text }])));
      }
      await store.finishTurn(claimed, 'done');
      const followUp = () => call(`/${id}/message`, { prompt: 'Add an example' });
      times.push(await untilSaid('"turn":2', followUp));
      const slowest = Math.round(Math.max(...times));
      report({
        promise: 'Events pass through a proxy',
        what: `${proxy.name}, ${times.length} events`,
        figure: `${Math.round(times[0] ?? 0)} ms for the first one, ${slowest} ms for the slowest`,
      });
      // What is buffered doesn't arrive at all. A busy machine may still be slow for a moment.
      assert.ok((times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) < 1_000, `${times.join(' ')} ms`);

      await used.toClose.splice(used.toClose.indexOf(apis[0] ?? assert.fail()), 1)[0]?.close();
      // Requests without a body first: Caddy before 2.11.2 answers others with 502 until it knows that the process is gone.
      const read = Array.from({ length: 20 }, async () => (await call(`/${id}`)).statusCode);
      assert.deepEqual(await Promise.all(read), Array<number>(20).fill(200));
      assert.equal((await call('', { prompt: 'Document the errors' })).statusCode, 201);
    });
  }

  it('says what to set if the proxy sends another Host header', async () => {
    const { call, port } = await start(nginx('nginx', (block) => block.replace(/^.*proxy_set_header.*\n/m, '')));
    const answer = await call('', { prompt: 'Document the limits' });
    const { error } = JSON.parse(await textOf(answer)) as { error: string };
    assert.equal(answer.statusCode, 403);
    assert.match(error, new RegExp(`“docs_agent”.+“localhost:${port}”.+proxy_set_header Host \\$http_host`));
  });
});

/** Sends a request to the proxy, and resolves with the head of the answer. */
function send(port: number, path: string, key: string, body?: object): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    // Whether a client trusts the certificate is not what is tested.
    const options = { port, path, headers, method: body ? 'POST' : 'GET', agent: false, rejectUnauthorized: false };
    request({ host: 'localhost', ...options }, resolve)
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return (await answer.setEncoding('utf8').toArray()).join('');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
