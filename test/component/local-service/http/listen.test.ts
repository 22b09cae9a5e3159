import { deepStrictEqual, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { listen, type Listener } from '../../../../src/local-service/http/listen';

describe('service activity', () => {
  let listener: Listener;
  /** The activity that the listener reported while it answered each request. */
  let told: { requests: number; requestsInAll: number }[];

  beforeEach(async () => {
    told = [];
    listener = await listen(0, undefined, () =>
      new Hono().all('*', (context) => {
        const { requests, requestsInAll } = listener.activity();
        told.push({ requests, requestsInAll });
        return context.text('');
      }),
    );
  });
  afterEach(() => listener.close());

  const ask = async (path: string): Promise<void> => {
    await (await fetch(`http://127.0.0.1:${listener.port}${path}`)).text();
  };

  it('does not include listing jobs, which an editor does whenever it gets focus', async () => {
    await ask('/v2/agent/p1/jobs');
    await ask('/v2/agent/p1/jobs?limit=200&before=a');
    deepStrictEqual(told, [
      { requests: 0, requestsInAll: 0 },
      { requests: 0, requestsInAll: 0 },
    ]);
  });

  it('does not include listening for job events, which would keep an unused service alive', async () => {
    await ask('/local/events');
    deepStrictEqual(told, [{ requests: 0, requestsInAll: 0 }]);
    deepStrictEqual(listener.activity().followers, 0);
  });

  it('includes every other request', async () => {
    await ask('/v2/agent/jobs/job');
    await ask('/v2/agent/p1/job/jobs');
    await ask('/?from=/v2/agent/p1/jobs');
    deepStrictEqual(
      told.map(({ requestsInAll }) => requestsInAll),
      [1, 2, 3],
    );
  });
});

describe('a service with too much to do', () => {
  let listener: Listener;
  let release: () => void;
  before(async () => {
    const released = new Promise<void>((resolve) => (release = resolve));
    listener = await listen(0, undefined, () =>
      new Hono().all('*', async (context) => {
        await context.req.text();
        await released;
        return context.text('served');
      }),
    );
  });
  after(() => listener.close());

  const post = async (): Promise<[number, string | null, string]> => {
    const body = 'x'.repeat(70_000);
    const answer = await fetch(`http://127.0.0.1:${listener.port}/`, { method: 'POST', body });
    return [answer.status, answer.headers.get('retry-after'), await answer.text()];
  };

  it('serves 300 requests at once, and answers others with 503 and a time to retry', async () => {
    const refused: [number, string | null, string][] = [];
    const sent = Array.from({ length: 400 }, async () => {
      const answer = await post();
      if (answer[0] !== 200) {
        refused.push(answer);
      }
    });
    while (refused.length < 100) {
      await delay(20);
    }
    release();
    await Promise.all(sent);
    ok(
      refused.every(
        ([status, retryAfter, text]) => status === 503 && retryAfter === '1' && text.startsWith('{"error":'),
      ),
    );
    deepStrictEqual(refused.length, 100);
    deepStrictEqual((await post())[0], 200);
  });

  it('answers 408 on a connection that never completes its request, and closes it', async () => {
    const seen = await Promise.all(
      ['', 'POST / HTTP/1.1\r\nHost: '].map(async (text) => {
        const socket = connect(listener.port, '127.0.0.1', () => socket.write(text));
        let told = '';
        socket.on('data', (chunk) => (told += chunk.toString()));
        await once(socket, 'close');
        return told;
      }),
    );
    ok(
      seen.every((told) => told.startsWith('HTTP/1.1 408 ')),
      seen.join('\n'),
    );
  });
});
