import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../src/protocol/errors';
import type { ActivityEvent } from '../../../src/protocol/activity';
import { HEAD, note, ActivityBench, written } from './activityBench';

describe('following the events of a job', () => {
  let bench: ActivityBench;
  beforeEach(async () => {
    bench = new ActivityBench();
    await bench.listen();
  });
  afterEach(() => bench.close());

  /** Ends the subscription and proves that nothing of it is left. */
  async function endsClean(following: Promise<void>): Promise<void> {
    bench.gone.abort();
    await following;
    await bench.until(() => bench.calls.every(({ isClosed }) => isClosed));
    assert.equal(bench.clock.pending, 0, 'no timer is left');
  }

  it('requests only events, with its key, and closes the connection when ended', async () => {
    const following = bench.follow();
    const { socket, head } = await bench.call(0);
    assert.match(head, /^GET \/v2\/agent\/p\/job\/j\/events HTTP/);
    assert.match(head, /authorization: Bearer local_k\r\n/i);
    assert.match(head, /accept: text\/event-stream\r\n/i);
    socket.write(HEAD + written(note(1)));
    await bench.until(() => bench.received.length === 1);
    await endsClean(following);
    assert.deepEqual(bench.received, [note(1)]);
  });

  it('resumes after a cut in the middle of an event and of a character', async () => {
    const following = bench.follow();
    const text = 'Grüße 🙂 一二';
    const whole = Buffer.from(written(note(2, text)));
    const places = [whole.indexOf('ü') + 1, whole.indexOf('🙂') + 2, whole.indexOf('一') + 1, whole.length - 1];
    for (const [index, place] of places.entries()) {
      const { socket, after } = await bench.call(index);
      assert.equal(after, index === 0 ? 0 : 1);
      socket.write(HEAD + written(note(1)));
      socket.write(whole.subarray(0, place), () => setImmediate(() => socket.resetAndDestroy()));
    }
    const { socket } = await bench.call(places.length);
    socket.write(HEAD);
    for (const byte of whole) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await bench.until(() => bench.received.length === 2);
    assert.deepEqual(bench.received, [note(1), note(2, text)]);
    await endsClean(following);
  });

  it('treats silence as a lost connection, but not a heartbeat', async () => {
    bench.silenceMs = 600;
    const following = bench.follow();
    const { socket } = await bench.call(0);
    socket.write(HEAD + written(note(1)));
    for (let beat = 0; beat < 4; beat++) {
      await delay(300);
      socket.write(':\n\n');
    }
    assert.deepEqual([bench.calls.length, bench.calls[0]?.isClosed, bench.ids], [1, false, [1]]);
    assert.equal((await bench.call(1)).after, 1);
    await endsClean(following);
  });

  it('treats a server that accepts and sends nothing as a lost connection', async () => {
    bench.silenceMs = 300;
    const following = bench.follow();
    await bench.call(0);
    await bench.call(1);
    await endsClean(following);
  });

  it('waits longer after each failure, and as long as Retry-After asks', async () => {
    const following = bench.follow();
    const waits: number[] = [];
    for (let index = 0; index < 6; index++) {
      const { socket } = await bench.call(index);
      socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      await bench.until(() => bench.calls[index]?.isClosed === true);
      await bench.clock.untilPending();
      waits.push(bench.clock.untilNext ?? 0);
    }
    assert.deepEqual(waits, [1500, 2500, 4500, 8000, 8000, 8000]);
    const { socket } = await bench.call(6);
    socket.end('HTTP/1.1 429 Later\r\nretry-after: 33\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    await bench.until(() => bench.calls[6]?.isClosed === true);
    await bench.clock.untilPending();
    assert.equal(bench.clock.untilNext, 33_000);
    const again = await bench.call(7);
    again.socket.end(HEAD + written(note(1)));
    await bench.until(() => again.isClosed);
    await bench.clock.untilPending();
    assert.equal(bench.clock.untilNext, 1500, 'what has sent something is asked again soon');
    await endsClean(following);
  });

  it('finds a service that restarted elsewhere, and sends no request while there is none', async () => {
    const following = bench.follow();
    const first = await bench.call(0);
    first.socket.write(HEAD + written(note(7)));
    await bench.until(() => bench.received.length === 1);
    await bench.stop();
    for (let tries = 0; tries < 20; tries++) {
      await bench.clock.untilPending();
      await bench.clock.advance(bench.clock.untilNext ?? 0);
    }
    assert.equal(bench.calls.length, 1);
    await bench.listen();
    const next = await bench.call(1);
    assert.equal(next.after, 7);
    next.socket.write(HEAD + written(note(7)) + written(note(8)));
    await bench.until(() => bench.received.length === 2);
    assert.deepEqual(bench.ids, [7, 8]);
    await endsClean(following);
  });

  it('skips events it does not know, and resumes after them', async () => {
    const following = bench.follow();
    const { socket } = await bench.call(0);
    const odd = [
      written({ ...note(2), entry: { kind: 'song', text: 'la' } } as unknown as ActivityEvent),
      'id: 3\ndata: {"id":3\n\n',
      'data: null\n\n',
      'id: x\ndata: []\n\n',
      'event: gossip\nretry: soon\nnonsense\n\n',
      `id: 4\ndata: ${'['.repeat(1000)}\n\n`,
      `data: ${JSON.stringify({ ...note(1), id: 1e300 })}\n\n`,
    ];
    socket.write(`${HEAD}\uFEFF${written(note(1))}${odd.join('')}${written(note(1, 'again'))}${written(note(5))}`);
    await bench.until(() => bench.ids.includes(5));
    assert.deepEqual(bench.received, [note(1), note(5)]);
    socket.destroy();
    const next = await bench.call(1);
    next.socket.write(HEAD + 'id: 6\ndata: {"a":1}\n\n', () => next.socket.end());
    assert.equal((await bench.call(2)).after, 6);
    await endsClean(following);
  });

  it('reads a hundred thousand events in chunks without holding any of them', async function () {
    const [pieces, each] = [1000, 100];
    let [count, last, most] = [0, 0, 0];
    const following = bench.follow({
      onEvents: (events) => {
        count += events.length;
        most = Math.max(most, events.length);
        assert.ok(events.every(({ id }) => id === ++last));
      },
      stays: () => false,
    });
    const { socket } = await bench.call(0);
    socket.write(HEAD);
    for (let piece = 0; piece < pieces; piece++) {
      const texts = Array.from({ length: each }, (_, index) => written(note(piece * each + index + 1)));
      if (!socket.write(texts.join(''))) {
        await once(socket, 'drain');
      }
    }
    socket.end();
    await following;
    assert.equal(count, pieces * each);
    assert.ok(most < 10 * each, `at most a piece at a time, not ${most}`);
    assert.equal(bench.clock.pending, 0);
  });

  it('gives up on an event that never ends', async () => {
    const following = bench.follow();
    const { socket } = await bench.call(0);
    socket.write(`${HEAD}data: `);
    const flood = Buffer.alloc(65_536, 'x');
    const pour = (): boolean => !socket.destroyed && socket.write(flood, () => setImmediate(pour));
    pour();
    await assert.rejects(following, { kind: 'notUnderstood', code: 'TOO_LARGE' });
    await bench.until(() => bench.calls[0]?.isClosed === true);
  });

  it('resolves with the last event when it does not keep following', async () => {
    bench.stays = false;
    const following = bench.follow({ after: 3 });
    const { socket, head, after } = await bench.call(0);
    assert.match(head, /\/events\?follow=false HTTP/);
    assert.equal(after, 3);
    socket.end(HEAD + written(note(4)));
    await following;
    assert.deepEqual(bench.ids, [4]);
    assert.equal(bench.clock.pending, 0);
  });

  for (const [answer, kind] of [
    ['404 Not Found\r\ncontent-type: text/html', 'notFound'],
    ['405 No', 'notUnderstood'],
    ['401 No', 'unauthorized'],
    ['302 Elsewhere\r\nlocation: /x', 'notUnderstood'],
    ['200 OK\r\ncontent-type: text/html', 'notUnderstood'],
    ['200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip', 'notUnderstood'],
  ] as const) {
    it(`sends no more requests after ${answer.replaceAll('\r\n', ', ')}`, async () => {
      const following = bench.follow();
      const { socket } = await bench.call(0);
      socket.end(`HTTP/1.1 ${answer}\r\nconnection: close\r\n\r\n<html>`);
      await assert.rejects(following, (error) => error instanceof ServiceError && error.kind === kind);
      await bench.until(() => bench.calls[0]?.isClosed === true);
      assert.deepEqual([bench.clock.pending, bench.calls.length], [0, 1]);
    });
  }

  it('sends no request for an id that could lead elsewhere, or after it was ended', async () => {
    await assert.rejects(bench.follow({ jobId: '..' }), { kind: 'notFound', code: 'UNSAFE_ID' });
    bench.gone.abort();
    await bench.follow();
    assert.equal(bench.calls.length, 0);
  });
});
