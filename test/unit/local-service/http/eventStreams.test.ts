import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Emitter } from '../../../../src/base/disposable';
import { activityHandlers, type JobEvents, jobEventHandlers } from '../../../../src/local-service/http/eventStreams';
import type { ActivityLogStore } from '../../../../src/local-service/store/jobStore';
import type { ActivityEvent } from '../../../../src/protocol/activity';
import { openApp } from '../../../support/openApp';

const ending = new AbortController();
after(() => ending.abort());

async function bodyOf(answer: Response | Promise<Response>): Promise<ReadableStream<Uint8Array>> {
  const { status, body } = await answer;
  assert.ok(status === 200 && body !== null);
  return body;
}

function follow(store: Partial<ActivityLogStore>, query = ''): Promise<ReadableStream<Uint8Array>> {
  const app = openApp(activityHandlers(store as ActivityLogStore, ending.signal));
  return bodyOf(app.request(`/v2/agent/p1/job/j1/events${query}`));
}

function listen(jobs: JobEvents): Promise<ReadableStream<Uint8Array>> {
  return bodyOf(openApp(jobEventHandlers(jobs, ending.signal)).request('/local/events'));
}

function activity(id: number): ActivityEvent {
  return { id, turn: 1, at: '1970-01-01T00:00:00.000Z', entry: { kind: 'message', text: `message ${id}` } };
}

async function read(stream: ReadableStream<Uint8Array>, until: string): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes(until)) {
    const { value, done } = await reader.read();
    assert.ok(!done, text);
    text += decoder.decode(value);
  }
  await reader.cancel();
  return text;
}

/** A store on another machine answers with a delay. */
describe('event streams of a slow store', () => {
  it('send each entry once that is added to a job’s activity log while they read it', async () => {
    const events: ActivityEvent[] = [];
    const grown = new Emitter<string>(() => undefined);
    const add = (id: number): void => {
      events.push(activity(id));
      grown.fire('j1');
    };
    const store: Partial<ActivityLogStore> = {
      onActivity: grown.event,
      activity: async (_, after) => {
        const found = events.filter(({ id }) => id > after);
        await new Promise((resolve) => setImmediate(resolve));
        if (events.length < 3) {
          add(events.length + 1);
        }
        return found;
      },
    };
    add(1);
    const stream = await follow(store);
    const text = await read(stream, 'message 3');
    assert.deepEqual(
      [...text.matchAll(/^id: (\d)$/gm)].map(([, id]) => id),
      ['1', '2', '3'],
    );
  });

  it('read a long activity log in small parts, between which the service answers other requests', async () => {
    let time = 0;
    mock.method(performance, 'now', () => (time += 1_000));
    const pauses = mock.method(globalThis, 'setImmediate').mock;
    const sizes: number[] = [];
    const store: Partial<ActivityLogStore> = {
      onActivity: new Emitter<string>(() => undefined).event,
      activity: async (_, after, limit) => {
        const found = Array.from({ length: Math.min(limit, 200 - after) }, (_each, index) =>
          activity(after + index + 1),
        );
        sizes.push(found.length);
        return found;
      },
    };
    const log = await follow(store, '?follow=false');
    const text = await new Response(log).text();
    mock.restoreAll();
    assert.equal(text.match(/^id: /gm)?.length, 200);
    assert.ok(Math.max(...sizes) <= 20, String(sizes));
    assert.ok(pauses.callCount() >= 10, String(pauses.callCount()));
  });

  it('report a job that changes again while its state is read', async () => {
    const changed = new Emitter<string | undefined>(() => undefined);
    let status: 'active' | 'completed' = 'active';
    const jobEvent = async (jobId: string) => {
      const present = { projectId: 'p1', jobId, status };
      await new Promise((resolve) => setImmediate(resolve));
      if (status === 'active') {
        status = 'completed';
        changed.fire('j1');
      }
      return present;
    };
    const stream = await listen({ onJobEvent: changed.event, jobEvent });
    changed.fire('j1');
    const text = await read(stream, 'completed');
    assert.match(text, /"active"[^]+"completed"/);
  });

  it('continue after a lost connection: the activity log is read again, and the job stream ends', async () => {
    const lost = new Emitter<string | undefined>(() => undefined);
    let count = 0;
    const store: Partial<ActivityLogStore> = {
      onActivity: lost.event,
      activity: async () => (++count === 1 ? [] : [activity(count)]),
    };
    const log = await follow(store);
    const reading = read(log, 'message 2');
    await new Promise((resolve) => setImmediate(resolve));
    lost.fire(undefined);
    await reading;
    const jobs = { onJobEvent: lost.event, jobEvent: async () => undefined };
    const reader = (await listen(jobs)).getReader();
    await reader.read();
    lost.fire(undefined);
    assert.equal((await reader.read()).done, true);
  });

  it('break off when the store fails, so that the client doesn’t take what it has for everything', async () => {
    const store: Partial<ActivityLogStore> = {
      onActivity: new Emitter<string>(() => undefined).event,
      activity: async (_, after) => {
        if (after > 0) {
          throw new Error('no connection');
        }
        return Array.from({ length: 20 }, (_each, index) => activity(index + 1));
      },
    };
    await assert.rejects(new Response(await follow(store, '?follow=false')).text(), /no connection/);
  });

  it('end for a client that reads nothing while a thousand jobs change', async () => {
    const changed = new Emitter<string | undefined>(() => undefined);
    const reader = (await listen({ onJobEvent: changed.event, jobEvent: async () => undefined })).getReader();
    await reader.read();
    for (let n = 0; n <= 1000; n++) {
      changed.fire(`j${n}`);
    }
    assert.equal((await reader.read()).done, true);
  });
});
