import { strictEqual, deepStrictEqual } from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { ScriptedServer } from '../../support/scriptedServer';
import { writeFinishedJobs } from '../../support/finishedJobs';
import { report, scaled, WAIT_LIMIT } from '../../support/scale';
import { type Workbench } from '../../support/vscode/workbench';
import { exportedJobs, untilDrafts as untilDraftTexts } from '../windowState';
import { enterKey } from '../hostedWindow';
import { useWindow } from '../window';

const EXTENSION = 'docs-agent.docs-agent-jobs';

const JOBS = 1000;

describe('a prompt that was typed but not sent', () => {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start({ status: 201, body: { id: 'job1', status: 'active' } });
    servers.push(server);
    return { settings: { 'docsAgent.baseUrl': server.url, 'docsAgent.projectId': 'docs' } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const storage = (): string => window().server.globalStorage(EXTENSION);
  const posts = (): number => servers.reduce((sum, server) => sum + server.count('POST'), 0);

  async function untilPosts(wanted: number): Promise<void> {
    for (let tries = 0; tries < 200 && posts() < wanted; tries++) {
      await delay(50);
    }
    strictEqual(posts(), wanted);
  }

  const untilDrafts = (...wanted: string[]): Promise<void> => untilDraftTexts(storage(), ...wanted);

  async function openBox(): Promise<void> {
    await window().workbench.palette('Docs Agent: New Job…');
    await window().workbench.quickInput.expectTitle(/^New job for docs/);
  }

  it('is restored after Escape', async () => {
    const { quickInput } = window().workbench;
    await openBox();
    await quickInput.fill('Explain the cache');
    await quickInput.cancel();
    await quickInput.expectClosed();
    await openBox();
    await quickInput.expectValue('Explain the cache');
  });

  it('is restored after a reload in the middle of typing', async () => {
    const { workbench } = window();
    await workbench.quickInput.fill('Explain the cache and the queue');
    await untilDrafts('Explain the cache and the queue');
    await workbench.reload();
    await openBox();
    await workbench.quickInput.expectValue('Explain the cache and the queue');
  });

  it('is restored after the extension host was killed', async () => {
    const { workbench } = window();
    await workbench.quickInput.fill('Explain what a crash leaves');
    await untilDrafts('Explain what a crash leaves');
    process.kill(workbench.host.facts.pid, 'SIGKILL');
    await workbench.reload();
    await openBox();
    await workbench.quickInput.expectValue('Explain what a crash leaves');
    await workbench.quickInput.cancel();
  });

  it('becomes a job after a reload while the response of the service was pending', async () => {
    const { workbench } = window();
    await enterKey(workbench);
    const before = posts();
    for (const server of servers) {
      server.choose = ({ method }) => ({
        status: method === 'POST' ? 201 : 200,
        body: { id: 'job3', status: 'active' },
        ...(method === 'POST' ? { delayMs: 1500 } : {}),
      });
    }
    await openBox();
    await workbench.quickInput.fill('Explain the slow answer');
    await workbench.quickInput.accept();
    await untilPosts(before + 1);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await workbench.tree('Jobs').expectRow(/Explain the slow answer.*in progress/);
    strictEqual(posts(), before + 1);
    await untilDrafts();
  });

  /** Returns the keys and states of these jobs, once none is missing. */
  async function restored(workbench: Workbench, keys: readonly string[]): Promise<string[]> {
    let jobs = await exportedJobs(workbench);
    const missing = (): boolean => keys.some((key) => !jobs.some((job) => job.key === key));
    for (const start = Date.now(); missing() && Date.now() - start < WAIT_LIMIT;) {
      await delay(100);
      jobs = await exportedJobs(workbench);
    }
    return jobs
      .filter(({ key }) => keys.includes(key))
      .map(({ key, status }) => `${key} ${status}`)
      .toSorted();
  }

  it('is restored among 1,000 jobs after repeated reloads and kills', async function () {
    const cycles = scaled(1, 100);
    this.timeout(cycles * 60_000);
    const { server, workbench } = window();
    const records = join(server.globalStorage(EXTENSION_ID), 'jobs');
    // A record must appear on disk complete, so these are moved there all at once.
    const keys = await writeFinishedJobs(`${records}-new`, JOBS);
    await Promise.all(keys.map((key) => rename(join(`${records}-new`, key), join(records, key))));
    await workbench.host.command('notifications.clearAll');
    const expected = keys.map((key) => `${key} completed`);
    for (let cycle = 1; cycle <= cycles; cycle++) {
      if (cycle % 2 === 1) {
        process.kill(workbench.host.facts.pid, 'SIGKILL');
      }
      await workbench.reload();
      deepStrictEqual(await restored(workbench, keys), expected, `after cycle ${cycle}`);
    }
    strictEqual(await workbench.notificationCount(/documentation jobs ended|Pull request ready/), 0);
    const what = `${cycles} reloads of a real window, every second one after a SIGKILL of its extension host`;
    report({ promise: 'L7', what, figure: `${JOBS} of ${JOBS} jobs back each time, 0 told again` });
  });
});
