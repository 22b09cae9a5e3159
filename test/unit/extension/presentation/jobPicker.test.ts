import { strictEqual } from 'node:assert';
import { JobPicker } from '../../../../src/extension/presentation/jobPicker';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';

const job = (key: string, id: string): TrackedJob => ({ key, snapshot: { id } }) as unknown as TrackedJob;

describe('JobPicker', () => {
  const jobs = [job('key-1', 'job_1'), job('key-2', 'job_2'), job('key-3', 'job_2')];
  const picker = new JobPicker({ jobs, get: (key) => jobs.find((one) => one.key === key) });

  it('finds a job by its key and by its ID', () => {
    strictEqual(picker.byName('key-2')?.key, 'key-2');
    strictEqual(picker.byName('job_1')?.key, 'key-1');
  });

  it('finds no job by an ID that two services use', () => {
    strictEqual(picker.byName('job_2'), undefined);
  });
});
