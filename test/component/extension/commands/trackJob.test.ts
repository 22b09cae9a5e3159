import { deepStrictEqual } from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async';
import { JobStore } from '../../../../src/jobs/jobStore';
import '../../../support/fakeEditor';
import { snapshot } from '../../../support/trackedJob';
import { RecordsOnDisk } from '../../jobs/store/recordsOnDisk';

const HOME = { service: 'https://x.example', baseUrl: 'https://x.example', projectId: 'p' };

describe('Track Job', () => {
  let records: RecordsOnDisk;
  let ids = 0;

  beforeEach(async () => {
    records = await RecordsOnDisk.make();
  });
  afterEach(() => records.clear());

  const newStore = (): JobStore => {
    const newId = (): string => String(++ids).padStart(16, 'k');
    return new JobStore({ files: records.files, clock: systemClock, newId, log: records.log });
  };

  async function track(store: JobStore, lookUp: () => Promise<unknown>): Promise<unknown> {
    const { trackJob } = await import('../../../../src/extension/features/jobs-view/trackJob');
    const options = { store, projects: { choose: async () => HOME }, access: { lookUp } };
    return trackJob(options as never, { jobId: 'j' });
  }

  const rows = (store: JobStore): number => store.jobs.filter((job) => job.snapshot?.id === 'j').length;

  it('adds no duplicate when another window tracked the job during the request', async () => {
    const [one, other] = [newStore(), newStore()];
    await track(one, async () => {
      const { key } = await other.add({ type: 'tracked', at: 1, location: HOME, job: snapshot('completed') });
      await one.refresh(key);
      return snapshot('completed');
    });
    deepStrictEqual(rows(one), 1);
  });

  it('adds one entry when run twice at the same time', async () => {
    const store = newStore();
    const lookUp = async (): Promise<unknown> => snapshot('completed');
    await Promise.all([track(store, lookUp), track(store, lookUp)]);
    deepStrictEqual(rows(store), 1);
  });
});
