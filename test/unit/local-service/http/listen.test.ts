import { deepStrictEqual } from 'node:assert/strict';
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
