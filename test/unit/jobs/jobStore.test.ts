import { deepStrictEqual, rejects } from 'node:assert/strict';
import type { JobEvent } from '../../../src/jobs/events';
import { JobStore } from '../../../src/jobs/jobStore';
import { ManualClock } from '../../support/manualClock';
import { MemoryRecords } from '../../support/memoryStores';

describe('event that could not be written', () => {
  const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const unknown = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  const send: JobEvent & { type: 'send' } = {
    type: 'send',
    at: 1,
    promptId: 's1',
    kind: 'create',
    text: 'Explain',
    location,
  };
  const created: JobEvent = { type: 'created', at: 2, promptId: 's1', job: { id: 'j1', status: 'active', ...unknown } };
  const followUp: JobEvent = { ...send, at: 3, promptId: 's2', kind: 'followUp', afterRun: true };

  let clock: ManualClock;
  let records: MemoryRecords;
  let store: JobStore;
  let key: string;

  const onDisk = (): string[] => (records.folders.get(key) ?? []).map(({ event }) => event.type);

  beforeEach(async () => {
    [clock, records] = [new ManualClock(), new MemoryRecords()];
    let ids = 0;
    const ignore = (): void => undefined;
    const log = { info: ignore, warn: ignore, error: ignore };
    store = new JobStore({ files: records, clock, newId: () => `id${ids++}`, log });
    ({ key } = await store.add(send));
    records.writeError = new Error('ENOSPC');
    await store.record(key, created);
  });

  it('is written once, before the next event of the job', async () => {
    records.writeError = undefined;
    await store.append(key, followUp);
    deepStrictEqual(onDisk(), ['send', 'created', 'send']);
    await clock.advance(120_000);
    deepStrictEqual(onDisk(), ['send', 'created', 'send']);
  });

  it('blocks later events of the job while it can’t be written', async () => {
    await rejects(store.append(key, followUp), /ENOSPC/);
    deepStrictEqual([onDisk(), store.get(key)?.prompts.length], [['send'], 1]);
  });

  it('is retried when the window closes', async () => {
    await Promise.all([store.settle(), clock.advance(0)]);
    deepStrictEqual(onDisk(), ['send']);
    records.writeError = undefined;
    await Promise.all([store.settle(), clock.advance(0)]);
    deepStrictEqual(onDisk(), ['send', 'created']);
  });

  it('is retried automatically', async () => {
    records.writeError = undefined;
    await clock.advance(120_000);
    deepStrictEqual(onDisk(), ['send', 'created']);
  });
});
