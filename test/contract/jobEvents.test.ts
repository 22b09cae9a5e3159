import assert from 'node:assert/strict';
import { JobEventsClient } from '../../src/client/jobEvents';
import { type LocalBench, localBench, waitUntil } from './contractBench';

describe('local service, notifications of changed jobs', function () {
  const client = new JobEventsClient();
  let bench: LocalBench;
  before(async () => (bench = await localBench()));
  after(async () => {
    await client.dispose();
    await bench.close();
  });

  it('reach an editor at once, even for a follow-up that another client sends', async () => {
    const gone = new AbortController();
    const told: { jobId: string; at: number }[] = [];
    let isOpen = false;
    const listening = client.listen(bench.target, {
      onOpen: () => (isOpen = true),
      onJob: (_, jobId) => void told.push({ jobId, at: performance.now() }),
      signal: gone.signal,
    });
    listening.catch(() => undefined);
    await waitUntil(async () => isOpen);
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    await bench.ended(id);
    const ended = performance.now();
    await waitUntil(async () => told.length >= 2);
    assert.ok(told.every(({ jobId, at }) => jobId === id && at - ended < 500));
    const before = told.length;
    const { turn } = await bench.client.sendMessage(bench.target, id, 'Document more');
    assert.equal(turn, 2);
    await waitUntil(async () => told.length > before);
    gone.abort();
    await assert.rejects(listening, { kind: 'aborted' });
  });

  it('reach nobody without the right key', async () => {
    const other = { ...bench.target, apiKey: bench.service.otherKey };
    const silent = { onOpen: () => undefined, onJob: () => undefined, signal: new AbortController().signal };
    await assert.rejects(client.listen(other, silent), { status: 403 });
    await assert.rejects(client.listen({ ...other, apiKey: `local_${'0'.repeat(64)}` }, silent), { status: 401 });
  });
});
