import { deepStrictEqual } from 'node:assert/strict';
import { window } from '../../support/fakeEditor';
import { trackedJob } from '../../support/trackedJob';

describe('JobPicker', () => {
  it('waits for the records right after a start instead of saying that a job is not in the list', async () => {
    const { JobPicker } = await import('../../../src/extension/jobPicker');
    const warnings: string[] = [];
    Object.assign(window, { showWarningMessage: async (text: string) => void warnings.push(text) });
    const job = trackedJob();
    let tellLoaded = (): void => undefined;
    const loaded = new Promise<void>((resolve) => (tellLoaded = resolve));
    const store = { jobs: [] as (typeof job)[], isLoaded: false, loaded, get: () => store.jobs[0] };
    const chosen = new JobPicker(store).choose(job.key, 'Show which job?', () => true);
    store.jobs.push(job);
    store.isLoaded = true;
    tellLoaded();
    deepStrictEqual([(await chosen)?.key, warnings], [job.key, []]);
  });
});
