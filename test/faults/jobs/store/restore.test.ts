import { strictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../../../../src/base/async';
import { JobStore } from '../../../../src/jobs/jobStore';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { writeFinishedJobs } from '../../../support/finishedJobs';
import { report } from '../../../support/scale';

describe('restoring the job list after a restart', () => {
  it('restores all of 2,000 jobs', async function () {
    const root = await mkdtemp(join(tmpdir(), 'restore-'));
    try {
      await writeFinishedJobs(root, 2000);
      const ignore = (): void => undefined;
      const log = { info: ignore, warn: ignore, error: ignore };
      const times: number[] = [];
      for (let round = 0; round < 5; round++) {
        const start = performance.now();
        const store = new JobStore({ files: new JobFiles(root, log), clock, newId: () => 'x', log });
        await store.load();
        times.push(performance.now() - start);
        strictEqual(store.jobs.length, 2000);
      }
      const [best] = times.toSorted((a, b) => a - b);
      const figure = `all back in ${Math.round(best ?? 0)} ms, best of 5`;
      report({ promise: 'L7', what: '2,000 jobs of 4 records', figure });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
