import assert from 'node:assert/strict';
import { systemClock as clock } from '../../../src/base/async';
import { ActivityFollower } from '../../../src/client/activityFollower';
import { EventExchange, type EventExchangeOptions } from '../../../src/client/sse';
import type { Transport } from '../../../src/client/transport';
import type { ActivityEvent } from '../../../src/protocol/activity';
import { ServiceError } from '../../../src/protocol/errors';
import { ManualClock } from '../../support/manualClock';

const HEADERS = { 'content-type': 'text/event-stream' };

/** Delivers chunks that arrive at the same time, unless the connection is closed. Resolves to whether it was kept. */
async function deliver(exchange: EventExchange, chunks: readonly string[]): Promise<boolean> {
  let isKept = true;
  const controller = { abort: () => (isKept = false) } as never;
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, HEADERS);
  chunks.forEach((chunk) => exchange.onResponseData(controller, Buffer.from(chunk)));
  exchange.onResponseEnd();
  await exchange.ended.catch((error: unknown) =>
    assert.ok(error instanceof ServiceError && error.kind === 'notUnderstood'),
  );
  return isKept;
}

/** Follows a service that sends these entries, one event each, and returns what arrives. */
async function follow(entries: readonly unknown[]): Promise<ActivityEvent[]> {
  const dispatch = async (_request: unknown, newExchange: () => EventExchange): Promise<EventExchange> => {
    const exchange = newExchange();
    const chunks = entries.map((entry, index) => {
      const event = { id: index + 1, turn: 1, at: '2026-01-01T00:00:00Z', entry };
      return `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`;
    });
    await deliver(exchange, chunks);
    return exchange;
  };
  const arrived: ActivityEvent[] = [];
  const follower = new ActivityFollower({ transport: { dispatch } as unknown as Transport, clock, random: () => 0 });
  await follower.follow({
    jobId: 'j1',
    target: () => Promise.resolve({ baseUrl: 'https://jobs.example', projectId: 'p', apiKey: 'k' }),
    stays: () => false,
    onEvents: (events) => arrived.push(...events),
    signal: new AbortController().signal,
  });
  return arrived;
}

const LAST = { kind: 'message', text: 'Done.' };

describe('excessive events from a service', () => {
  const many = Array.from({ length: 50_000 }, () => 0);
  const tool = { kind: 'tool', call: '1', title: 'Read', tool: 'read', state: 'completed' };

  it('are skipped if they have too many elements, and later ones still arrive', async () => {
    const entries = [
      { kind: 'plan', steps: many },
      { kind: 'plan', steps: many.slice(0, 3_000).map(() => ({ text: 'a', state: 'pending' })) },
      { ...tool, files: many.slice(0, 20_000) },
      { kind: 'note', text: '', coded: { code: 'plain', params: Object.fromEntries(Object.entries(many)) } },
    ];
    assert.deepEqual(
      (await follow([...entries, LAST])).map(({ id, entry }) => [id, entry]),
      [[5, LAST]],
    );
  });

  it('are skipped if they are too long, and otherwise have their texts truncated', async () => {
    const arrived = await follow([
      { kind: 'message', text: 'a'.repeat(300_000) },
      { kind: 'message', text: 'a'.repeat(100_000) },
      { ...tool, files: ['a'.repeat(100_000)] },
      LAST,
    ]);
    const texts = arrived.map(({ entry }) =>
      entry.kind === 'tool' ? (entry.files[0] ?? '') : 'text' in entry ? entry.text : '',
    );
    assert.deepEqual(
      texts.map(({ length }) => length),
      [16_000, 16_000, LAST.text.length],
    );
  });
});

describe('a service that keeps ending the stream', () => {
  /** Returns how often a service is asked within ten minutes that answers each time in this way. */
  const requestsIn10Minutes = async (
    answer: (newExchange: () => EventExchange) => Promise<EventExchange>,
  ): Promise<number> => {
    const manual = new ManualClock();
    let requests = 0;
    const dispatch = (_request: unknown, newExchange: () => EventExchange): Promise<EventExchange> => {
      requests += 1;
      return answer(newExchange);
    };
    const stop = new AbortController();
    const transport = { dispatch } as unknown as Transport;
    const following = new ActivityFollower({ transport, clock: manual, random: () => 0.5 }).follow({
      jobId: 'j1',
      target: () => Promise.resolve({ baseUrl: 'https://jobs.example', projectId: 'p', apiKey: 'k' }),
      stays: () => true,
      onEvents: () => undefined,
      signal: stop.signal,
    });
    for (let seconds = 0; seconds < 600; seconds++) {
      await manual.advance(1_000);
    }
    stop.abort();
    await following;
    return requests;
  };

  it('is asked less and less often, although it sends comments', async () => {
    const requests = await requestsIn10Minutes(async (newExchange) => {
      const exchange = newExchange();
      await deliver(exchange, [': a comment\n\n']);
      return exchange;
    });
    assert.ok(requests > 10 && requests < 90, `${requests} requests`);
  });

  it('is asked far less often if it limits requests', async () => {
    const limit = new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 0 });
    const requests = await requestsIn10Minutes(() => Promise.reject(limit));
    assert.ok(requests > 3 && requests < 12, `${requests} requests`);
  });
});

describe('a stream of events', () => {
  const keepsAll = (chunks: readonly string[]): Promise<boolean> =>
    deliver(new EventExchange({ clock, signal: new AbortController().signal, onEvents: () => undefined }), chunks);
  const keeps = (...chunks: string[]): Promise<boolean> => keepsAll(chunks);

  it('lets other work have its turn after a hundred events, however many arrive at once', async () => {
    const lists: number[][] = [];
    let turn = 0;
    const onEvents: EventExchangeOptions['onEvents'] = ({ length }) => lists.push([turn, length]);
    const exchange = new EventExchange({ clock, signal: new AbortController().signal, onEvents });
    const event = `data: ${'x'.repeat(40)}\n\n`;
    let isCounting = true;
    const count = (): void => {
      turn += 1;
      if (isCounting) {
        setImmediate(count);
      }
    };
    count();
    await deliver(exchange, [event.repeat(250), ...Array<string>(250).fill(event)]);
    isCounting = false;
    assert.deepEqual(
      lists.map(([, length]) => length),
      [100, 100, 50, 100, 100, 50],
    );
    const turns = lists.map(([at]) => at);
    assert.equal(new Set(turns).size, turns.length);
  });

  it('may use all three line endings, even split between two chunks', async () => {
    const arrived: string[] = [];
    const onEvents: EventExchangeOptions['onEvents'] = (events) => arrived.push(...events.map(({ data }) => data));
    const exchange = new EventExchange({ clock, signal: new AbortController().signal, onEvents });
    const chunks = ['data: a\r\rdata: b\r', '\n', '\r\ndata: c\r', '', '\n', 'data: d\n\n', 'data: e\r', 'data: f\r\r'];
    await deliver(exchange, chunks);
    assert.deepEqual(arrived, ['a', 'b', 'c\nd', 'e\nf']);
  });

  it('may contain some lines that the standard does not define, but is closed if there are too many', async () => {
    assert.equal(await keeps(`odd: 1\ndata: ${'x'.repeat(40)}\n\n`.repeat(400)), true);
    assert.equal(await keeps('x\n'.repeat(30_000)), false);
    assert.equal(await keeps('retry: x\n'.repeat(6_000)), false);
  });

  it('may contain some short events, but is closed if there are too many', async () => {
    assert.equal(await keeps('data: {}\n\n'.repeat(400)), true);
    assert.equal(await keeps('data: {}\n\n'.repeat(7_000)), false);
  });

  it('may arrive in a hundred thousand pieces, which take no more than linear time to read', async () => {
    const cpuOf = async (count: number): Promise<number> => {
      const before = process.cpuUsage();
      assert.equal(await keepsAll(Array<string>(count).fill(':')), true);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await cpuOf(10_000);
    const [short, long] = [await cpuOf(10_000), await cpuOf(200_000)];
    assert.ok(long < 60 * short, `${long / short} times as long for 20 times as many`);
  });

  it('is closed if more arrives at once than can wait to be read', async () => {
    const chunk = `data: ${'x'.repeat(60_000)}\n\n`;
    assert.equal(await keeps(...Array<string>(250).fill(chunk)), true);
    assert.equal(await keeps(...Array<string>(300).fill(chunk)), false);
  });
});
