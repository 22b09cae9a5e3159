import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { writeFinishedJobs } from '../../support/finishedJobs';
import { report, scaled } from '../../support/scale';
import type { Workbench } from '../../support/vscode/workbench';
import { exportedJobs } from '../exportedJobs';
import { useWindow } from '../window';

const JOBS = 1000;

/** The last wait for the jobs of a window, in milliseconds; a busy machine takes its time. */
const PATIENCE = 30_000;

describe('a window that ends in whatever way', () => {
  const window = useWindow();

  /** The keys and states of all jobs, as soon as none is missing. */
  async function restored(workbench: Workbench): Promise<string[]> {
    let jobs = await exportedJobs(workbench);
    for (const start = Date.now(); jobs.length < JOBS && Date.now() - start < PATIENCE;) {
      await delay(100);
      jobs = await exportedJobs(workbench);
    }
    return jobs.map(({ key, status }) => `${key} ${status}`).toSorted();
  }

  it('has all 1,000 jobs again, reload after reload and kill after kill', async function () {
    const cycles = scaled(3, 100);
    this.timeout(cycles * 60_000);
    const { server, workbench } = window();
    const records = join(server.globalStorage(EXTENSION_ID), 'jobs');
    // A record is there whole or not at all, so these come all at once.
    const keys = await writeFinishedJobs(`${records}-new`, JOBS);
    await rename(`${records}-new`, records);
    await workbench.reload();
    const expected = keys.map((key) => `${key} completed`);
    deepStrictEqual(await restored(workbench), expected);
    for (let cycle = 1; cycle < cycles; cycle++) {
      if (cycle % 2 === 0) {
        process.kill(workbench.host.facts.pid, 'SIGKILL');
      }
      await workbench.reload();
      deepStrictEqual(await restored(workbench), expected, `after cycle ${cycle}`);
    }
    strictEqual(await workbench.toastCount(/documentation jobs ended|Pull request ready/), 0);
    await rm(records, { recursive: true });
    const what = `${cycles} reloads of a real window, every second one after a SIGKILL of its extension host`;
    report({ promise: 'L7', what, figure: `${JOBS} of ${JOBS} jobs back each time, 0 told again` });
  });
});
