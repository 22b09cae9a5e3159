import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { EventSourceMessage } from 'eventsource-parser';
import { systemClock as clock } from '../../../src/base/async';
import { ActivityFollower, readEvents } from '../../../src/client/events';
import type { OpenAnswer, Transport } from '../../../src/client/transport';
import type { ActivityEvent } from '../../../src/protocol/activity';
import { ServiceError } from '../../../src/protocol/errors';
import { ManualClock } from '../../support/manualClock';

/** A transport whose responses are these. */
function opening(open: () => Promise<OpenAnswer>): Transport {
  return { open } as unknown as Transport;
}

/** A response with chunks that arrive at the same time. */
function answer(chunks: readonly string[]): OpenAnswer {
  const body = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk))) as ReadableStream<Uint8Array>;
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}

const job = {
  jobId: 'j1',
  target: () => Promise.resolve({ baseUrl: 'https://jobs.example', projectId: 'p', apiKey: 'k' }),
};

/** Follows a service that sends these entries, one event each, and returns what arrives. */
async function follow(entries: readonly unknown[]): Promise<ActivityEvent[]> {
  const chunks = entries.map((entry, index) => {
    const event = { id: index + 1, turn: 1, at: '2026-01-01T00:00:00Z', entry };
    return `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  const arrived: ActivityEvent[] = [];
  const transport = opening(async () => answer(chunks));
  await new ActivityFollower({ transport, clock, random: () => 0 }).follow({
    ...job,
    stays: () => false,
    onEvents: (events) => arrived.push(...events),
    signal: new AbortController().signal,
  });
  return arrived;
}

const LAST = { kind: 'message', text: 'Done.' };

describe('excessive events from a service', () => {
  const many = Array.from({ length: 25_000 }, () => 0);
  const tool = { kind: 'tool', call: '1', title: 'Read', tool: 'read', state: 'completed' };

  it('are skipped if they have too many elements, and later ones still arrive', async () => {
    const entries = [{ kind: 'plan', steps: many }, { ...tool, files: many.slice(0, 15_000) }, LAST];
    assert.deepEqual(
      (await follow(entries)).map(({ id, entry }) => [id, entry]),
      [[3, LAST]],
    );
  });

  it('end the stream if they are too long', async () => {
    assert.equal((await follow([{ kind: 'message', text: 'a'.repeat(200_000) }])).length, 1);
    await assert.rejects(follow([{ kind: 'message', text: 'a'.repeat(300_000) }]), { code: 'TOO_LARGE' });
  });
});

describe('a service that keeps ending the stream', () => {
  /** Returns how often a service is asked within ten minutes that answers each time in this way. */
  const requestsIn10Minutes = async (open: () => Promise<OpenAnswer>): Promise<number> => {
    const manual = new ManualClock();
    let requests = 0;
    const transport = opening(() => {
      requests += 1;
      return open();
    });
    const stop = new AbortController();
    const following = new ActivityFollower({ transport, clock: manual, random: () => 0.5 }).follow({
      ...job,
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
    const requests = await requestsIn10Minutes(async () => answer([': a comment\n\n']));
    assert.ok(requests > 10 && requests < 90, `${requests} requests`);
  });

  it('is asked far less often if it limits requests', async () => {
    const limit = new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 0 });
    const requests = await requestsIn10Minutes(() => Promise.reject(limit));
    assert.ok(requests > 3 && requests < 12, `${requests} requests`);
  });
});

describe('a stream of events', () => {
  const read = async (chunks: readonly string[]): Promise<EventSourceMessage[][]> => {
    const lists: EventSourceMessage[][] = [];
    for await (const events of readEvents(
      opening(async () => answer(chunks)),
      { method: 'GET', url: '', headers: {} },
    )) {
      lists.push(events);
    }
    return lists;
  };

  it('is read in small parts, between which other work gets its turn', async () => {
    const event = `data: ${'x'.repeat(40)}\n\n`;
    let time = 0;
    mock.method(performance, 'now', () => (time += 1_000));
    const turns = mock.method(globalThis, 'setImmediate').mock;
    const lists = await read([event.repeat(10_000)]).finally(() => mock.restoreAll());
    assert.equal(lists.flat().length, 10_000);
    assert.ok(lists.every(({ length }) => length < 400));
    assert.ok(turns.callCount() >= lists.length, String(turns.callCount()));
  });

  it('may use all three line endings, and lines that the standard does not define', async () => {
    const chunks = ['data: a\r\rdata: b\r', '\n', '\r\ndata: c\r', '', '\n', 'odd\nretry: x\n', 'data: d\n\n'];
    assert.deepEqual(
      (await read(chunks)).flat().map(({ data }) => data),
      ['a', 'b', 'c\nd'],
    );
  });

  it('may arrive in a hundred thousand pieces, which take no more than linear time to read', async () => {
    const cpuOf = async (count: number): Promise<number> => {
      const before = process.cpuUsage();
      await read(Array<string>(count).fill(':'));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await cpuOf(10_000);
    const [short, long] = [await cpuOf(10_000), await cpuOf(200_000)];
    assert.ok(long < 60 * short, `${long / short} times as long for 20 times as many`);
  });
});
