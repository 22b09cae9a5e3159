import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { MAX_CONNECTIONS } from '../../../../src/service/http/connectionLimit';
import { type Listener, listen } from '../../../../src/service/http/listen';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

describe('the limit of connections', function () {
  this.timeout(60_000);
  let listener: Listener;
  let sockets: Socket[];
  /** Requests that reached the routes. */
  let handled: number;
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  beforeEach(async () => {
    sockets = [];
    handled = 0;
    listener = await listen(0, undefined, () =>
      new Hono().all('*', async (context) => {
        handled += 1;
        if (context.req.header('Authorization') !== 'right') {
          return context.json({ error: 'key' }, 401);
        }
        await context.req.text();
        await delay(Number(context.req.query('ms') ?? 0));
        return context.text('served');
      }),
    );
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    agent.destroy();
    await listener.close();
  });

  /** Rejects when the connection is lost. */
  function ask(path: string, options: { authorization?: string; body?: string; agent?: Agent } = {}): Promise<Answer> {
    const { authorization = 'right', body = 'x'.repeat(200_000), agent } = options;
    return new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', port: listener.port, path, method: 'POST', agent: agent ?? false };
      const sent = request({ ...where, headers: { authorization } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
  }

  /** A connection that sends nothing, or what is given; collects what comes back. */
  function open(text = ''): { told: string; isOver: boolean } {
    const seen = { told: '', isOver: false };
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (seen.told += chunk.toString()));
    socket.on('error', () => undefined).on('close', () => (seen.isOver = true));
    sockets.push(socket);
    return seen;
  }

  const openMany = async (count: number, text?: string): Promise<{ told: string; isOver: boolean }[]> => {
    const opened = Array.from({ length: count }, () => open(text));
    await delay(300);
    return opened;
  };

  it('lets every request through beside 40 connections of others that say nothing and are opened again and again', async () => {
    const end = Date.now() + 5_000;
    const idle = Array.from({ length: 40 }, () => open());
    let served = 0;
    while (Date.now() < end) {
      for (const [index, each] of idle.entries()) {
        idle[index] = each.isOver ? open() : each;
      }
      const answers = await Promise.all([ask('/'), ask('/'), ask('/')]);
      served += answers.filter(({ status }) => status === 200).length;
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200),
        [],
      );
      await delay(20);
    }
    assert.ok(served > 50, `only ${served}`);
  });

  it('serves 300 clients at once', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask('/?ms=2000', { agent })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('tells each request beyond it that nothing was done, and resets none', async () => {
    const all = await Promise.allSettled(Array.from({ length: 400 }, () => ask('/?ms=3000')));
    const answers = all.map((each) => (each.status === 'fulfilled' ? each.value : assert.fail(String(each.reason))));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 100);
    assert.equal(handled, 300);
    for (const { status, headers, body } of refused) {
      assert.equal(status, 503);
      assert.equal(headers['x-docs-agent-not-handled'], '1');
      assert.equal(headers['retry-after'], '1');
      assert.match((JSON.parse(body) as { error: string }).error, /Try again/);
    }
    assert.equal((await ask('/')).status, 200, 'there is room again');
  });

  it('takes the place of the oldest connection that has sent nothing, and tells it so', async () => {
    const idle = await openMany(MAX_CONNECTIONS);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('/')));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    await delay(100);
    const turnedAway = idle.filter(({ told }) => told !== '');
    assert.deepEqual(turnedAway, idle.slice(0, turnedAway.length));
    assert.ok(turnedAway.length >= 1 && turnedAway.length <= 5);
    assert.match(turnedAway[0]?.told ?? '', /^HTTP\/1\.1 503 .*X-Docs-Agent-Not-Handled: 1/s);
  });

  it('lets nobody keep a place without a key, by requests that are refused', async () => {
    const idle = await openMany(MAX_CONNECTIONS, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\n\r\n`);
    assert.ok(idle.every(({ told, isOver }) => told.startsWith('HTTP/1.1 401') && !isOver));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/?ms=50')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('does not touch connections of those who have a key, between their requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal((await ask('/', { agent })).status, 200);
    await openMany(MAX_CONNECTIONS + 50);
    assert.equal((await ask('/', { agent })).status, 200);
    agent.destroy();
  });

  it('ends a connection that does not send the head of a request, and says that nothing was done', async () => {
    const [silent, slow] = [open(), open('POST / HTTP/1.1\r\nHost: ')];
    await delay(3_500);
    for (const { told, isOver } of [silent, slow]) {
      assert.match(told, /^HTTP\/1\.1 408 .*X-Docs-Agent-Not-Handled: 1/s);
      assert.ok(isOver);
    }
    assert.equal(handled, 0);
  });
});
