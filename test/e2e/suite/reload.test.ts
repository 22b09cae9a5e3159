import { strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exportedJobs, untilStatus } from '../exportedJobs';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

/** Long enough for a notification that should not come, in milliseconds. */
const SECOND_NOTICE = 3_000;

describe('a window that is reloaded in the middle of a job', () => {
  const window = useWindow(localWindow());

  it('still has the job and tells its end once, with the view never opened', async () => {
    const { workbench, workspace } = window();
    // The job goes on when both windows have seen it at work, however long a reload takes.
    const seen = join(dirname(workspace), 'seen');
    void workbench.host.command('docsAgent.createJob', { prompt: `Document reloading [scripted: until ${seen}]` });
    await untilStatus(workbench, 'active', JOB_LIMIT);
    await workbench.reload();
    await untilStatus(workbench, 'active', JOB_LIMIT);
    await writeFile(seen, '');
    await workbench.screenshot('reload 1 active');

    const notice = /Pull request ready.*Document reloading/;
    await workbench.toast(notice).expect(JOB_LIMIT);
    await workbench.screenshot('reload 2 notification');
    await delay(SECOND_NOTICE);
    strictEqual(await workbench.toastCount(notice), 1);

    await workbench.reload();
    await exportedJobs(workbench);
    await delay(SECOND_NOTICE);
    strictEqual(await workbench.toastCount(notice), 0);
    await untilStatus(workbench, 'completed', JOB_LIMIT);
  });
});
