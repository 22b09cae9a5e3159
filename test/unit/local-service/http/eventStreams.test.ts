import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Emitter } from '../../../../src/base/disposable';
import { activityLogStream } from '../../../../src/local-service/http/activityLogStream';
import { jobEventStream } from '../../../../src/local-service/http/jobEventStream';
import type { ActivityLogStore } from '../../../../src/local-service/store/jobStore';
import type { ActivityEvent } from '../../../../src/protocol/activity';

const { signal } = new AbortController();

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
    const store: ActivityLogStore = {
      addActivity: async () => undefined,
      dropActivity: async () => undefined,
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
    const stream = activityLogStream(store, { jobId: 'j1', after: 0, follow: true, signal, onEnd: () => undefined });
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
    const store: ActivityLogStore = {
      addActivity: async () => undefined,
      dropActivity: async () => undefined,
      onActivity: new Emitter<string>(() => undefined).event,
      activity: async (_, after, limit) => {
        const found = Array.from({ length: Math.min(limit, 200 - after) }, (_each, index) =>
          activity(after + index + 1),
        );
        sizes.push(found.length);
        return found;
      },
    };
    const log = activityLogStream(store, { jobId: 'j1', after: 0, follow: false, signal, onEnd: () => undefined });
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
    const stream = jobEventStream({ onJobEvent: changed.event, jobEvent }, { signal, onEnd: () => undefined });
    changed.fire('j1');
    const text = await read(stream, 'completed');
    assert.match(text, /"active"[^]+"completed"/);
  });

  it('continue after a lost connection: the activity log is read again, and the job stream ends', async () => {
    const lost = new Emitter<string | undefined>(() => undefined);
    let count = 0;
    const store: ActivityLogStore = {
      addActivity: async () => undefined,
      dropActivity: async () => undefined,
      onActivity: lost.event,
      activity: async () => (++count === 1 ? [] : [activity(count)]),
    };
    const log = activityLogStream(store, { jobId: 'j1', after: 0, follow: true, signal, onEnd: () => undefined });
    const reading = read(log, 'message 2');
    await new Promise((resolve) => setImmediate(resolve));
    lost.fire(undefined);
    await reading;
    const jobs = { onJobEvent: lost.event, jobEvent: async () => undefined };
    const reader = jobEventStream(jobs, { signal, onEnd: () => undefined }).getReader();
    await reader.read();
    lost.fire(undefined);
    assert.equal((await reader.read()).done, true);
  });
});
