import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import type { Hono } from 'hono';
import type { AuthenticatedEnv } from '../../../../src/local-service/http/authentication';
import { jobEventHandlers } from '../../../../src/local-service/http/eventStreams';
import { JobOperations } from '../../../../src/local-service/jobs/jobOperations';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { openApp } from '../../../support/openApp';
import { claim, createTurn, customAgent, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

type Parts = ConstructorParameters<typeof JobOperations>[0];

describe('job event stream', () => {
  let store: SqlJobStore;
  let app: Hono<AuthenticatedEnv>;
  let ending: AbortController;

  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'service.db'), () => 5000);
    await store.putProject({ id: 'p1', name: 'docs', folder: '/docs', settings: customAgent(['a']) });
    ending = new AbortController();
    const operations = new JobOperations({
      store,
      runner: {},
      reviewLink: () => 'http://127.0.0.1/review',
    } as unknown as Parts);
    app = openApp(jobEventHandlers(operations, ending.signal));
  });
  afterEach(() => {
    ending.abort();
    return store.close();
  });

  const listen = async (): Promise<{ next: () => Promise<string | undefined>; close: () => Promise<void> }> => {
    const answer = await app.request('/local/events');
    strictEqual(answer.status, 200);
    strictEqual(answer.headers.get('x-accel-buffering'), 'no', 'nginx would hold the stream back');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    return {
      next: async () => {
        const { value } = await reader.read();
        return value === undefined ? undefined : decoder.decode(value);
      },
      close: () => reader.cancel(),
    };
  };

  const events = (text: string | undefined): unknown[] =>
    [...(text ?? '').matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as unknown);

  it('starts with a comment and then sends the job’s current state after each change', async () => {
    const stream = await listen();
    strictEqual(await stream.next(), ':\n\n');
    const created = stream.next();
    const queued = await createTurn(store, sampleJob(), 'x');
    deepStrictEqual(events(await created), [{ projectId: 'p1', jobId: 'j1', status: 'active' }]);
    await store.finishTurn(await claim(store, queued), 'done');
    deepStrictEqual(events(await stream.next()), [{ projectId: 'p1', jobId: 'j1', status: 'completed' }]);
    await store.setReview('j1', 'merged');
    deepStrictEqual(events(await stream.next()).length, 1);
    await store.archiveJob('j1');
    deepStrictEqual(events(await stream.next()), [{ projectId: 'p1', jobId: 'j1', status: 'archived' }]);
    await followUp(store, 'j1', 'more');
    deepStrictEqual(events(await stream.next()), [{ projectId: 'p1', jobId: 'j1', status: 'active' }]);
    await stream.close();
  });

  it('allows at most four listeners and accepts another after one has left', async () => {
    const streams = await Promise.all([1, 2, 3, 4].map(() => listen()));
    const refused = await app.request('/local/events');
    strictEqual(refused.status, 429);
    await streams[0]?.close();
    await (await listen()).close();
    await Promise.all(streams.map(({ close }) => close()));
  });

  it('ends when the service stops', async () => {
    const stream = await listen();
    await stream.next();
    const last = stream.next();
    ending.abort();
    strictEqual(await last, undefined);
  });
});
