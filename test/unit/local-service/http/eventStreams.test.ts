import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/disposable';
import { activityLogStream } from '../../../../src/local-service/http/activityLogStream';
import { jobEventStream } from '../../../../src/local-service/http/jobEventStream';
import type { ActivityLogStore } from '../../../../src/local-service/store/jobStore';
import type { ActivityEvent } from '../../../../src/protocol/activity';

const { signal } = new AbortController();

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

/** A store that is on another machine answers later than it is asked. */
describe('event streams of a slow store', () => {
  it('send what a job’s activity log gets while they read it, once', async () => {
    const events: ActivityEvent[] = [];
    const grown = new Emitter<string>(() => undefined);
    const add = (id: number): void => {
      const at = '1970-01-01T00:00:00.000Z';
      events.push({ id, turn: 1, at, entry: { kind: 'message', text: `message ${id}` } });
      grown.fire('j1');
    };
    const store: ActivityLogStore = {
      addStory: async () => undefined,
      dropStories: async () => undefined,
      onStory: grown.event,
      story: async (_, after) => {
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

  it('report a job that changes again while its state is read', async () => {
    let listener: Parameters<Parameters<typeof jobEventStream>[0]['onJobEvent']>[0] = () => undefined;
    let status: 'active' | 'completed' = 'active';
    const onJobEvent = (given: typeof listener) => {
      listener = given;
      return { dispose: () => undefined };
    };
    const event = async () => {
      const present = { projectId: 'p1', jobId: 'j1', status };
      await new Promise((resolve) => setImmediate(resolve));
      if (status === 'active') {
        status = 'completed';
        listener('j1', event);
      }
      return present;
    };
    const stream = jobEventStream({ onJobEvent }, { signal, onEnd: () => undefined });
    listener('j1', event);
    const text = await read(stream, 'completed');
    assert.match(text, /"active"[^]+"completed"/);
  });
});
