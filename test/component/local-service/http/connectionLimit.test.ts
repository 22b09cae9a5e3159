import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { MAX_CONNECTIONS } from '../../../../src/local-service/http/connectionLimit';
import { listen, type Listener } from '../../../../src/local-service/http/listen';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

describe('connection limit', function () {
  let listener: Listener;
  let sockets: Socket[];
  /** Number of requests that reached the routes. */
  let handled: number;
  /** Releases the requests that were sent with `?hold`. */
  let release: () => void;
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  /** Resolves when the test calls `release`. */
  let released: Promise<void>;
  const start = (): Promise<Listener> =>
    listen(0, undefined, () =>
      new Hono().all('*', async (context) => {
        handled += 1;
        if (context.req.header('Authorization') !== 'right') {
          return context.json({ error: 'key'.padEnd(Number(context.req.query('length') ?? 0)) }, 401);
        }
        await context.req.text();
        await delay(Number(context.req.query('ms') ?? 0));
        await (context.req.query('hold') === undefined ? undefined : released);
        return context.text('served'.padEnd(Number(context.req.query('length') ?? 0)));
      }),
    );
  beforeEach(async () => {
    sockets = [];
    handled = 0;
    released = new Promise<void>((resolve) => (release = resolve));
    listener = await start();
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    agent.destroy();
    await listener.close();
  });

  /** Sends a POST. Rejects when the connection is lost. */
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

  /** Opens a connection that sends `text`, or nothing, and collects what it receives. */
  function open(text = ''): { told: string; isOver: boolean } {
    const seen = { told: '', isOver: false };
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (seen.told += chunk.toString()));
    socket.on('error', () => undefined).on('close', () => (seen.isOver = true));
    sockets.push(socket);
    return seen;
  }

  /** The head of a GET request without a body. */
  const head = (path: string, more = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\n${more}\r\n`;

  /** Opens a connection that sends `text` and never reads the response. */
  function openUnread(text: string): Socket {
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(text);
    sockets.push(socket.on('error', () => undefined));
    return socket;
  }

  async function until(what: string, isTrue: () => boolean, ms = 20_000): Promise<void> {
    const end = Date.now() + ms;
    while (!isTrue()) {
      assert.ok(Date.now() < end, `not within ${ms} ms: ${what}`);
      await delay(20);
    }
  }

  const openMany = async (count: number, text?: string): Promise<{ told: string; isOver: boolean }[]> => {
    const opened = Array.from({ length: count }, () => open(text));
    await delay(300);
    return opened;
  };

  it('serves every request while 40 idle connections are reopened again and again', async () => {
    const end = Date.now() + 2_500;
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
    assert.ok(served > 20, `only ${served}`);
  });

  it('serves 300 clients at once', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask('/?ms=1000', { agent })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('answers each request over the limit with 503 “not handled” and resets no connection', async () => {
    const asked: Promise<Answer>[] = [];
    while (asked.length < MAX_CONNECTIONS) {
      // In portions: clients in this process can keep the service from reading a request within its time limit.
      asked.push(...Array.from({ length: 50 }, () => ask('/?hold')));
      await until('they are open', () => listener.activity().requests === asked.length);
    }
    const over = Array.from({ length: 100 }, () => ask('/?hold'));
    await Promise.race([Promise.allSettled(over), delay(20_000)]);
    release();
    const all = await Promise.allSettled([...asked, ...over]);
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

  it('closes the oldest idle connection with a 503 to make room for a new one', async () => {
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

  it('sends a response on every connection it closes, even if clients keep their end open', async () => {
    const ended: string[] = [];
    for (let count = 0; count < 3 * MAX_CONNECTIONS; count++) {
      const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
      let told = '';
      socket.on('data', (chunk) => (told += chunk.toString())).on('end', () => ended.push(told));
      sockets.push(socket.on('error', () => undefined));
    }
    assert.equal((await ask('/', { body: '' })).status, 200);
    await until('those that had to go were told', () => ended.length >= 2 * MAX_CONNECTIONS);
    assert.equal(ended.filter((told) => !told.startsWith('HTTP/1.1 ')).length, 0);
  });

  it('does not let rejected requests without a key hold connections', async () => {
    const idle = await openMany(MAX_CONNECTIONS, head('/'));
    await until('each has its answer', () => idle.every(({ told }) => told !== ''));
    // If the machine stalls for two seconds, the answer may be 408; what matters is that no connection stays open.
    assert.ok(idle.every(({ told }) => /^HTTP\/1\.1 40[18] /.test(told)));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/?ms=50')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('does not let requests for the public API document hold connections, even when signed with a key', async () => {
    for (const path of ['/openapi.json?x', '/v2/../open%61pi.json']) {
      const idle = await openMany(MAX_CONNECTIONS / 2, head(path, 'Authorization: right\r\n'));
      await until('each has its answer', () => idle.every(({ told }) => told !== ''));
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/?ms=50')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('closes a connection without a key that pipelines many requests and discards them all', async () => {
    openUnread(head('/?length=20000').repeat(1_500));
    await until('requests arrive', () => listener.activity().requestsInAll > 0);
    await until('none is open', () => listener.activity().requests === 0);
    assert.ok(handled <= 20, `${handled} were handled`);
    assert.equal((await ask('/')).status, 200);
  });

  it('discards pipelined requests that are still unanswered when the client disconnects', async () => {
    const socket = openUnread(head('/?ms=500', 'Authorization: right\r\n').repeat(5));
    await until('all five are open', () => listener.activity().requests === 5);
    socket.destroy();
    await until('none is open', () => listener.activity().requests === 0, 5_000);
  });

  it('closes a connection without a key that does not read its response, but not one with a key', async () => {
    await listener.close();
    const { setInterval } = globalThis;
    // Check ten times as often, so that the test takes only two seconds.
    globalThis.setInterval = ((work: () => void, ms: number) => setInterval(work, ms / 10)) as typeof setInterval;
    try {
      listener = await start();
    } finally {
      globalThis.setInterval = setInterval;
    }
    const stuck = openUnread(head('/?length=30000000'));
    // One after the other: a response of this size can take so long that the time to read the next request runs out.
    await until('the first is open', () => listener.activity().requests === 1);
    const slow = openUnread(head('/?length=30000000', 'Authorization: right\r\n'));
    await until('both are open', () => listener.activity().requests === 2);
    await until('one is gone', () => listener.activity().requests === 1);
    await delay(1_100);
    assert.equal(listener.activity().requests, 1);
    let [read, readOfStuck] = [0, 0];
    slow.on('data', (chunk) => (read += chunk.length));
    stuck.on('data', (chunk) => (readOfStuck += chunk.length));
    await until('all of it was read', () => read > 30_000_000);
    await until('the connection is closed', () => stuck.destroyed);
    assert.ok(readOfStuck < 30_000_000);
  });

  it('closes an unread connection without a key at once when no other connection can be closed', async () => {
    const others = Array.from({ length: MAX_CONNECTIONS - 1 }, () => ask('/?hold', { body: '' }));
    await until('all others are open', () => listener.activity().requests === MAX_CONNECTIONS - 1);
    openUnread(head('/?length=30000000'));
    await until('this one is open', () => listener.activity().requests === MAX_CONNECTIONS);
    assert.equal((await ask('/', { body: '' })).status, 200);
    release();
    assert.deepEqual([...new Set((await Promise.all(others)).map(({ status }) => status))], [200]);
  });

  it('keeps idle connections of clients with a key open between requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal((await ask('/', { agent })).status, 200);
    await openMany(MAX_CONNECTIONS + 50);
    assert.equal((await ask('/', { agent })).status, 200);
    agent.destroy();
  });

  it('closes a connection that never completes its request head with a 408 “not handled”', async () => {
    const [silent, slow] = [open(), open('POST / HTTP/1.1\r\nHost: ')];
    await delay(3_500);
    for (const { told, isOver } of [silent, slow]) {
      assert.match(told, /^HTTP\/1\.1 408 .*X-Docs-Agent-Not-Handled: 1/s);
      assert.ok(isOver);
    }
    assert.equal(handled, 0);
  });

  it('doesn’t handle a request after answering 408 “not handled” because the process was busy', async () => {
    const seen = open();
    await delay(200);
    // Timers run before the request is read.
    await new Promise<void>((resolve) => setImmediate(resolve));
    sockets[0]?.write(head('/', 'Authorization: right\r\n'));
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      // Busy.
    }
    await until('it has an answer', () => seen.isOver);
    assert.match(seen.told, /^HTTP\/1\.1 408 .*X-Docs-Agent-Not-Handled: 1/s);
    assert.equal(handled, 0);
  });
});
