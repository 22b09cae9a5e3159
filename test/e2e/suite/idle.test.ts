import { deepStrictEqual, ok } from 'node:assert/strict';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { writeFinishedJobs } from '../../support/finishedJobs';
import { RESOURCE_WATCH, openFiles, ownResources, untilAtRest } from '../../support/vscode/ownResources';
import { exportedJobs, untilSomeStatus } from '../exportedJobs';
import { enterKey, useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

/**
 * One draws ages anew each minute while the list is in sight, and one looks for what other windows wrote while the window
 * has the focus, which the browser of this test always has.
 */
const IN_SIGHT = 2;
const OUT_OF_SIGHT = 1;

/** Connections that nobody uses are closed after some seconds. */
const REST_LIMIT = 60_000;

describe('while no job is active', () => {
  const { window, server } = useHostedWindow({ companions: [RESOURCE_WATCH] }, 'active');

  before(async () => {
    const { server: editor, workbench } = window();
    const root = join(editor.globalStorage(EXTENSION_ID), 'jobs');
    await mkdir(`${root}-new`, { recursive: true });
    await writeFinishedJobs(`${root}-new`, 20);
    await rename(`${root}-new`, root);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
  });

  it('the extension has two slow timers with its list in sight, one without, no connection and no open file', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').expectRow(/Ready for review, 20 jobs/, JOB_LIMIT);
    await workbench.tree('Jobs').expectRow(/Document part 19/);
    ok((await exportedJobs(workbench)).length === 20);
    ok((await ownResources(workbench.host)).made > 0, 'what it makes while it starts is seen');
    await untilAtRest(workbench.host, REST_LIMIT, IN_SIGHT);
    deepStrictEqual(await openFiles(workbench.host), []);
    await workbench.host.command('workbench.action.closeSidebar');
    await untilAtRest(workbench.host, REST_LIMIT, OUT_OF_SIGHT);
    await workbench.host.command('docsAgent.jobs.focus');
  });

  it('it has no others after the last job has ended', async () => {
    const { workbench } = window();
    await enterKey(workbench);
    await workbench.host.command('docsAgent.createJob', { prompt: 'Explain the retries' });
    await untilSomeStatus(workbench, 'active', JOB_LIMIT);
    ok((await ownResources(workbench.host)).alive.length > 0, 'a job that runs is followed');
    server().choose = ({ path }) => ({ body: { id: path.split('/').at(-1), status: 'completed' } });
    await workbench.host.command('docsAgent.refreshJobs');
    await untilSomeStatus(workbench, 'completed', JOB_LIMIT, 'Explain the retries');
    await untilAtRest(workbench.host, REST_LIMIT, IN_SIGHT);
    deepStrictEqual(await openFiles(workbench.host), []);
  });
});
